/** The readiness check: the database answers, has every table and takes writes. */
import type { Kysely } from 'kysely';
import { AppError } from '../../shared/errors.ts';
import { appliedMigrations } from '../../shared/sql/migrate.ts';
import { serviceMigrations } from './tables/migrations.ts';
import type { Tables } from './tables/tables.ts';

/**
 * @param db with the tables of migrations.ts
 * @param probe rejects if the database takes no writes
 * @returns a check that rejects if the database is not usable
 */
export function createCheck(db: Kysely<Tables>, probe: (table: string) => Promise<void>): () => Promise<void> {
  return async () => {
    // A newer version may have applied more: older instances keep serving during a rolling update.
    const done = new Set(await appliedMigrations(db, serviceMigrations));
    if (Object.keys(serviceMigrations.migrations).some((name) => !done.has(name)))
      throw new AppError('unavailable', 'The tables of the database are missing, or older than this program.');
    await db.selectFrom('api_key').select('id').limit(1).execute();
    await probe(serviceMigrations.table);
  };
}
