/** Which thread stands where, message by message: the ids of what was posted are primary data. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { createThreadLease, type ThreadColumns, type ThreadFile, type ThreadLease } from './thread-lease.ts';

export type ThreadKey = {
  readonly teamId: string;
  readonly channelId: string;
  /** What the thread is about: an execution's uuid. */
  readonly subject: string;
};

export type StandingThread = {
  /** Slack's id of the root message; null until it is known to be posted. */
  readonly rootTs: string | null;
  /** Whether the root is a message that stood there before, and not ours to edit. */
  readonly isAnchored: boolean;
  /** The ids of the replies that were posted, by name. */
  readonly replies: ReadonlyMap<string, string>;
  readonly files: readonly ThreadFile[];
  /** Whether every reply is posted and nothing about it will change. */
  readonly isFinal: boolean;
  /** Epoch milliseconds. */
  readonly openedAt: number;
};

export type ThreadClaim =
  /** The caller posts what is missing and updates what stands, then releases its hold. */
  | { readonly kind: 'mine'; readonly thread: StandingThread; readonly lease: ThreadLease; readonly isNew: boolean }
  /** Complete for good. */
  | { readonly kind: 'final'; readonly thread: StandingThread }
  /** Somebody else is at work on it. */
  | { readonly kind: 'taken'; readonly thread: StandingThread };

export type Threads = {
  /** @param now epoch milliseconds @param leaseMs after which others may go on with what is left undone */
  claim(key: ThreadKey, now: number, leaseMs: number): Promise<ThreadClaim>;
  /** Its root is gone from Slack: the next claim begins anew. Does nothing where it has another root by now. */
  forget(key: ThreadKey, rootTs: string): Promise<void>;
  /** Every thread of a channel that is gone. */
  forgetChannel(channel: Pick<ThreadKey, 'teamId' | 'channelId'>): Promise<void>;
};

export function createThreads(db: Kysely<Tables>): Threads {
  return {
    async claim(key, now, leaseMs) {
      const isNew = await open(db, key, now, leaseMs);
      const isMine = isNew || (await takeOver(db, key, now, leaseMs));
      const thread = await read(db, key);
      if (!isMine) return { kind: thread.isFinal ? 'final' : 'taken', thread };
      return { kind: 'mine', thread, lease: createThreadLease(db, columnsOf(key), { now, leaseMs }), isNew };
    },
    async forget(key, rootTs) {
      const columns = columnsOf(key);
      await db.transaction().execute(async (step) => {
        const { numDeletedRows } = await step
          .deleteFrom('thread')
          .where((is) => is.and({ ...columns, root_ts: rootTs }))
          .executeTakeFirst();
        if (numDeletedRows === 0n) return;
        await step
          .deleteFrom('thread_reply')
          .where((is) => is.and(columns))
          .execute();
        await step
          .deleteFrom('thread_file')
          .where((is) => is.and(columns))
          .execute();
      });
    },
    async forgetChannel({ teamId, channelId }) {
      await db.transaction().execute(async (step) => {
        for (const table of ['thread', 'thread_reply', 'thread_file'] as const) {
          await step
            .deleteFrom(table)
            .where((is) => is.and({ team_id: teamId, channel_id: channelId }))
            .execute();
        }
      });
    },
  };
}

function columnsOf({ teamId, channelId, subject }: ThreadKey): ThreadColumns {
  return { team_id: teamId, channel_id: channelId, subject };
}

/** @returns whether the thread is new: of any number of callers one is told so */
async function open(db: Kysely<Tables>, key: ThreadKey, now: number, leaseMs: number): Promise<boolean> {
  const fresh = { root_ts: null, is_anchored: 0, is_final: 0, lease_until: now + leaseMs, opened_at: now };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('thread')
    .values({ ...columnsOf(key), ...fresh })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'subject']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @returns whether the thread was nobody's and may still change */
async function takeOver(db: Kysely<Tables>, key: ThreadKey, now: number, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('thread')
    .where((is) => is.and({ ...columnsOf(key), is_final: 0 }))
    .where('lease_until', '<=', now)
    .set({ lease_until: now + leaseMs })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function read(db: Kysely<Tables>, key: ThreadKey): Promise<StandingThread> {
  const columns = columnsOf(key);
  const row = await db
    .selectFrom('thread')
    .select(['root_ts', 'is_anchored', 'is_final', 'opened_at'])
    .where((is) => is.and(columns))
    .executeTakeFirstOrThrow();
  const replies = await db
    .selectFrom('thread_reply')
    .select(['name', 'ts'])
    .where((is) => is.and(columns))
    .execute();
  const files = await db
    .selectFrom('thread_file')
    .select(['file_id', 'reply', 'name', 'digest'])
    .where((is) => is.and(columns))
    .execute();
  return {
    rootTs: row.root_ts,
    isAnchored: row.is_anchored === 1,
    replies: new Map(replies.map(({ name, ts }) => [name, ts])),
    files: files.map(({ file_id, ...file }) => ({ fileId: file_id, ...file })),
    isFinal: row.is_final === 1,
    openedAt: row.opened_at,
  };
}
