/** Writes records into SQLite: prepared statements and one transaction a batch, the roll-up in the same transaction. */
import type { DatabaseSync } from 'node:sqlite';
import type { RecordWriter } from '../port.ts';
import { accountRow, deploymentRow, type OwnedTable, organizationRow, ownedKeys, workflowRow } from '../tables/rows.ts';
import { createExecutionWriter } from './sqlite-executions.ts';
import { createTransaction, upsert } from './sqlite-statements.ts';

/**
 * @param database an open database with the tables of migrations.ts; a call holds it from begin to commit without awaiting, so
 *   that nothing else on the connection sees half a batch
 */
export function createSqliteWriter(database: DatabaseSync): RecordWriter {
  const inTransaction = createTransaction(database);
  const executions = createExecutionWriter(database);
  return {
    async putOrganization(record) {
      upsert(database, 'organization', ownedKeys.organization, organizationRow(record));
    },
    async putAccount(record) {
      upsert(database, 'account', ownedKeys.account, accountRow(record));
    },
    async putWorkflows(records) {
      inTransaction(() => {
        for (const record of records) upsert(database, 'workflow', ownedKeys.workflow, workflowRow(record));
      });
    },
    async putDeployments(records) {
      inTransaction(() => {
        for (const record of records) upsert(database, 'deployment', ownedKeys.deployment, deploymentRow(record));
      });
    },
    async putExecutions(records) {
      inTransaction(() => executions.put(records));
    },
    async clearOrganization(organizationId) {
      inTransaction(() => {
        for (const table of Object.keys(ownedKeys) as OwnedTable[]) {
          database.prepare(`delete from ${table} where organization_id = ?`).run(organizationId);
        }
      });
    },
    async forgetExecutions(startedBefore, limit) {
      for (const row of database.prepare('select distinct organization_id as id from workflow').all()) {
        const count = inTransaction(() => executions.forget(String(row['id']), startedBefore, limit));
        if (count > 0) return count;
      }
      return 0;
    },
  };
}
