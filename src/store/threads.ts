/** Which thread stands where, message by message: the ids of what was posted are primary data. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type ThreadKey = {
  readonly teamId: string;
  readonly channelId: string;
  /** What the thread is about: an execution's uuid. */
  readonly subject: string;
};

export type StandingThread = {
  /** Slack's id of the root message; null until it is known to be posted. */
  readonly rootTs: string | null;
  /** The ids of the replies that were posted, by name. */
  readonly replies: ReadonlyMap<string, string>;
  /** Whether every reply is posted and nothing about it will change. */
  readonly isFinal: boolean;
};

export type ThreadClaim =
  /** The caller posts what is missing and updates what stands, then calls `release`. */
  | { readonly kind: 'mine'; readonly thread: StandingThread }
  /** Complete for good. */
  | { readonly kind: 'final'; readonly thread: StandingThread }
  /** Somebody else is at work on it. */
  | { readonly kind: 'taken'; readonly thread: StandingThread };

export type Threads = {
  /** @param now epoch milliseconds @param leaseMs after which others may go on with what is left undone */
  claim(key: ThreadKey, now: number, leaseMs: number): Promise<ThreadClaim>;
  saveRoot(key: ThreadKey, ts: string): Promise<void>;
  saveReply(key: ThreadKey, name: string, ts: string): Promise<void>;
  /** Ends the claim. @param isFinal whether there is nothing left to do, ever */
  release(key: ThreadKey, isFinal: boolean): Promise<void>;
};

export function createThreads(db: Kysely<Tables>): Threads {
  return {
    async claim(key, now, leaseMs) {
      const isMine = (await open(db, key, now, leaseMs)) || (await takeOver(db, key, now, leaseMs));
      const thread = await read(db, key);
      return { kind: isMine ? 'mine' : thread.isFinal ? 'final' : 'taken', thread };
    },
    async saveRoot(key, ts) {
      await where(db, key).set({ root_ts: ts }).execute();
    },
    async saveReply(key, name, ts) {
      await db
        .insertInto('thread_reply')
        .values({ ...columns(key), name, ts })
        .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'subject', 'name']).doUpdateSet({ ts }))
        .execute();
    },
    async release(key, isFinal) {
      await where(db, key)
        .set({ is_final: Number(isFinal), claimed_until: 0 })
        .execute();
    },
  };
}

function columns({ teamId, channelId, subject }: ThreadKey) {
  return { team_id: teamId, channel_id: channelId, subject };
}

function where(db: Kysely<Tables>, { teamId, channelId, subject }: ThreadKey) {
  return db
    .updateTable('thread')
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .where('subject', '=', subject);
}

/** @returns whether the thread is new: of any number of callers one is told so */
async function open(db: Kysely<Tables>, key: ThreadKey, now: number, leaseMs: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('thread')
    .values({ ...columns(key), root_ts: null, is_final: 0, claimed_until: now + leaseMs, opened_at: now })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'subject']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @returns whether the thread was nobody's and may still change */
async function takeOver(db: Kysely<Tables>, key: ThreadKey, now: number, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await where(db, key)
    .where('is_final', '=', 0)
    .where('claimed_until', '<=', now)
    .set({ claimed_until: now + leaseMs })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function read(db: Kysely<Tables>, key: ThreadKey): Promise<StandingThread> {
  const { teamId, channelId, subject } = key;
  const row = await db
    .selectFrom('thread')
    .select(['root_ts', 'is_final'])
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  const replies = await db
    .selectFrom('thread_reply')
    .select(['name', 'ts'])
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .where('subject', '=', subject)
    .execute();
  return {
    rootTs: row.root_ts,
    replies: new Map(replies.map(({ name, ts }) => [name, ts])),
    isFinal: row.is_final === 1,
  };
}
