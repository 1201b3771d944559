/** The statuses by which `list` filters: the health that it prints, or the state of the deployment. */
import { type Verdict, verdicts } from '../../../insight/health/health.ts';
import type { WorkflowFieldsFragment } from '../../../query/generated/operations.ts';
import { verdictLabel } from '../../../views/format/health.ts';
import { deploymentStatusLabel } from '../../../views/format/status-labels.ts';

/** `FAILED` has its own word: at night, `failed` means runs. */
const deploymentStatuses = {
  ACTIVE: 'ACTIVE',
  PAUSED: 'PAUSED',
  PENDING: 'PENDING',
  DEPLOYMENT_FAILED: 'FAILED',
  DELETED: 'DELETED',
} as const satisfies Readonly<Record<string, WorkflowFieldsFragment['status']>>;

type DeploymentStatus = keyof typeof deploymentStatuses;
/** `inactive` is not offered: the states of a deployment say it more exactly. */
export type ListedStatus = Exclude<Verdict, 'inactive'> | DeploymentStatus;

const healths = verdicts.filter((verdict) => verdict !== 'inactive');
export const listedStatuses: readonly [ListedStatus, ...ListedStatus[]] = [
  'failing',
  ...healths.filter((verdict) => verdict !== 'failing'),
  ...(Object.keys(deploymentStatuses) as readonly DeploymentStatus[]),
];

/** @returns as the service spells it; none for a health, which the service does not know */
export function deploymentStatusesOf(status: string): readonly WorkflowFieldsFragment['status'][] {
  return Object.entries(deploymentStatuses).flatMap(([name, own]) => (name === status ? [own] : []));
}

export function listedStatusLabel(status: string): string {
  const verdict = healths.find((one) => one === status);
  return verdict ? verdictLabel(verdict) : deploymentStatusLabel(deploymentStatusesOf(status)[0] ?? status);
}
