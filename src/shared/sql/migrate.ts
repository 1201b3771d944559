/** Migrates tables step by step, in a transaction that only one process at a time can run. */
import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import { AppError } from '../errors.ts';

export type MigrationSet = {
  /** Name of the table that lists applied migrations. Programs that share a database have one each. */
  readonly table: string;
  /** Migrations by name; they run in the order of their names. */
  readonly migrations: Readonly<Record<string, Migration>>;
};

/** An arbitrary number for the advisory lock. */
const lockId = 724_500_911;

/** @param upTo the last migration to apply; all if left out @throws AppError `unavailable` for tables of a newer version */
export async function migrate<Tables>(db: Kysely<Tables>, steps: MigrationSet, upTo?: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lock(transaction);
    await transaction.schema
      .createTable(steps.table)
      .ifNotExists()
      .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
      .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
      .execute();
    for (const name of (await missingMigrations(transaction, steps)).filter(
      (step) => upTo === undefined || step <= upTo,
    )) {
      await steps.migrations[name]?.up(transaction);
      const values = sql.join([name, new Date().toISOString()]);
      await sql`insert into ${sql.table(steps.table)} (name, timestamp) values (${values})`.execute(transaction);
    }
  });
}

/** @returns the migrations that are not applied yet @throws AppError `unavailable` for tables of a newer version */
export async function missingMigrations<Tables>(db: Kysely<Tables>, steps: MigrationSet): Promise<readonly string[]> {
  const known = Object.keys(steps.migrations).sort();
  const done = await appliedMigrations(db, steps);
  if (done.some((name) => !known.includes(name))) {
    const hint = 'Start the version that was used last, or a newer one.';
    throw new AppError('unavailable', 'The database was made by a newer version of this program.', { hint });
  }
  return known.filter((name) => !done.includes(name));
}

/** @returns the migrations that any version applied; none if the table does not exist */
export async function appliedMigrations<Tables>(
  db: Kysely<Tables>,
  { table }: MigrationSet,
): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === table)) return [];
  const { rows } = await sql<{ readonly name: string }>`select name from ${sql.table(table)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** SQLite needs no lock, because it has one writing transaction at a time. */
async function lock<Tables>(transaction: Transaction<Tables>): Promise<void> {
  if (!(transaction.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction);
}
