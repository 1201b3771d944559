/** Writes of the process that holds the lease of a thread. Each fact is stored as soon as it is known. */
import type { Kysely } from 'kysely';
import type { Tables, ThreadTable } from '../tables/tables.ts';

export type ThreadFile = {
  /** Slack's id. */
  readonly fileId: string;
  /** The name of the reply under which it belongs. */
  readonly reply: string;
  /** Name of the file. */
  readonly name: string;
  /** Hash of its content; null until the file is known to be shared. */
  readonly digest: string | null;
};

export type ThreadLease = {
  /** @param isAnchored true if the root is an earlier message */
  saveRoot(ts: string, isAnchored: boolean): Promise<void>;
  /** @param digest hash of the message */
  saveReply(name: string, ts: string, digest: string): Promise<void>;
  /** Updates a known file. */
  saveFile(file: ThreadFile): Promise<void>;
  forgetFile(fileId: string): Promise<void>;
  /** Extends the lease once half of its time has passed. @returns false if another process has it */
  keep(now: number): Promise<boolean>;
  /** Ends the lease, unless another process has it. @param isFinal true if the thread is complete and never changes again */
  release(isFinal: boolean): Promise<void>;
};

export type ThreadColumns = Pick<ThreadTable, 'team_id' | 'channel_id' | 'subject'>;

/** @param lease its start, epoch milliseconds, and its length */
export function createThreadLease(
  db: Kysely<Tables>,
  columns: ThreadColumns,
  lease: { readonly now: number; readonly leaseMs: number },
): ThreadLease {
  const replyKey = ['team_id', 'channel_id', 'subject', 'name'] as const;
  const fileKey = ['team_id', 'channel_id', 'subject', 'file_id'] as const;
  return {
    ...createLease(db, columns, lease),
    async saveRoot(ts, isAnchored) {
      const root = { root_ts: ts, is_anchored: Number(isAnchored) };
      await threadOf(db, columns).set(root).execute();
    },
    async saveReply(name, ts, digest) {
      const insert = db.insertInto('thread_reply').values({ ...columns, name, ts, digest });
      await insert.onConflict((conflict) => conflict.columns(replyKey).doUpdateSet({ ts, digest })).execute();
    },
    async saveFile({ fileId, ...file }) {
      const insert = db.insertInto('thread_file').values({ ...columns, file_id: fileId, ...file });
      await insert.onConflict((conflict) => conflict.columns(fileKey).doUpdateSet(file)).execute();
    },
    async forgetFile(fileId) {
      const file = { ...columns, file_id: fileId };
      await db
        .deleteFrom('thread_file')
        .where((is) => is.and(file))
        .execute();
    },
  };
}

/** The end of a lease identifies it: the next lease begins after this end. */
function createLease(
  db: Kysely<Tables>,
  columns: ThreadColumns,
  { now: claimedAt, leaseMs }: { readonly now: number; readonly leaseMs: number },
): Pick<ThreadLease, 'keep' | 'release'> {
  let until = claimedAt + leaseMs;
  let renewing: Promise<boolean> | undefined;
  const leased = () => threadOf(db, columns).where('lease_until', '=', until);
  const renew = async (next: number) => {
    try {
      const { numUpdatedRows } = await leased().set({ lease_until: next }).executeTakeFirst();
      if (numUpdatedRows === 1n) until = next;
      return numUpdatedRows === 1n;
    } finally {
      renewing = undefined;
    }
  };
  return {
    async keep(now) {
      if (until - now > leaseMs / 2) return true;
      renewing ??= renew(now + leaseMs);
      return renewing;
    },
    async release(isFinal) {
      await renewing;
      await leased()
        .set({ is_final: Number(isFinal), lease_until: 0 })
        .execute();
    },
  };
}

function threadOf(db: Kysely<Tables>, columns: ThreadColumns) {
  return db.updateTable('thread').where((is) => is.and(columns));
}
