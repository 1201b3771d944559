/** Exports records as lines of JSON. Importing an export again changes nothing. */

import type {
  AccountRecord,
  DeploymentRecord,
  EventRecord,
  ExecutionRecord,
  LogRecord,
  OrganizationRecord,
  TypedRecord,
  WorkflowRecord,
} from '../records/record.ts';
import type { RecordStore } from '../records/store.ts';
import { printCredits, printInstant } from '../scalar-text.ts';

/** @param organizationId null for every organization @returns the lines, some at a time */
export async function* exportLines(
  { dump }: Pick<RecordStore, 'dump'>,
  organizationId: string | null,
): AsyncGenerator<string> {
  for await (const batch of dump(organizationId)) yield batch.map(printLine).join('');
}

/** @returns the line with its line break */
export function printLine(typed: TypedRecord): string {
  // JSON does not escape these two characters, which some readers take for line breaks.
  const line = JSON.stringify({ type: typed.type, ...fieldsOf(typed) })
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `${line}\n`;
}

function fieldsOf(typed: TypedRecord): object {
  switch (typed.type) {
    case 'organization':
      return organizationFields(typed.record);
    case 'account':
      return accountFields(typed.record);
    case 'workflow':
      return workflowFields(typed.record);
    case 'deployment':
      return deploymentFields(typed.record);
    case 'execution':
      return executionFields(typed.record);
  }
}

function organizationFields(record: OrganizationRecord) {
  const { createdAt, updatedAt } = record;
  return { ...record, createdAt: printInstant(createdAt), updatedAt: printInstantOrNull(updatedAt) };
}

function accountFields(record: AccountRecord) {
  return {
    ...record,
    createdAt: printInstant(record.createdAt),
    updatedAt: printInstantOrNull(record.updatedAt),
    invitedAt: printInstantOrNull(record.invitedAt),
    joinedAt: printInstantOrNull(record.joinedAt),
  };
}

function workflowFields(record: WorkflowRecord) {
  return { ...record, registeredAt: printInstant(record.registeredAt) };
}

function deploymentFields(record: DeploymentRecord) {
  return {
    organizationId: record.organizationId,
    uuid: record.uuid,
    workflowUUID: record.workflowUuid,
    workflowID: record.workflowId,
    status: record.status,
    deployedAt: printInstant(record.deployedAt),
    txHash: record.txHash,
    errorMessage: record.errorMessage,
    binaryURL: record.binaryUrl,
    configURL: record.configUrl,
    workflowSource: record.workflowSource,
    hasTeeExecutions: record.hasTeeExecutions,
    hasNonTeeExecutions: record.hasNonTeeExecutions,
  };
}

function executionFields(record: ExecutionRecord) {
  return {
    organizationId: record.organizationId,
    uuid: record.uuid,
    id: record.id,
    workflowUUID: record.workflowUuid,
    status: record.status,
    classifiedStatus: record.classifiedStatus,
    detailedStatus: record.detailedStatus,
    startedAt: printInstant(record.startedAt),
    finishedAt: printInstantOrNull(record.finishedAt),
    creditUsed: record.creditMicros === null ? null : printCredits(record.creditMicros),
    executedInTee: record.executedInTee,
    errors: record.errors,
    logs: record.logs?.map(logFields) ?? null,
    events: record.events?.map(eventFields) ?? null,
  };
}

function logFields({ nodeId, message, timestamp }: LogRecord) {
  return { nodeID: nodeId, message, timestamp: printInstant(timestamp) };
}

function eventFields(record: EventRecord) {
  return {
    capabilityID: record.capabilityId,
    status: record.status,
    method: record.method,
    startedAt: printInstant(record.startedAt),
    finishedAt: printInstantOrNull(record.finishedAt),
    errors: record.errors,
  };
}

function printInstantOrNull(instant: number | null): string | null {
  return instant === null ? null : printInstant(instant);
}
