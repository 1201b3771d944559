/** Two organizations with hand-made records: harbor, which tests ask as, and ledger, which must never be seen by it. */
import type { RecordWriter } from '../../../src/query-service/records/port.ts';
import type { DeploymentRecord, ExecutionRecord, WorkflowRecord } from '../../../src/query-service/records/record.ts';

/** The time of a test service. */
export const serviceNow = Date.parse('2026-11-20T12:00:00Z');

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

/** @param minutes before the service's now @returns epoch milliseconds */
export function minutesAgo(minutes: number): number {
  return serviceNow - minutes * minuteMs;
}

/** @returns a uuid that is the same for the same kind and number */
export function uuidOf(kind: 'workflow' | 'deployment' | 'execution', number: number): string {
  const first = { workflow: 'aaaaaaaa', deployment: 'dddddddd', execution: 'eeeeeeee' }[kind];
  return `${first}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** @returns 64 hexadecimal characters */
export function hashOf(number: number): string {
  return number.toString(16).padStart(64, 'f');
}

export const harbor = {
  organization: {
    organizationId: 'org_harbor',
    displayName: 'Harbor',
    restrictionStatus: 'FULL_ACCESS',
    activeStatus: 'ACTIVE',
    createdAt: serviceNow - 90 * dayMs,
    updatedAt: null,
    tenantId: 1,
  },
  account: {
    organizationId: 'org_harbor',
    memberId: 'member_dana',
    userId: 'user_dana',
    displayName: 'Dana',
    emailAddress: 'dana@harbor.example',
    memberStatus: 'JOINED',
    memberType: 'ADMIN',
    createdAt: serviceNow - 80 * dayMs,
    updatedAt: null,
    invitedAt: serviceNow - 81 * dayMs,
    joinedAt: serviceNow - 80 * dayMs,
  },
} as const;

export const ledger = {
  organization: { ...harbor.organization, organizationId: 'org_ledger', displayName: 'Ledger', tenantId: 2 },
} as const;

/** @param number determines the uuid and the time of registration: the higher, the newer */
export function workflowRecord(number: number, overrides: Partial<WorkflowRecord> = {}): WorkflowRecord {
  return {
    organizationId: harbor.organization.organizationId,
    uuid: uuidOf('workflow', number),
    name: `workflow-${number}`,
    workflowId: hashOf(number),
    status: 'ACTIVE',
    ownerAddress: 'ab'.repeat(20),
    registeredAt: serviceNow - 60 * dayMs + number * minuteMs,
    workflowSource: 'GIT',
    ...overrides,
  };
}

/** @param number determines the uuid; a deployment of workflow 1, an hour ago */
export function deploymentRecord(number: number, overrides: Partial<DeploymentRecord> = {}): DeploymentRecord {
  return {
    organizationId: harbor.organization.organizationId,
    uuid: uuidOf('deployment', number),
    workflowUuid: uuidOf('workflow', 1),
    workflowId: hashOf(1),
    status: 'ACTIVE',
    deployedAt: minutesAgo(60),
    txHash: `0x${hashOf(number)}`,
    errorMessage: null,
    binaryUrl: 'https://artifacts.example/binary',
    configUrl: 'https://artifacts.example/config',
    workflowSource: 'GIT',
    hasTeeExecutions: false,
    hasNonTeeExecutions: true,
    ...overrides,
  };
}

/** @param number determines uuid and id, and the start: `number` minutes ago; a success of workflow 1 */
export function executionRecord(number: number, overrides: Partial<ExecutionRecord> = {}): ExecutionRecord {
  const startedAt = overrides.startedAt ?? minutesAgo(number);
  return {
    organizationId: harbor.organization.organizationId,
    uuid: uuidOf('execution', number),
    id: hashOf(number),
    workflowUuid: uuidOf('workflow', 1),
    status: 'SUCCESS',
    classifiedStatus: 'SUCCESS',
    detailedStatus: 'COMPLETED',
    startedAt,
    finishedAt: startedAt + 2_000,
    creditMicros: 50_000,
    executedInTee: false,
    errors: null,
    logs: null,
    events: null,
    ...overrides,
  };
}

/** A failed execution with every field. */
export function failureRecord(number: number, overrides: Partial<ExecutionRecord> = {}): ExecutionRecord {
  const startedAt = overrides.startedAt ?? minutesAgo(number);
  const errors = [{ error: 'connection refused', count: 4 }];
  return executionRecord(number, {
    status: 'FAILURE',
    classifiedStatus: 'USER_ERROR',
    detailedStatus: 'FAILED',
    errors,
    logs: [
      { nodeId: 'node-1', message: 'calling the bank', timestamp: startedAt + 100 },
      { nodeId: 'node-2', message: 'calling the bank', timestamp: startedAt + 120 },
    ],
    events: [
      {
        capabilityId: 'cron@1.0.0',
        status: 'COMPLETED',
        method: 'Trigger',
        startedAt,
        finishedAt: startedAt + 50,
        errors: null,
      },
      {
        capabilityId: 'http@1.0.0',
        status: 'failure',
        method: null,
        startedAt: startedAt + 60,
        finishedAt: null,
        errors,
      },
    ],
    ...overrides,
  });
}

/**
 * harbor: workflows 1 `payments` (with a deployment that failed and one that did not, 12 executions of which 5 and 10 failed, one
 * in progress), 2 `payments-eu` (paused, one execution in a TEE), 3 `Überweisung_50%` (never run). ledger: workflow 101
 * `payments`, deployment 101, executions 101 (failed) and 102.
 */
export async function putOrganizations(writer: RecordWriter): Promise<void> {
  await writer.putOrganization(harbor.organization);
  await writer.putAccount(harbor.account);
  await writer.putWorkflows([
    workflowRecord(1, { name: 'payments' }),
    workflowRecord(2, { name: 'payments-eu', status: 'PAUSED', ownerAddress: 'cd'.repeat(20) }),
    workflowRecord(3, { name: 'Überweisung_50%' }),
  ]);
  await writer.putDeployments([
    deploymentRecord(1, { deployedAt: minutesAgo(30 * 1440) }),
    deploymentRecord(2, {
      deployedAt: minutesAgo(60),
      status: 'FAILED',
      errorMessage: 'binary not found',
      txHash: null,
    }),
    deploymentRecord(3, { deployedAt: minutesAgo(8) }),
    deploymentRecord(4, { workflowUuid: uuidOf('workflow', 2), workflowId: hashOf(2) }),
  ]);
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  await writer.putExecutions([
    ...numbers.map((number) => (number % 5 === 0 ? failureRecord(number) : executionRecord(number))),
    executionRecord(13, {
      startedAt: minutesAgo(0),
      status: 'IN_PROGRESS',
      classifiedStatus: null,
      detailedStatus: null,
      finishedAt: null,
      creditMicros: null,
      executedInTee: null,
    }),
    executionRecord(14, { workflowUuid: uuidOf('workflow', 2), startedAt: minutesAgo(2 * 1440), executedInTee: true }),
  ]);
  await putLedger(writer);
}

async function putLedger(writer: RecordWriter): Promise<void> {
  const { organizationId } = ledger.organization;
  const workflowUuid = uuidOf('workflow', 101);
  await writer.putOrganization(ledger.organization);
  await writer.putWorkflows([workflowRecord(101, { organizationId, name: 'payments' })]);
  await writer.putDeployments([deploymentRecord(101, { organizationId, workflowUuid, workflowId: hashOf(101) })]);
  await writer.putExecutions([
    failureRecord(101, { organizationId, workflowUuid }),
    executionRecord(102, { organizationId, workflowUuid }),
  ]);
}
