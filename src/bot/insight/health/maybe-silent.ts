/** Chooses the workflows whose newest runs are worth reading, because they may be silent. */
import { graceMinMs } from './schedule.ts';

/** How often a workflow has run in its life. */
export type RanWorkflow = {
  /** ISO 8601; null when it never ran. */
  readonly executedAt: string | null;
  readonly registeredAt: string;
  readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
};

type WorkflowLike = RanWorkflow & { readonly status: string };

/** Factor by which a workflow is overdue, measured over its whole life. */
const overdueMin = 2;

/**
 * @param now the moment that is judged, epoch milliseconds; a last run after it says nothing about it
 * @returns active workflows that may have been silent then: first those that are overdue measured over their whole life, the most
 *   recent run first
 */
export function maybeSilent<Workflow extends WorkflowLike>(
  workflows: readonly Workflow[],
  now: number,
): readonly Workflow[] {
  return workflows
    .filter(({ status, executedAt, registeredAt }) => {
      const ranAt = Date.parse(executedAt ?? '');
      return status === 'ACTIVE' && Date.parse(registeredAt) < now && (ranAt < now - graceMinMs || ranAt > now);
    })
    .map((workflow) => ({
      workflow,
      ranAt: Date.parse(workflow.executedAt ?? ''),
      isOverdue: overdueFactor(workflow, now) >= overdueMin,
    }))
    .sort((one, other) => Number(other.isOverdue) - Number(one.isOverdue) || other.ranAt - one.ranAt)
    .map(({ workflow }) => workflow);
}

/** @returns the time since its last run divided by its mean interval; infinite if that is not known */
export function overdueFactor(workflow: RanWorkflow, now: number): number {
  const everyMs = meanGapOf(workflow);
  return everyMs === null ? Number.POSITIVE_INFINITY : (now - Date.parse(workflow.executedAt ?? '')) / everyMs;
}

/**
 * @param since the registration, or the first run; epoch milliseconds
 * @returns the time from then to its last run, divided by its finished runs; null if it is not known
 */
export function meanGapOf(
  { executedAt, registeredAt, executionCountByStatus: counts }: RanWorkflow,
  since = Date.parse(registeredAt),
): number | null {
  const lifeMs = Date.parse(executedAt ?? '') - since;
  const everyMs = counts === null ? 0 : lifeMs / (counts.success + counts.failure);
  return everyMs > 0 ? everyMs : null;
}

/**
 * @param starts some of its newest, newest first, epoch milliseconds; null if not known
 * @returns false if the gap is not longer than each of the gaps before
 */
export function isGapUnusual(starts: readonly number[] | null, now: number): boolean {
  const [lastAt] = starts ?? [];
  if (starts === null || lastAt === undefined) return true;
  const gaps = starts.slice(1).map((start, index) => (starts[index] ?? start) - start);
  return now - lastAt > graceMinMs + (gaps.length > 0 ? Math.min(...gaps) : 0);
}
