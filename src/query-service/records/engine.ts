/** Which of the two engines a database is, for the few statements that one of them wants told otherwise. */
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables/tables.ts';

export function isServer(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
