/** How the failing workflows of a digest are doing now, and which of their causes are new. */
import { queryFailedWorkflows } from '../health/failed-workflows.ts';
import type { RecurrenceIn } from '../insight/causes/recurrence.ts';
import type { FailureTally } from '../insight/digest/tally.ts';
import type { Health } from '../insight/health/health.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Workflow } from '../query/results.ts';
import { optional, type TimeSpan } from './queries.ts';

export type Failed = {
  readonly recurrenceIn: RecurrenceIn;
  /** Null if it is not known, or if several workflows have the name. */
  readonly healthOf: (name: string) => Health | null;
  readonly missing: readonly string[];
};

/** @param now epoch milliseconds; the health is as of then */
export async function queryFailed(
  ask: QueryClient,
  { workflows: tallied }: FailureTally,
  workflows: readonly Workflow[],
  { window, now }: { readonly window: TimeSpan; readonly now: number },
): Promise<Failed> {
  const names = new Map(
    [...tallied].map(([name, { first, last }]) => [name, { last, from: Math.min(window.from, first) }]),
  );
  const { data, missing } = await optional(
    queryFailedWorkflows(ask, workflows, names, now),
    'which workflows fail now, and which causes are new',
  );
  const { healths = [], recurrenceIn = () => 'unknown', left = 0 } = data ?? {};
  const byName = new Map(healths.map(({ name, health }) => [name, health]));
  const named = Map.groupBy(workflows, ({ name }) => name);
  return {
    recurrenceIn,
    healthOf: (name) => (named.get(name)?.length === 1 ? (byName.get(name) ?? null) : null),
    missing: [
      ...missing,
      ...(left > 0 ? [`whether ${left} more workflows fail now, and which of their causes are new`] : []),
    ],
  };
}
