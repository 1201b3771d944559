/** Differences between the database engines: whose clock counts, and how rows are locked. */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../shared/time/clock.ts';
import type { Tables } from './tables/tables.ts';

export type Dialect = {
  /** One moment a statement, epoch milliseconds. */
  readonly now: () => RawBuilder<number>;
  /** At the end of a query: its rows are held until the transaction ends. On SQLite nobody else writes meanwhile. */
  readonly forUpdate: RawBuilder<unknown>;
  /** Whether one statement may write to several tables: `with … as (update … returning …)`. */
  readonly hasWritableCte: boolean;
  /** The same for the rows of one table, and those that somebody else holds are left out. */
  readonly forUpdateSkipLocked: (table: keyof Tables) => RawBuilder<unknown>;
};

const nothing = sql``;

/** @param clock instead of the database's own; that of a SQLite file is this process's, because the file is on its machine */
export function dialectOf(db: Kysely<Tables>, clock?: Clock): Dialect {
  const isServer = db.getExecutor().adapter instanceof PostgresAdapter;
  const own = clock ?? (isServer ? undefined : Date.now);
  return {
    now: () =>
      own
        ? sql<number>`cast(${own()} as bigint)`
        : sql<number>`(select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint))`,
    hasWritableCte: isServer,
    forUpdate: isServer ? sql`for update` : nothing,
    forUpdateSkipLocked: (table) => (isServer ? sql`for update of ${sql.table(table)} skip locked` : nothing),
  };
}
