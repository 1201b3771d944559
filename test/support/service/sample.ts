/** The sample's records, gathered by workflow name for tests that count them. */

import type { ExecutionRecord } from '../../../src/query-service/records/record.ts';
import { momentsOf } from '../../../src/query-service/sample/moments.ts';
import { historyOf, sampleRecords, type TenantRecords } from '../../../src/query-service/sample/sample.ts';

/** Gathers one organization; executions are made when they are first asked for, newest first within a workflow. */
export function gather(tenant: TenantRecords) {
  let executions: readonly ExecutionRecord[] | undefined;
  const runs = new Map<string, readonly ExecutionRecord[]>();
  const workflowOf = (name: string) => {
    const workflow = tenant.workflows.find((candidate) => candidate.name === name);
    if (!workflow) throw new Error(`the sample has no workflow ${name}`);
    return workflow;
  };
  return {
    ...tenant,
    get executions() {
      if (executions === undefined) {
        executions = [...tenant.executions()];
        for (const [uuid, own] of Map.groupBy(executions, ({ workflowUuid }) => workflowUuid)) runs.set(uuid, own);
      }
      return executions;
    },
    workflowOf,
    /** Makes those of this workflow alone. */
    runsOf: (name: string): readonly ExecutionRecord[] => {
      const { uuid } = workflowOf(name);
      const own = runs.get(uuid) ?? [
        ...historyOf(tenant.schedules.filter(({ workflowUuid }) => workflowUuid === uuid)),
      ];
      runs.set(uuid, own);
      return own;
    },
    deploymentsOf: (name: string) =>
      tenant.deployments.filter(({ workflowUuid }) => workflowUuid === workflowOf(name).uuid),
  };
}

/** @param now such as `2026-11-20T10:00:00Z` */
export function sampleAt(now: string) {
  const builtAt = Date.parse(now);
  const { sample, second, gated } = sampleRecords({ seed: 'harbor', builtAt });
  return { builtAt, moments: momentsOf(builtAt), sample: gather(sample), second: gather(second), gated: gather(gated) };
}

export function failuresOf(runs: readonly ExecutionRecord[]): readonly ExecutionRecord[] {
  return runs.filter(({ status }) => status === 'FAILURE');
}

/** An error without the parts that differ from run to run. */
export function causeOf({ errors }: ExecutionRecord): string {
  return (errors ?? []).map(({ error }) => error.replace(/(0x)?[0-9a-f]{8,}|\d+/g, '#')).join(' | ');
}
