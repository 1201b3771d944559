/** Labels and emoji for the service's enum values. An unknown value is shown unchanged. */
import { isCompletedWithErrors, type SuccessesWithErrors } from '../../insight/executions/result.ts';
import { broughtOnlyFailures } from '../../insight/health/deployment-states.ts';
import { count, counted } from './number.ts';

/** A map: a status named like a member of every object, such as `constructor`, is unknown. */
const byStatus = (words: Readonly<Record<string, string>>) => new Map(Object.entries(words));

const deploymentWords = byStatus({
  PENDING: 'pending',
  FAILED: 'deployment failed',
  ACTIVE: 'active',
  // Ours: see `withStates`.
  REPLACED: 'replaced',
  STOPPED: 'stopped',
  PAUSED: 'paused',
  DELETED: 'deleted',
});

/** @param status as the service spells it */
export function deploymentStatusLabel(status: string): string {
  return deploymentWords.get(status) ?? status;
}

/** Label of one action in a workflow's history, where “deployment failed” would repeat the word deployment. */
export function deploymentActionLabel(status: string): string {
  return status === 'FAILED' ? 'failed' : deploymentStatusLabel(status);
}

const deploymentEmojis = byStatus({
  PENDING: 'hourglass_flowing_sand',
  FAILED: 'x',
  REPLACED: 'white_circle',
  STOPPED: 'white_circle',
  PAUSED: 'double_vertical_bar',
  DELETED: 'wastebasket',
});

/**
 * Always shown with the word after it; red for a deployment since which every run failed.
 * @param runs since it, null if not known @param workflowEmoji of the health of its workflow, which the active one has; null if not known
 * @returns Slack's name of the emoji, without colons
 */
export function deploymentEmoji(
  status: string,
  runs: { readonly success: number; readonly failure: number } | null,
  workflowEmoji: string | null,
): string {
  if (broughtOnlyFailures(status, runs)) return 'red_circle';
  if (status === 'ACTIVE') return workflowEmoji ?? 'white_circle';
  return deploymentEmojis.get(status) ?? unknownEmoji;
}

const unknownEmoji = 'grey_question';

const executionWords = byStatus({
  UNKNOWN: 'unknown',
  UNSPECIFIED: 'unspecified',
  TRIGGERED: 'triggered',
  IN_PROGRESS: 'in progress',
  SUCCESS: 'succeeded',
  COMPLETED_WITH_ERRORS: 'completed with errors',
  FAILURE: 'failed',
});

/** @param status as the service spells it, or a detailed status */
export function executionStatusLabel(status: string): string {
  return executionWords.get(status) ?? status;
}

const executionEmojis = byStatus({
  TRIGGERED: 'hourglass_flowing_sand',
  IN_PROGRESS: 'hourglass_flowing_sand',
  SUCCESS: 'white_check_mark',
  FAILURE: 'x',
});

/** Always shown with the word after it. @returns Slack's name of the emoji, without colons */
export function executionStatusEmoji(status: string): string {
  return executionEmojis.get(status) ?? unknownEmoji;
}

type Ended = { readonly status: string; readonly detailedStatus: string | null };

/** @returns as `executionStatusLabel`, or `completed with errors` */
export function executionResultLabel(execution: Ended): string {
  return executionStatusLabel(isCompletedWithErrors(execution) ? 'COMPLETED_WITH_ERRORS' : execution.status);
}

/** Always shown with the word after it. @returns as `executionStatusEmoji` */
export function executionResultEmoji(execution: Ended): string {
  return isCompletedWithErrors(execution) ? 'warning' : executionStatusEmoji(execution.status);
}

/** A part of the runs gives a minimum, no share. @returns such as `16 of 94 successful runs`, `at least 3: only the newest 100 successful runs were looked at` */
export function withErrorsText({ withErrors, lookedAt, isWhole }: SuccessesWithErrors): string {
  if (isWhole) return `${count(withErrors)} of ${counted(lookedAt, 'successful run')}`;
  return `at least ${count(withErrors)}: only the newest ${counted(lookedAt, 'successful run')} were looked at`;
}

/** The party at fault by the service's classification, for a place with few lines. */
export const faultWords = byStatus({
  USER_ERROR: 'workflow’s fault',
  SYSTEM_ERROR: 'platform’s fault',
});

/** @returns the service's classification, such as `classified as the platform’s fault`, if it names a party */
export function faultLabel(classifiedStatus: string | null): string | undefined {
  const fault = faultWords.get(classifiedStatus ?? '');
  return fault === undefined ? undefined : `classified as the ${fault}`;
}

const accountWords = byStatus({
  FULL_ACCESS: 'full access',
  GATED: 'restricted (gated)',
  ACTIVE: 'active',
  DELETED: 'deleted',
  INVITED: 'invited, not joined yet',
  JOINED: 'joined',
  REMOVED: 'removed',
  ROOT: 'root member',
  ADMIN: 'administrator',
});

/** @param value of an organization's or a member's restriction, state or role, as the service spells it */
export function accountLabel(value: string): string {
  return accountWords.get(value) ?? value;
}
