/** Distributes the tables of the records over the nodes of Citus, by organization. */
import { Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { postgresDialect } from '../../../shared/sql/postgres.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Tables whose rows are read by their organization, in an order in which a foreign key refers to a table that is
 * distributed already. The others stay on the coordinator: organizations and keys are looked up before each request,
 * which must not depend on every node.
 */
const distributedTables = [
  'workflow',
  'account',
  'deployment',
  'execution',
  'execution_detail',
  'execution_count',
  'organization_revision',
] as const;

/** Rows are moved while the command runs. */
const answerTimeoutMs = 24 * 3_600_000;

/**
 * Distributes the tables that are not distributed yet, all of them or none.
 * @param url `postgres://…` of the coordinator, with the tables of the records
 * @returns the names of the tables that were distributed
 * @throws AppError `unavailable` if the database lacks the extension or cannot be used
 */
export async function distributeTables(url: string): Promise<readonly string[]> {
  const db = new Kysely<Tables>({ dialect: postgresDialect({ url, answerTimeoutMs, connectionsMax: 1 }) });
  try {
    return await db.transaction().execute(async (transaction) => {
      const installed = await sql`select from pg_extension where extname = 'citus'`.execute(transaction);
      if (installed.rows.length === 0)
        throw new AppError('unavailable', 'The database has no extension citus.', {
          hint: 'Run “create extension citus” in it as an administrator, on the coordinator and on each node.',
        });
      const { rows } = await sql<{ readonly name: string }>`select logicalrelid::text as name
        from pg_dist_partition where partmethod = 'h'`.execute(transaction);
      const missing = distributedTables.filter((table) => !rows.some(({ name }) => name === table));
      for (const table of missing) {
        await sql`select create_distributed_table(${table}, 'organization_id')`.execute(transaction);
      }
      return missing;
    });
  } finally {
    await db.destroy();
  }
}
