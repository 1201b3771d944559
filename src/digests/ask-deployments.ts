/** What was deployed of the failing workflows in the window, and how soon failures followed. */
import type { FailingWorkflow } from '../insight/digest/failing.ts';
import type { Asking, DeploymentDetail } from '../query/asking.ts';
import type { DigestDeployment } from '../views/digest/facts.ts';
import type { TimeSpan } from './ask-failures.ts';
import { asked, type Part } from './asked.ts';

/** A failure later than this is not told beside the deployment. */
const soonMs = 60 * 60_000;

/** Those that were followed by failures first, then the newest. */
export async function askDeployments(
  ask: Asking,
  failing: readonly FailingWorkflow[],
  span: TimeSpan,
): Promise<Part<readonly DigestDeployment[]>> {
  const uuids = failing.flatMap((workflow) => workflow.uuids);
  if (uuids.length === 0) return { data: [], missing: [] };
  const { data, missing } = await asked(ask.deploymentsOf(uuids), 'the deployments');
  const found = failing.flatMap(({ name, first, uuids: own }) =>
    own.flatMap((uuid) => deploymentsIn(span, data?.get(uuid) ?? []).map((each) => told(each, { name, first }))),
  );
  const order = (one: DigestDeployment, other: DigestDeployment) =>
    Number(other.failedAfterMs !== null) - Number(one.failedAfterMs !== null) || other.deployedAt - one.deployedAt;
  return { data: data && found.sort(order), missing };
}

function deploymentsIn({ from, to }: TimeSpan, deployments: readonly DeploymentDetail[]): readonly DeploymentDetail[] {
  return deployments.filter(({ deployedAt }) => Date.parse(deployedAt) >= from && Date.parse(deployedAt) < to);
}

function told(
  { status, deployedAt: text }: DeploymentDetail,
  { name, first }: Pick<FailingWorkflow, 'name' | 'first'>,
): DigestDeployment {
  const deployedAt = Date.parse(text);
  const afterMs = first - deployedAt;
  const isSoon = afterMs >= 0 && afterMs <= soonMs && status === 'ACTIVE';
  return { workflowName: name, status, deployedAt, failedAfterMs: isSoon ? afterMs : null };
}
