/** Makes the tables of an empty database with a partition for each month of executions. */
import { Kysely } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { appliedMigrations, migrate } from '../../../shared/sql/migrate.ts';
import { postgresDialect } from '../../../shared/sql/postgres.ts';
import { monthlyMigrations, serviceMigrations } from '../tables/migrations.ts';
import type { Tables } from '../tables/tables.ts';
import { isByMonth } from './months.ts';
import { checkServer } from './store.ts';

const answerTimeoutMs = 60_000;

/**
 * @param url `postgres://…`
 * @returns false if the database has these tables already
 * @throws AppError `usage` if its tables are not by month, `unavailable` if it cannot be used
 */
export async function createMonthlyTables(url: string): Promise<boolean> {
  const db = new Kysely<Tables>({ dialect: postgresDialect({ url, answerTimeoutMs, connectionsMax: 1 }) });
  try {
    await checkServer(db);
    const isEmpty = (await appliedMigrations(db, serviceMigrations)).length === 0;
    if (isEmpty) await migrate(db, monthlyMigrations);
    // Another process may have made the tables meanwhile, without months.
    if (!(await isByMonth(db))) throw notByMonth();
    return isEmpty;
  } finally {
    await db.destroy();
  }
}

function notByMonth(): AppError {
  return new AppError(
    'usage',
    'The tables of this database have no partition for each month, and that cannot be changed.',
    {
      hint: 'Run this on an empty database, then move the records with service:export and service:import.',
    },
  );
}
