/** Writes records into PostgreSQL: whole batches as one statement a table, the roll-up in the same transaction. */
import { type Kysely, sql } from 'kysely';
import type { RecordWriter } from '../port.ts';
import { accountRow, deploymentRow, organizationRow, ownedKeys, workflowRow } from '../tables/rows.ts';
import type { Tables } from '../tables/tables.ts';
import { forgetExecutions, putExecutions } from './postgres-executions.ts';
import { alone, upsert } from './postgres-statements.ts';

/** @param db an open database with the tables of migrations.ts */
export function createPostgresWriter(db: Kysely<Tables>): RecordWriter {
  return {
    putOrganization: (record) => upsert(db, 'organization', [organizationRow(record)]),
    putAccount: (record) => upsert(db, 'account', [accountRow(record)]),
    putWorkflows: (records) =>
      alone(db, owners(records), (transaction) => upsert(transaction, 'workflow', records.map(workflowRow))),
    putDeployments: (records) =>
      alone(db, owners(records), (transaction) => upsert(transaction, 'deployment', records.map(deploymentRow))),
    putExecutions: (records) => alone(db, owners(records), (transaction) => putExecutions(transaction, records)),
    clearOrganization: (organizationId) =>
      alone(db, [organizationId], async (transaction) => {
        for (const table of Object.keys(ownedKeys)) {
          await sql`delete from ${sql.table(table)} where organization_id = ${organizationId}`.execute(transaction);
        }
      }),
    async forgetExecutions(startedBefore, limit) {
      const owned = await db.selectFrom('workflow').select('organization_id').distinct().execute();
      for (const { organization_id: id } of owned) {
        const count = await alone(db, [id], (transaction) =>
          forgetExecutions(transaction, id, { startedBefore, limit }),
        );
        if (count > 0) return count;
      }
      return 0;
    },
  };
}

function owners(records: readonly { readonly organizationId: string }[]): readonly string[] {
  return records.map(({ organizationId }) => organizationId);
}
