/** Converts records to rows of their tables, the same on both engines. */
import type {
  AccountRecord,
  DeploymentRecord,
  ExecutionRecord,
  OrganizationRecord,
  WorkflowRecord,
} from '../record.ts';
import { storedEvents, storedLogs } from './details.ts';
import type { Tables } from './tables.ts';

/** Keys of the tables with rows of an organization; children come first, which is the order of deletion. */
export const ownedKeys = {
  execution_detail: ['organization_id', 'uuid'],
  execution_count: ['organization_id', 'workflow_uuid', 'period_ms', 'period_start', 'status'],
  execution: ['organization_id', 'uuid'],
  deployment: ['organization_id', 'uuid'],
  workflow: ['organization_id', 'uuid'],
  account: ['organization_id', 'member_id'],
  organization: ['organization_id'],
} as const satisfies { readonly [Name in keyof Tables]?: readonly (keyof Tables[Name])[] };

export type OwnedTable = keyof typeof ownedKeys;

export function organizationRow(record: OrganizationRecord): Tables['organization'] {
  return {
    organization_id: record.organizationId,
    display_name: record.displayName,
    restriction_status: record.restrictionStatus,
    active_status: record.activeStatus,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    tenant_id: record.tenantId,
  };
}

export function accountRow(record: AccountRecord): Tables['account'] {
  return {
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
  };
}

export function workflowRow(record: WorkflowRecord): Tables['workflow'] {
  return {
    organization_id: record.organizationId,
    uuid: record.uuid,
    name: record.name,
    folded_name: foldName(record.name),
    workflow_id: record.workflowId,
    status: record.status,
    owner_address: record.ownerAddress,
    registered_at: record.registeredAt,
    workflow_source: record.workflowSource,
  };
}

export function deploymentRow(record: DeploymentRecord): Tables['deployment'] {
  return {
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
  };
}

export function executionRow(record: ExecutionRecord): Tables['execution'] {
  return {
    organization_id: record.organizationId,
    uuid: record.uuid,
    id: record.id.toLowerCase(),
    workflow_uuid: record.workflowUuid,
    status: record.status,
    classified_status: record.classifiedStatus,
    detailed_status: record.detailedStatus,
    started_at: record.startedAt,
    finished_at: record.finishedAt,
    credit_micros: record.creditMicros,
    executed_in_tee: record.executedInTee === null ? null : Number(record.executedInTee),
    errors: record.errors && JSON.stringify(record.errors.map(({ error, count }) => ({ error, count }))),
  };
}

/** @returns null for an execution without logs and events */
export function detailRow(record: ExecutionRecord): Tables['execution_detail'] | null {
  const { organizationId, uuid, logs, events } = record;
  if (logs === null && events === null) return null;
  return { organization_id: organizationId, uuid, logs: storedLogs(logs), events: storedEvents(events) };
}

/** @returns the text in composed form and lower case, for every alphabet */
export function foldName(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
