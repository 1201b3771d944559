/** Whether the database answers, and has every table: what readiness asks. */
import type { Kysely } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { doneSteps } from '../../sql/migrate.ts';
import { createKeyRecords } from './keys.ts';
import { recordSteps } from './migrations.ts';
import type { Tables } from './tables.ts';

/** @returns rejects where it does not @param db with the tables of migrations.ts */
export function createCheck(db: Kysely<Tables>): () => Promise<void> {
  const keys = createKeyRecords(db);
  return async () => {
    // A newer version may have done more: those who serve beside it while it is brought in go on.
    const done = new Set(await doneSteps(db, recordSteps));
    if (Object.keys(recordSteps.migrations).some((name) => !done.has(name)))
      throw new AppError('unavailable', 'The database lacks tables of this version.');
    await keys.key('');
  };
}
