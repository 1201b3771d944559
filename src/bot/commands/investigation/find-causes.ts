/** Finds causes of a failure outside of the execution: a deployment before it, or other workflows that failed alike. */
import type { Provenance } from '../../domain/provenance.ts';
import { causeOf, readCauses } from '../../insight/causes/cause.ts';
import { type Blame, blameDeployment } from '../../insight/health/deployment-blame.ts';
import { nullOnFailure } from '../../query/null-on-failure.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { DeploymentDetail, Execution, ExecutionCounts, ExecutionHistory } from '../../query/results.ts';
import type { Elsewhere } from '../../views/execution/facts.ts';

/** One result of an investigation, with its missing parts. */
export type PartialData<Data> = { readonly data: Data; readonly provenance: Pick<Provenance, 'missing'> };

/** The result of a query that was not needed. */
export const notNeeded = { data: null, provenance: { missing: [] } };

/** Executions are counted this long before a deployment. */
const beforeMs = 7 * 86_400_000;

/** Only the newest deployments before the failure are candidates. */
const candidatesMax = 3;

/** Counts executions around the newest deployments before the failure, and judges them. */
export async function findBlame(
  workflowUuid: string,
  { deployments, failures, failuresUntil }: ExecutionHistory,
  startedAt: number,
  ask: QueryClient,
): Promise<PartialData<Blame<DeploymentDetail> | null>> {
  if (failures === null || failuresUntil === null) return notNeeded;
  const deployed = (deployments ?? []).filter(({ status }) => status !== 'FAILED');
  const suspects = deployed.filter(({ deployedAt }) => Date.parse(deployedAt) <= startedAt).slice(0, candidatesMax);
  const failedAt = [
    ...new Map([...failures, ...failuresUntil].map(({ uuid, startedAt: at }) => [uuid, Date.parse(at)])).values(),
  ];
  const counted = await Promise.all(
    suspects.map(async (deployment) => {
      const instant = Date.parse(deployment.deployedAt);
      const until = nextAfter(instant, deployed);
      const { data, provenance } = await nullOnFailure(
        ask.countsAround({ workflowUuid, instant, beforeMs, afterMs: until - instant }),
        'the runs before and after a deployment',
      );
      return { deployment, instant, end: Math.min(until, provenance.asOf), data, provenance };
    }),
  );
  const candidates = counted.flatMap(({ deployment, instant, end, data }) => {
    const { before = null, after = null } = data ?? {};
    if (before === null || after === null) return [];
    const earlier = stretch({ from: instant - beforeMs, to: instant, counts: before, failedAt });
    return [{ deployment, before: earlier, after: stretch({ from: instant, to: end, counts: after, failedAt }) }];
  });
  const missing = counted.flatMap(({ provenance }) => provenance.missing);
  return { data: blameDeployment({ candidates }), provenance: { missing } };
}

function nextAfter(instant: number, deployments: readonly DeploymentDetail[]): number {
  const later = deployments.map(({ deployedAt }) => Date.parse(deployedAt)).filter((at) => at > instant);
  return Math.min(Number.POSITIVE_INFINITY, ...later);
}

type Counted = {
  readonly from: number;
  readonly to: number;
  readonly counts: ExecutionCounts;
  readonly failedAt: readonly number[];
};

function stretch({ from, to, counts: { success, failure }, failedAt }: Counted) {
  const within = failedAt.filter((at) => at >= from && at < to);
  return { from, to, total: success + failure, failed: failure, failedAt: within };
}

/** Searched before and after the failure. */
const withinMs = 15 * 60_000;
/** A few pages are enough: one more name does not change the verdict. */
const failuresMax = 300;

type Failed = Pick<Execution, 'errors' | 'classifiedStatus' | 'startedAt' | 'workflowName'>;

/**
 * Finds other workflows that failed with the same cause at about the same time: then the platform failed, not one workflow.
 * @param now epoch milliseconds
 */
export async function findElsewhere(
  execution: Failed,
  ask: QueryClient,
  now: number,
): Promise<PartialData<Elsewhere | null>> {
  // Failures without an error text cannot be compared.
  if (execution.errors === null || execution.errors.length === 0) return notNeeded;
  const startedAt = Date.parse(execution.startedAt);
  const window = {
    from: startedAt - withinMs,
    to: Math.max(startedAt + 1, Math.min(now, startedAt + withinMs)),
    label: 'about the same time',
    isMoving: false,
  };
  const { data, provenance } = await nullOnFailure(
    ask.failures({ window, max: failuresMax }),
    'failures of other workflows at that time',
  );
  if (data === null) return { data, provenance };
  await readCauses(data.executions);
  const { fingerprint } = causeOf(execution);
  const others = data.executions.filter(
    (failure) => failure.workflowName !== execution.workflowName && causeOf(failure).fingerprint === fingerprint,
  );
  const workflows = [...new Set(others.map(({ workflowName }) => workflowName))].sort();
  return { data: { workflows, withinMs, isCut: data.isCut }, provenance };
}
