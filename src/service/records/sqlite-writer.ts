/** Writes records into SQLite: prepared statements and one transaction a batch, the roll-up in the same transaction. */
import type { DatabaseSync } from 'node:sqlite';
import { fold } from './fold.ts';
import type { RecordWriter } from './port.ts';
import type { DeploymentRecord, WorkflowRecord } from './record.ts';
import { createExecutionWriter } from './sqlite-executions.ts';
import { createTransaction, upsert } from './sqlite-statements.ts';

/** What one organization owns, children first. */
const ownedTables = [
  'execution_detail',
  'execution_count',
  'execution',
  'deployment',
  'workflow',
  'account',
  'organization',
] as const;

/**
 * @param database an open database with the tables of migrations.ts; a call holds it from begin to commit without awaiting, so
 *   that nothing else on the connection sees half a batch
 */
export function createSqliteWriter(database: DatabaseSync): RecordWriter {
  const inTransaction = createTransaction(database);
  const executions = createExecutionWriter(database);
  return {
    ...people(database),
    async putWorkflows(records) {
      inTransaction(() => putWorkflows(database, records));
    },
    async putDeployments(records) {
      inTransaction(() => putDeployments(database, records));
    },
    async putExecutions(records) {
      inTransaction(() => executions.put(records));
    },
    async clearOrganization(organizationId) {
      inTransaction(() => {
        for (const table of ownedTables) {
          database.prepare(`delete from ${table} where organization_id = ?`).run(organizationId);
        }
      });
    },
  };
}

function people(database: DatabaseSync): Pick<RecordWriter, 'putOrganization' | 'putAccount'> {
  return {
    async putOrganization(record) {
      upsert(database, 'organization', ['organization_id'], {
        organization_id: record.organizationId,
        display_name: record.displayName,
        restriction_status: record.restrictionStatus,
        active_status: record.activeStatus,
        created_at: record.createdAt,
        updated_at: record.updatedAt,
        tenant_id: record.tenantId,
      });
    },
    async putAccount(record) {
      upsert(database, 'account', ['organization_id', 'member_id'], {
        organization_id: record.organizationId,
        member_id: record.memberId,
        user_id: record.userId,
        display_name: record.displayName,
        email_address: record.emailAddress,
        member_status: record.memberStatus,
        member_type: record.memberType,
        created_at: record.createdAt,
        updated_at: record.updatedAt,
        invited_at: record.invitedAt,
        joined_at: record.joinedAt,
      });
    },
  };
}

function putWorkflows(database: DatabaseSync, records: readonly WorkflowRecord[]): void {
  for (const record of records) {
    upsert(database, 'workflow', ['organization_id', 'uuid'], {
      organization_id: record.organizationId,
      uuid: record.uuid,
      name: record.name,
      folded_name: fold(record.name),
      workflow_id: record.workflowId,
      status: record.status,
      owner_address: record.ownerAddress,
      registered_at: record.registeredAt,
      workflow_source: record.workflowSource,
    });
  }
}

function putDeployments(database: DatabaseSync, records: readonly DeploymentRecord[]): void {
  for (const record of records) {
    upsert(database, 'deployment', ['organization_id', 'uuid'], {
      organization_id: record.organizationId,
      uuid: record.uuid,
      workflow_uuid: record.workflowUuid,
      workflow_id: record.workflowId,
      status: record.status,
      deployed_at: record.deployedAt,
      tx_hash: record.txHash,
      error_message: record.errorMessage,
      binary_url: record.binaryUrl,
      config_url: record.configUrl,
      workflow_source: record.workflowSource,
      has_tee_executions: record.hasTeeExecutions ? 1 : 0,
      has_non_tee_executions: record.hasNonTeeExecutions ? 1 : 0,
    });
  }
}
