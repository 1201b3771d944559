/** Differences between SQLite and PostgreSQL: the clock, and row locks. Also transactions on both. */
import { type Kysely, PostgresAdapter, type RawBuilder, sql, Transaction } from 'kysely';
import { retryConflicts } from '../../shared/sql/postgres.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Tables } from './tables.ts';

export type Dialect = {
  /** Time of the statement in epoch milliseconds. */
  readonly now: () => RawBuilder<number>;
  /** @returns the time of the statement and this long, epoch milliseconds */
  readonly after: (ms: number) => RawBuilder<number>;
  /** Ends a query: locks its rows until the transaction ends. Empty on SQLite, which has one writer. */
  readonly forUpdate: RawBuilder<unknown>;
  /** Locks the rows of one table, without those that another transaction has locked. */
  readonly forUpdateSkipLocked: (table: keyof Tables) => RawBuilder<unknown>;
};

const nothing = sql``;

/** @param clock replaces the database's clock. SQLite uses this process's clock, because the file is on the same machine. */
export function dialectOf(db: Kysely<Tables>, clock?: Clock): Dialect {
  const isServer = db.getExecutor().adapter instanceof PostgresAdapter;
  const own = clock ?? (isServer ? undefined : Date.now);
  const now = () =>
    own
      ? sql<number>`cast(${own()} as bigint)`
      : sql<number>`(select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint))`;
  return {
    now,
    after: (ms) => sql<number>`(${now()} + cast(${Math.ceil(ms)} as bigint))`,
    forUpdate: isServer ? sql`for update` : nothing,
    forUpdateSkipLocked: (table) => (isServer ? sql`for update of ${sql.table(table)} skip locked` : nothing),
  };
}

/** Runs the work in a transaction: in that of `db` if it is one. */
export function inTransaction<Result>(
  db: Kysely<Tables>,
  work: (step: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db instanceof Transaction ? work(db) : retryConflicts(() => db.transaction().execute(work));
}

type Changes = {
  readonly numInsertedOrUpdatedRows?: bigint | undefined;
  readonly numUpdatedRows?: bigint;
  readonly numDeletedRows?: bigint;
};

/** @param statement inserts, updates or deletes @returns true if it changed one row */
export async function changesOne(statement: { readonly executeTakeFirst: () => Promise<Changes> }): Promise<boolean> {
  const { numInsertedOrUpdatedRows, numUpdatedRows, numDeletedRows } = await statement.executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? numUpdatedRows ?? numDeletedRows) === 1n;
}
