/** Queries the deployments of the failing workflows in the window, and how soon failures followed them. */
import type { FailingWorkflow } from '../insight/digest/causes.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { DeploymentDetail } from '../query/results.ts';
import type { DigestDeployment } from '../views/digest/facts.ts';
import type { TimeSpan } from './ask-failures.ts';
import { askedMax } from './ask-workflows.ts';
import { asked, type Part } from './asked.ts';

/** A failure later than this is not told beside the deployment. */
const soonMs = 60 * 60_000;

/**
 * Those that were followed by failures first, then the newest.
 *
 * @param failedBefore names of workflows that failed before the window, too: no deployment in it began that; null where
 *   they are not known
 */
export async function askDeployments(
  ask: QueryClient,
  failing: readonly FailingWorkflow[],
  span: TimeSpan,
  failedBefore: Pick<ReadonlyMap<string, unknown>, 'has'> | null,
): Promise<Part<readonly DigestDeployment[]>> {
  const uuids = failing.flatMap((workflow) => workflow.uuids);
  if (uuids.length === 0) return { data: [], missing: [] };
  const { data, missing } = await asked(ask.deploymentsOf(uuids.slice(0, askedMax)), 'the deployments');
  const left = uuids.length - askedMax;
  const found = failing.flatMap(({ name, first, uuids: own }) => {
    const began = failedBefore?.has(name) === false ? first : null;
    return own.flatMap((uuid) => deploymentsIn(span, data?.get(uuid) ?? []).map((each) => told(each, name, began)));
  });
  const order = (one: DigestDeployment, other: DigestDeployment) =>
    Number(other.failedAfterMs !== null) - Number(one.failedAfterMs !== null) || other.deployedAt - one.deployedAt;
  return {
    data: data && found.sort(order),
    missing: [...missing, ...(left > 0 ? [`the deployments of ${left} more workflows`] : [])],
  };
}

function deploymentsIn({ from, to }: TimeSpan, deployments: readonly DeploymentDetail[]): readonly DeploymentDetail[] {
  return deployments.filter(({ deployedAt }) => Date.parse(deployedAt) >= from && Date.parse(deployedAt) < to);
}

/** @param began when its failures did; null where that was before the window, or nobody knows */
function told(
  { status, deployedAt: text }: DeploymentDetail,
  workflowName: string,
  began: number | null,
): DigestDeployment {
  const deployedAt = Date.parse(text);
  const afterMs = began === null || status !== 'ACTIVE' ? null : began - deployedAt;
  const isSoon = afterMs !== null && afterMs >= 0 && afterMs <= soonMs;
  return { workflowName, status, deployedAt, failedAfterMs: isSoon ? afterMs : null };
}
