/** The active workflows of a digest that never ran, with the deployments that say since when they are active. */
import { isWithoutRuns, type NeverRan, neverRan } from '../insight/health/never-ran.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Workflow } from '../query/results.ts';
import { type Optional, optional } from './queries.ts';

/** Each fits one round trip with the others; a reader reads no longer list. */
const workflowsMax = 30;

/** @param until the end of the window, epoch milliseconds @returns the longest active first */
export async function queryNeverRan(
  ask: QueryClient,
  workflows: readonly Workflow[] | null,
  until: number,
): Promise<Optional<readonly NeverRan[]>> {
  // One registered less than a day before is active for less.
  const candidates = (workflows ?? []).filter((workflow) => neverRan(workflow, null, until) !== null);
  const checked = candidates.filter(isWithoutRuns).slice(0, workflowsMax);
  if (checked.length === 0) return { data: [], missing: [] };
  const uuids = checked.map(({ uuid }) => uuid);
  const { data, missing } = await optional(ask.deploymentsOf(uuids), 'since when some workflows are active');
  const left = candidates.length - checked.length;
  const found = checked.flatMap((workflow) => neverRan(workflow, data?.get(workflow.uuid) ?? null, until) ?? []);
  return {
    data: found.sort((one, other) => one.since - other.since),
    missing: [...missing, ...(left > 0 ? [`since when ${left} more workflows that never ran are active`] : [])],
  };
}
