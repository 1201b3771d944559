/** States of a workflow's deployments. The service calls every earlier one active, too. */

type DeploymentLike = { readonly status: string };

export type WithState<Deployment> = {
  readonly deployment: Deployment;
  /** The status; for an active one that runs no more `REPLACED`, or `STOPPED` if its workflow was only paused or deleted since. */
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
 * @param deployments of one workflow, newest first
 * @param newer deployments of it that are newer than these
 */
export function withStates<Deployment extends DeploymentLike>(
  deployments: readonly Deployment[],
  newer: readonly Deployment[] = [],
): readonly WithState<Deployment>[] {
  let next = 'ACTIVE';
  const pass = (deployment: Deployment) => {
    const state = deployment.status === 'ACTIVE' ? next : deployment.status;
    const isStop = ['PAUSED', 'DELETED'].includes(deployment.status);
    if (tookEffect(deployment)) next = isStop && next !== 'REPLACED' ? 'STOPPED' : 'REPLACED';
    return { deployment, state };
  };
  newer.forEach(pass);
  return deployments.map(pass);
}

type Runs = { readonly success: number; readonly failure: number };

/** @returns true if no run has succeeded since it took effect, and two or more failed: one may be an accident */
export function broughtOnlyFailures(state: string, runs: Runs | null): boolean {
  return ['ACTIVE', 'REPLACED', 'STOPPED'].includes(state) && runs !== null && runs.success === 0 && runs.failure > 1;
}
