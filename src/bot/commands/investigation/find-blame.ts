/** Finds the deployment that may have caused a failure: picks candidates and counts runs around them for insight to judge. */
import type { Provenance } from '../../domain/provenance.ts';
import { type Blame, blameDeployment } from '../../insight/health/deployment-blame.ts';
import { nullOnFailure } from '../../query/null-on-failure.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { DeploymentDetail, ExecutionCounts, ExecutionHistory } from '../../query/results.ts';

/** One result of an investigation, with its missing parts. */
export type Finding<Data> = { readonly data: Data; readonly provenance: Pick<Provenance, 'missing'> };

/** The result of a query that was not needed. */
export const notAsked = { data: null, provenance: { missing: [] } };

/** Executions are counted this long before a deployment. */
const beforeMs = 7 * 86_400_000;

/** Only the newest deployments before the failure are candidates. */
const candidatesMax = 3;

/** Counts runs around the newest deployments before the failure and judges them. */
export async function findBlame(
  workflowUuid: string,
  { deployments, failures, failuresUntil }: ExecutionHistory,
  startedAt: number,
  ask: QueryClient,
): Promise<Finding<Blame<DeploymentDetail> | null>> {
  if (failures === null || failuresUntil === null) return notAsked;
  const standing = (deployments ?? []).filter(({ status }) => status !== 'FAILED');
  const suspects = standing.filter(({ deployedAt }) => Date.parse(deployedAt) <= startedAt).slice(0, candidatesMax);
  const failedAt = [
    ...new Map([...failures, ...failuresUntil].map(({ uuid, startedAt: at }) => [uuid, Date.parse(at)])).values(),
  ];
  const counted = await Promise.all(
    suspects.map(async (deployment) => {
      const instant = Date.parse(deployment.deployedAt);
      const until = nextAfter(instant, standing);
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
