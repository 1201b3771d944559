/** Writes of the process that holds the lease of a thread. Each fact is stored as soon as it is known. */
import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';
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
  keep(): Promise<boolean>;
  /** Ends the lease, unless another process has it. @param isFinal true if the thread is complete and never changes again */
  release(isFinal: boolean): Promise<void>;
};

export type ThreadColumns = Pick<ThreadTable, 'team_id' | 'channel_id' | 'subject'>;

/** `until`: the end by the database's clock, epoch milliseconds. */
type LeaseTimes = { readonly until: number; readonly leaseMs: number };

/** @param times of the lease that has just begun */
export function createThreadLease(
  db: Kysely<Tables>,
  dialect: Dialect,
  columns: ThreadColumns,
  times: LeaseTimes,
): ThreadLease {
  const replyKey = ['team_id', 'channel_id', 'subject', 'name'] as const;
  const fileKey = ['team_id', 'channel_id', 'subject', 'file_id'] as const;
  return {
    ...createLease(db, dialect, columns, times),
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
  dialect: Dialect,
  columns: ThreadColumns,
  times: LeaseTimes,
): Pick<ThreadLease, 'keep' | 'release'> {
  const { leaseMs } = times;
  let { until } = times;
  let renewedAt = dialect.uptime();
  let renewing: Promise<boolean> | undefined;
  const leased = () => threadOf(db, columns).where('lease_until', '=', until);
  const renew = async () => {
    try {
      const next = dialect.after(leaseMs);
      const renewed = await leased().set({ lease_until: next }).returning('lease_until').executeTakeFirst();
      if (renewed) until = renewed.lease_until;
      if (renewed) renewedAt = dialect.uptime();
      return renewed !== undefined;
    } finally {
      renewing = undefined;
    }
  };
  return {
    async keep() {
      if (dialect.uptime() - renewedAt < leaseMs / 2) return true;
      renewing ??= renew();
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
