/** The workflows that failed in a window: how each is doing now, and which of its causes are new. */
import { combinedProvenance } from '../domain/provenance.ts';
import { causeOf, readCauses } from '../insight/causes/cause.ts';
import type { Recurrence } from '../insight/causes/recurrence.ts';
import type { Health } from '../insight/health/health.ts';
import { nullOnFailure } from '../query/null-on-failure.ts';
import type { EarlierRuns } from '../query/operations/earlier-failures.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Answered, Workflow } from '../query/results.ts';
import { queryHealth } from './workflow-health.ts';

/** Of more workflows it is not known. */
export const failedWorkflowsMax = 20;

export type FailedWorkflow = {
  readonly workflow: Workflow;
  /** Start of the window, or of the first of its failures if that was earlier; epoch milliseconds. */
  readonly from: number;
};

export type FailedWorkflows = {
  /** By uuid. */
  readonly healths: ReadonlyMap<string, Health>;
  readonly recurrenceIn: (uuid: string, fingerprint: string) => Recurrence;
};

/** @param failed at most `failedWorkflowsMax` @param now epoch milliseconds @returns what could be read; the rest is not known */
export async function queryFailedWorkflows(
  ask: QueryClient,
  failed: readonly FailedWorkflow[],
  now: number,
): Promise<Answered<FailedWorkflows>> {
  const workflows = failed.map(({ workflow }) => workflow);
  const ends = failed.map(({ workflow: { uuid }, from }) => ({ uuid, before: from }));
  const nothing = { data: null, provenance: { source: 'live', asOf: now, missing: [] } } as const;
  const [health, earlier] = await Promise.all([
    workflows.length === 0
      ? nothing
      : nullOnFailure(queryHealth(ask, workflows, { now, hasDeployments: true }), 'which workflows fail now'),
    ends.length === 0 ? nothing : nullOnFailure(ask.earlierFailuresOf(ends), 'which causes are new'),
  ]);
  const healths = new Map(health.data?.map(({ workflow, health: one }) => [workflow.uuid, one]));
  const causes = await causesOf(earlier.data ?? new Map());
  const ongoing = failed.filter(({ workflow: { uuid }, from }) => (healths.get(uuid)?.streak?.since ?? from) < from);
  const ongoingUuids = new Set(ongoing.map(({ workflow }) => workflow.uuid));
  return {
    data: {
      healths,
      recurrenceIn: (uuid, fingerprint) => {
        if (ongoingUuids.has(uuid)) return 'ongoing';
        const before = causes.get(uuid);
        if (before === undefined) return 'unknown';
        return before.has(fingerprint) ? 'recurring' : 'new';
      },
    },
    provenance: combinedProvenance(health.provenance, earlier.provenance),
  };
}

/** The fingerprints of the earlier failures, without the workflows of which the service keeps no earlier run. */
async function causesOf(earlier: ReadonlyMap<string, EarlierRuns>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const kept = [...earlier].filter(([, { hasRuns }]) => hasRuns);
  await readCauses(kept.flatMap(([, { failures }]) => failures));
  return new Map(kept.map(([uuid, { failures }]) => [uuid, new Set(failures.map((one) => causeOf(one).fingerprint))]));
}
