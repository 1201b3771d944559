/** The mark and the words for the health of a workflow, and the evidence for them: the same in every answer. */
import type { Counts, Health, Verdict } from '../../insight/health/health.ts';
import { count, counted } from './number.ts';
import { deploymentStatusLabel } from './status-labels.ts';

/** Red only if it fails now. Always shown with a word after it. @returns Slack's name of the emoji, without colons */
export function verdictEmoji(verdict: Verdict): string {
  switch (verdict) {
    case 'failing':
      return 'red_circle';
    case 'silent':
      return 'warning';
    case 'never_ran':
    case 'unknown':
      return 'grey_question';
    case 'unstable':
    case 'with_errors':
      return 'large_yellow_circle';
    case 'healthy':
      return 'large_green_circle';
    case 'quiet':
    case 'inactive':
      return 'white_circle';
  }
}

/** @param status of the deployment, as the service spells it; undefined for several workflows */
export function verdictLabel(verdict: Verdict, status?: string): string {
  switch (verdict) {
    case 'failing':
      return 'failing';
    case 'silent':
      return 'silent';
    case 'never_ran':
      return 'never ran';
    case 'unstable':
      return 'unstable';
    case 'with_errors':
      return 'completed with errors';
    case 'unknown':
      return 'not known';
    case 'healthy':
      return 'healthy';
    case 'quiet':
      return 'idle';
    case 'inactive':
      return status === undefined ? 'not active' : deploymentStatusLabel(status);
  }
}

/** @returns such as `the last 3 runs failed, 12 of 288 runs in the last 24 h failed` */
export function failureEvidence({ newest, isFailingNow }: Health, counts: Counts | null): string {
  const { failedInARow, lookedAt } = newest;
  const isCut = failedInARow === lookedAt && counts?.failure !== failedInARow;
  const streak = isFailingNow
    ? [isCut ? atLeastInARow(failedInARow, counts) : `the last ${failedInARow} runs failed`]
    : [];
  const finished = (counts?.success ?? 0) + (counts?.failure ?? 0);
  const all =
    counts === null ? [] : [`${count(counts.failure)} of ${counted(finished, 'run')} in the last 24 h failed`];
  return [...streak, ...all].join(', ');
}

/** @param counts of a window up to now; null if not known @returns the words for a streak that may have begun before the newest runs */
export function atLeastInARow(failedInARow: number, counts: Counts | null): string {
  const known = counts?.success === 0 ? Math.max(failedInARow, counts.failure) : failedInARow;
  return `at least the last ${count(known)} runs failed`;
}

/** @returns such as `2 of the newest 5 runs completed with errors` */
export function withErrorsEvidence({ newest: { lookedAt, withErrors } }: Health): string {
  if (lookedAt === 1) return 'the newest run completed with errors';
  return `${count(withErrors)} of the newest ${count(lookedAt)} runs completed with errors`;
}
