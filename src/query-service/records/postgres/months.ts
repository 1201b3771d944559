/** Months of executions in PostgreSQL: each is a partition, made before its first row. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { sqlStateOf } from '../../../shared/sql/sql-state.ts';
import type { Tables } from '../tables/tables.ts';

/** Tables with a partition for each month; a view `<table>_newest` shows the newest month that has rows. */
export const monthlyTables = ['execution', 'execution_detail'] as const;

export type Months = {
  /** Makes the months of these starts of executions if they are missing. Waits for one that is being dropped. */
  readonly make: (starts: readonly number[]) => Promise<void>;
  /** Makes the month of an instant and the next one. */
  readonly makeAhead: (now: number) => Promise<void>;
  /** Looks at the database again: another process dropped a month. */
  readonly lookAgain: () => void;
};

/** Class of the advisory locks for changes of months. */
export const monthLockClass = 724_500_913;
const makeLock = 1;

/** A list waits for a view that is being replaced, so a replacement that waits for a read gives up soon. */
const lockTimeoutMs = 500;
const retryMs = 200;
const triesMax = 1_000;

/** @returns null for tables without months */
export async function openMonths(db: Kysely<Tables>): Promise<Months | null> {
  return (await isByMonth(db)) ? createMonths(db) : null;
}

/** @returns true if executions have a partition for each month */
export async function isByMonth(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ readonly kind: string }>`select relkind as kind from pg_class
    where oid = to_regclass('execution')`.execute(db);
  return rows[0]?.kind === 'p';
}

function createMonths(db: Kysely<Tables>): Months {
  const known = new Set<number>();
  let newest = Number.NEGATIVE_INFINITY;
  const make = async (months: readonly number[], hasRows: boolean) => {
    const last = hasRows ? Math.max(...months) : Number.NEGATIVE_INFINITY;
    if (last <= newest && months.every((month) => known.has(month))) return;
    await untilFree(() => db.transaction().execute((transaction) => makeMonths(transaction, months, last)));
    for (const month of months) known.add(month);
    newest = Math.max(newest, last);
  };
  return {
    make: (starts) => (starts.length === 0 ? Promise.resolve() : make([...new Set(starts.map(startOfMonth))], true)),
    makeAhead: (now) => make([startOfMonth(now), monthAfter(startOfMonth(now))], false),
    lookAgain: () => known.clear(),
  };
}

async function makeMonths(transaction: Transaction<Tables>, months: readonly number[], last: number): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${sql.lit(monthLockClass)}, ${sql.lit(makeLock)})`.execute(transaction);
  const made = await findMonths(transaction);
  for (const month of months) {
    for (const table of monthlyTables) await makeMonth(transaction, made, nameOfMonth(table, month), table, month);
  }
  const newest = await newestMonth(transaction);
  if (last !== Number.NEGATIVE_INFINITY && (newest === null || nameOfMonth('execution', last) > newest)) {
    for (const table of monthlyTables) {
      const [view, name] = [`${table}_newest`, nameOfMonth(table, last)];
      await sql`create or replace view ${sql.table(view)} as select * from ${sql.table(name)}`.execute(transaction);
    }
  }
}

/** Attaching locks out no reader and no writer, unlike `partition of`. */
async function makeMonth(
  transaction: Transaction<Tables>,
  made: readonly Month[],
  name: string,
  table: string,
  month: number,
): Promise<void> {
  const existing = made.find((one) => one.name === name);
  if (existing?.state === 'attached') return;
  if (existing?.state === 'detaching') throw new BusyMonth();
  const [child, parent] = [sql.table(name), sql.table(table)];
  if (existing) {
    await sql`alter table ${child} rename to ${sql.id(`${name}_${existing.oid}`)}`.execute(transaction);
  }
  await sql`create table ${child} (like ${parent} including all)`.execute(transaction);
  await sql`alter table ${parent} attach partition ${child}
    for values from (${sql.lit(month)}) to (${sql.lit(monthAfter(month))})`.execute(transaction);
}

/** A month is being dropped: its partition is gone for new statements, and older ones may still read it. */
class BusyMonth extends Error {}

const lockNotAvailable = '55P03';

async function untilFree(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof BusyMonth) && sqlStateOf(error) !== lockNotAvailable) throw error;
      const options = { cause: error, isRetryable: true };
      if (tries === triesMax)
        throw new AppError('unavailable', 'The partition of a month is still being deleted.', options);
      await wait(retryMs);
    }
  }
}

export type Month = {
  /** Such as `execution_2026_11`, with a number behind it if a newer table has the name. */
  readonly name: string;
  readonly table: (typeof monthlyTables)[number];
  readonly oid: number;
  readonly month: number;
  /** `detaching` began and was not finished; a `detached` table is one to drop. */
  readonly state: 'attached' | 'detaching' | 'detached';
};

/** @returns the table of every month, the oldest first */
export async function findMonths(db: Kysely<Tables>): Promise<readonly Month[]> {
  const { rows } = await sql<Pick<Month, 'name' | 'oid' | 'state'>>`
    select relname as name, cast(c.oid as bigint) as oid,
      case when inhrelid is null then 'detached' when inhdetachpending then 'detaching' else 'attached' end as state
    from pg_class as c left join pg_inherits on inhrelid = c.oid
    where relnamespace = (select relnamespace from pg_class where oid = to_regclass('execution'))
      and relkind = 'r' and relname ~ '^execution(_detail)?_[0-9]{4}_[0-9]{2}(_[0-9]+)?$'
    order by relname`.execute(db);
  return rows.map((row) => {
    const [, detail, year, month] = /^execution(_detail)?_(\d{4})_(\d{2})/.exec(row.name) ?? [];
    const start = Date.parse(`${year}-${month}-01T00:00:00Z`);
    return { ...row, table: detail === undefined ? 'execution' : 'execution_detail', month: start };
  });
}

/** @returns the table of the newest month that has rows; null before the first row */
export async function newestMonth(db: Kysely<Tables>): Promise<string | null> {
  const { rows } = await sql<{ readonly name: string | null }>`
    select substring(pg_get_viewdef(to_regclass('execution_newest')) from 'FROM (?:\\w+\\.)?(execution_[0-9]{4}_[0-9]{2})') as name`.execute(
    db,
  );
  return rows[0]?.name ?? null;
}

/** @param instant of the years 0 to 9999 @returns the start of its month in UTC */
export function startOfMonth(instant: number): number {
  const date = new Date(instant);
  date.setUTCDate(1);
  return date.setUTCHours(0, 0, 0, 0);
}

export function monthAfter(month: number): number {
  const date = new Date(month);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

function nameOfMonth(table: string, month: number): string {
  return `${table}_${new Date(month).toISOString().slice(0, 7).replace('-', '_')}`;
}
