/** Sorts judged workflows by urgency, and counts them by verdict. */
import { type Counts, type Health, type Verdict, verdicts } from './health.ts';

type WorkflowLike = { readonly uuid: string; readonly name: string; readonly status: string };

export type JudgedWorkflow<Workflow> = {
  readonly workflow: Workflow;
  readonly health: Health;
  /** Counts of the last 24 hours; null if not known. */
  readonly counts: Counts | null;
};

const urgency = new Map<Verdict, number>(verdicts.map((verdict, index) => [verdict, index]));

/** The most urgent verdict first; within one the longest silence, the most failures, then by name. */
export function byUrgency<Workflow extends WorkflowLike>(
  judged: readonly JudgedWorkflow<Workflow>[],
): readonly JudgedWorkflow<Workflow>[] {
  return judged.toSorted(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      (other.health.silence?.forMs ?? 0) - (one.health.silence?.forMs ?? 0) ||
      (other.counts?.failure ?? 0) - (one.counts?.failure ?? 0) ||
      one.workflow.name.localeCompare(other.workflow.name),
  );
}

function rankOf({ health: { verdict } }: JudgedWorkflow<unknown>): number {
  return urgency.get(verdict) ?? 0;
}

/** @returns the verdicts that occur, the most urgent first, with their workflows in the given order */
export function byVerdict<Workflow>(
  judged: readonly JudgedWorkflow<Workflow>[],
): ReadonlyMap<Verdict, readonly JudgedWorkflow<Workflow>[]> {
  const found = Map.groupBy(judged, ({ health }) => health.verdict);
  return new Map(
    verdicts.flatMap((verdict) => {
      const own = found.get(verdict);
      return own ? [[verdict, own] as const] : [];
    }),
  );
}
