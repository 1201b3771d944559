/** States of a workflow's deployments. The service calls every earlier one active, too. */

type DeploymentLike = { readonly status: string };

export type WithState<Deployment> = {
  readonly deployment: Deployment;
  /** The status, or `REPLACED` for an active one that another has replaced. */
  readonly state: string;
};

/** @returns false for one that waits or was rejected, which replaces nothing */
export function tookEffect(deployment: DeploymentLike): boolean {
  return deployment.status !== 'PENDING' && !isRejected(deployment);
}

export function isRejected({ status }: DeploymentLike): boolean {
  return status === 'FAILED';
}

/**
 * Active is the newest one that took effect.
 * @param deployments of one workflow, newest first
 * @param hasNewer true if one that is newer than these took effect
 */
export function withStates<Deployment extends DeploymentLike>(
  deployments: readonly Deployment[],
  hasNewer = false,
): readonly WithState<Deployment>[] {
  const current = hasNewer ? undefined : deployments.find(tookEffect);
  return deployments.map((deployment) => {
    const isReplaced = deployment.status === 'ACTIVE' && deployment !== current;
    return { deployment, state: isReplaced ? 'REPLACED' : deployment.status };
  });
}

type Runs = { readonly success: number; readonly failure: number };

/** @returns true if no run has succeeded since it took effect, and two or more failed: one may be an accident */
export function broughtOnlyFailures(state: string, runs: Runs | null): boolean {
  return (state === 'ACTIVE' || state === 'REPLACED') && runs !== null && runs.success === 0 && runs.failure > 1;
}
