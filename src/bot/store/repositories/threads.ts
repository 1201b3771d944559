/** Repository of threads: the ids of posted messages and files, message by message. */
import type { Kysely } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import type { Tables, ThreadTable } from '../tables/tables.ts';
import { createThreadLease, type ThreadColumns, type ThreadFile, type ThreadLease } from './thread-lease.ts';

export type ThreadKey = {
  readonly teamId: string;
  readonly channelId: string;
  /** The subject of the thread: an execution's uuid. */
  readonly subject: string;
};

export type StoredThread = {
  /** Slack's id of the root message; null until it is known to be posted. */
  readonly rootTs: string | null;
  /** True if the root is an earlier message, which the bot does not edit. */
  readonly isAnchored: boolean;
  /** Ids of the posted replies, by name. */
  readonly replies: ReadonlyMap<string, string>;
  /** Hashes of the posted replies, by name. */
  readonly digests: ReadonlyMap<string, string | null>;
  readonly files: readonly ThreadFile[];
  /** True if every reply is posted and the thread never changes again. */
  readonly isFinal: boolean;
  /** Epoch milliseconds. */
  readonly openedAt: number;
};

export type ThreadClaim =
  /** The caller posts missing messages and updates posted ones, then releases the lease. */
  | { readonly kind: 'mine'; readonly thread: StoredThread; readonly lease: ThreadLease; readonly isNew: boolean }
  /** Complete, never changes again. */
  | { readonly kind: 'final'; readonly thread: StoredThread }
  /** Another process has the lease. */
  | { readonly kind: 'taken'; readonly thread: StoredThread };

export type Threads = {
  /** @param leaseMs after this time, by the database's clock, another process may continue the work */
  claim(key: ThreadKey, leaseMs: number): Promise<ThreadClaim>;
  /** @returns the subject of the newest thread below this message; null if there is none */
  subjectBelow(root: Omit<ThreadKey, 'subject'> & { readonly rootTs: string }): Promise<string | null>;
  /** Deletes a thread whose root is gone from Slack. Does nothing if it has another root by now. */
  forget(key: ThreadKey, rootTs: string): Promise<void>;
  /** Deletes every thread of a deleted channel. */
  forgetChannel(channel: Pick<ThreadKey, 'teamId' | 'channelId'>): Promise<void>;
};

export function createThreads(db: Kysely<Tables>, dialect: Dialect): Threads {
  return {
    async claim(key, leaseMs) {
      const opened = await open(db, dialect, key, leaseMs);
      const claimed = opened ?? (await takeOver(db, dialect, key, leaseMs));
      const thread = await read(db, key);
      if (!claimed) return { kind: thread.isFinal ? 'final' : 'taken', thread };
      const lease = createThreadLease(db, dialect, columnsOf(key), { until: claimed.lease_until, leaseMs });
      return { kind: 'mine', thread, lease, isNew: opened !== undefined };
    },
    async subjectBelow({ teamId, channelId, rootTs }) {
      const row = await db
        .selectFrom('thread')
        .select('subject')
        .where((is) => is.and({ team_id: teamId, channel_id: channelId, root_ts: rootTs }))
        .orderBy('opened_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.subject ?? null;
    },
    async forget(key, rootTs) {
      const columns = columnsOf(key);
      await inTransaction(db, async (step) => {
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
      await inTransaction(db, async (step) => {
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

type Leased = Pick<ThreadTable, 'lease_until'>;

/** @returns the end of the lease if the thread is new, for one caller only */
function open(db: Kysely<Tables>, dialect: Dialect, key: ThreadKey, leaseMs: number): Promise<Leased | undefined> {
  const fresh = { root_ts: null, is_anchored: 0, is_final: 0 };
  const times = { lease_until: dialect.after(leaseMs), opened_at: dialect.now() };
  return db
    .insertInto('thread')
    .values({ ...columnsOf(key), ...fresh, ...times })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'subject']).doNothing())
    .returning('lease_until')
    .executeTakeFirst();
}

/** @returns the end of the lease if no other process has it and the thread may still change */
function takeOver(db: Kysely<Tables>, dialect: Dialect, key: ThreadKey, leaseMs: number): Promise<Leased | undefined> {
  return db
    .updateTable('thread')
    .where((is) => is.and({ ...columnsOf(key), is_final: 0 }))
    .where('lease_until', '<=', dialect.now())
    .set({ lease_until: dialect.after(leaseMs) })
    .returning('lease_until')
    .executeTakeFirst();
}

async function read(db: Kysely<Tables>, key: ThreadKey): Promise<StoredThread> {
  const columns = columnsOf(key);
  const row = await db
    .selectFrom('thread')
    .select(['root_ts', 'is_anchored', 'is_final', 'opened_at'])
    .where((is) => is.and(columns))
    .executeTakeFirstOrThrow();
  const replies = await db
    .selectFrom('thread_reply')
    .select(['name', 'ts', 'digest'])
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
    digests: new Map(replies.map(({ name, digest }) => [name, digest])),
    files: files.map(({ file_id, ...file }) => ({ fileId: file_id, ...file })),
    isFinal: row.is_final === 1,
    openedAt: row.opened_at,
  };
}
