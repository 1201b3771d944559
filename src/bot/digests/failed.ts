/** How the failing workflows of a digest are doing now, and which of their causes are new: by name, because a failure has no more. */
import { failedWorkflowsMax, queryFailedWorkflows } from '../health/failed-workflows.ts';
import { type RecurrenceIn, recurrenceOf } from '../insight/causes/recurrence.ts';
import type { FailureTally } from '../insight/digest/tally.ts';
import type { Health } from '../insight/health/health.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Workflow } from '../query/results.ts';
import { optional, type TimeSpan } from './queries.ts';

export type FailedByName = {
  readonly recurrenceIn: RecurrenceIn;
  /** Null if it is not known, or if several workflows have the name. */
  readonly healthOf: (name: string) => Health | null;
  readonly missing: readonly string[];
};

/** Looks at those that failed last, if there are too many. @param now epoch milliseconds; the health is as of then */
export async function queryFailed(
  ask: QueryClient,
  { workflows: tallied }: FailureTally,
  workflows: readonly Workflow[],
  { window, now }: { readonly window: TimeSpan; readonly now: number },
): Promise<FailedByName> {
  const byName = Map.groupBy(workflows, ({ name }) => name);
  const all = [...tallied]
    .toSorted(([, one], [, other]) => other.last - one.last)
    .flatMap(([name, { first }]) =>
      (byName.get(name) ?? []).map((workflow) => ({ workflow, from: Math.min(window.from, first) })),
    );
  const looked = all.slice(0, failedWorkflowsMax);
  const { data, missing } = await optional(
    queryFailedWorkflows(ask, looked, now),
    'which workflows fail now, and which causes are new',
  );
  const left = all.length - looked.length;
  return {
    recurrenceIn: (name, fingerprint) =>
      recurrenceOf((byName.get(name) ?? []).map(({ uuid }) => data?.recurrenceIn(uuid, fingerprint) ?? 'unknown')),
    healthOf: (name) => {
      const [only, second] = byName.get(name) ?? [];
      return only && !second ? (data?.healths.get(only.uuid) ?? null) : null;
    },
    missing: [
      ...missing,
      ...(left > 0 ? [`whether ${left} more workflows fail now, and which of their causes are new`] : []),
    ],
  };
}
