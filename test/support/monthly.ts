/** Databases on PostgreSQL with a partition for each month of executions. */
import { createMonthlyTables } from '../../src/query-service/records/postgres/create.ts';
import { makePostgres } from './engines.ts';

export async function makeMonthly(): ReturnType<typeof makePostgres> {
  const made = await makePostgres();
  await createMonthlyTables(made.url);
  return made;
}
