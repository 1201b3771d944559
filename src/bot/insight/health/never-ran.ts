/** Active workflows without any execution. The service publishes no schedule, so one is named a day after its activation. */

type WorkflowLike = {
  readonly name: string;
  /** Status of its deployment, as the service spells it. */
  readonly status: string;
  readonly registeredAt: string;
  readonly executedAt: string | null;
  /** Count of all time; null if not known. */
  readonly executionCountByStatus?: { readonly success: number; readonly failure: number } | null;
};

type DeploymentLike = { readonly status: string; readonly deployedAt: string };

export type NeverRan = {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** True if it is active since then; otherwise its deployments are not known, and it was registered then. */
  readonly isActiveSince: boolean;
};

/** The first run of a workflow may be due this long after its activation. */
export const firstRunWithinMs = 24 * 60 * 60_000;

/** True if it is active and no execution of it is known: its deployments decide since when. */
export function isWithoutRuns({ status, executedAt, executionCountByStatus: counts }: WorkflowLike): boolean {
  return status === 'ACTIVE' && executedAt === null && (counts ? counts.success + counts.failure : 0) === 0;
}

/**
 * @param deployments newest first; null if not known
 * @param now epoch milliseconds
 * @returns null if it has run, is not active, or is active for less than a day
 */
export function neverRan(
  workflow: WorkflowLike,
  deployments: readonly DeploymentLike[] | null,
  now: number,
): NeverRan | null {
  if (!isWithoutRuns(workflow)) return null;
  const activeSince = activeSinceOf(deployments ?? []);
  const since = activeSince ?? Date.parse(workflow.registeredAt);
  if (!(now - since >= firstRunWithinMs)) return null;
  return { name: workflow.name, since, isActiveSince: activeSince !== null };
}

/** A further deployment does not end the activity, nor does one that failed or is pending; a pause does. */
function activeSinceOf(deployments: readonly DeploymentLike[]): number | null {
  let since: number | null = null;
  for (const { status, deployedAt } of deployments) {
    if (status === 'PAUSED' || status === 'DELETED') return since;
    const at = Date.parse(deployedAt);
    if (status === 'ACTIVE' && Number.isFinite(at)) since = since === null ? at : Math.min(since, at);
  }
  return since;
}
