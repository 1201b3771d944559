/** Service data for views, each piece complete and overridable. */
import type { Window } from '../../../src/bot/domain/window.ts';
import type {
  DeploymentFieldsFragment,
  ExecutionFieldsFragment,
  WorkflowFieldsFragment,
} from '../../../src/bot/query/generated/operations.ts';
import type { CountedDeployment } from '../../../src/bot/query/results.ts';

export const now = Date.parse('2026-11-21T10:00:00Z');
export const minuteMs = 60_000;

export const lastDayWindow: Window = { from: now - 1440 * minuteMs, to: now, label: '24h', isMoving: true };

/** @param minutes before now */
export function ago(minutes: number): string {
  return new Date(now - minutes * minuteMs).toISOString();
}

export function aWorkflow(overrides: Partial<WorkflowFieldsFragment> = {}): WorkflowFieldsFragment {
  return {
    uuid: '0b6f6a1e-5b7c-4d1e-9a6f-3c2b1a0d9e8f',
    name: 'payments',
    workflowId: 'a'.repeat(64),
    status: 'ACTIVE',
    registeredAt: ago(60 * 24 * 30),
    executedAt: ago(2),
    executionCountByStatus: { success: 8640, failure: 31 },
    ...overrides,
  };
}

export function anExecution(overrides: Partial<ExecutionFieldsFragment> = {}): ExecutionFieldsFragment {
  return {
    uuid: 'e0000000-0000-4000-8000-000000000001',
    id: 'b'.repeat(64),
    workflowName: 'payments',
    status: 'FAILURE',
    classifiedStatus: 'USER_ERROR',
    detailedStatus: null,
    startedAt: ago(2),
    finishedAt: ago(1),
    errors: [{ error: 'connection refused', count: 9 }],
    ...overrides,
  };
}

export function aCountedDeployment(overrides: Partial<CountedDeployment> = {}): CountedDeployment {
  return {
    ...aDeployment(),
    txHash: `0x${'5209aa4a'.repeat(8)}`,
    binaryURL: 'https://artifacts.example/main.wasm',
    configURL: 'https://artifacts.example/config.json',
    executionCountByStatus: { success: 94, failure: 2 },
    ...overrides,
  };
}

export function aDeployment(overrides: Partial<DeploymentFieldsFragment> = {}): DeploymentFieldsFragment {
  return {
    uuid: 'd0000000-0000-4000-8000-000000000001',
    status: 'ACTIVE',
    deployedAt: ago(40),
    errorMessage: null,
    ...overrides,
  };
}
