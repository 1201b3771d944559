/** Reads since when workflows without any execution are active: their deployments say so. */
import { isWithoutRuns, type NeverRan, neverRan } from '../insight/health/never-ran.ts';
import { nullOnFailure } from '../query/null-on-failure.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Answered, Workflow } from '../query/results.ts';

/** They fit two documents; a reader reads no longer list. */
const workflowsMax = 30;

/**
 * @param now the moment that is judged, epoch milliseconds
 * @returns by uuid: workflows that are active for a day or more and never ran
 */
export async function queryNeverRan(
  ask: Pick<QueryClient, 'deploymentsOf'>,
  workflows: readonly Workflow[],
  now: number,
): Promise<Answered<ReadonlyMap<string, NeverRan>>> {
  // One registered less than a day before is active for less.
  const candidates = workflows.filter((each) => isWithoutRuns(each) && neverRan(each, null, now) !== null);
  const checked = candidates.slice(0, workflowsMax);
  if (checked.length === 0) return { data: new Map(), provenance: { source: 'live', asOf: now, missing: [] } };
  const asked = ask.deploymentsOf(checked.map(({ uuid }) => uuid));
  const { data, provenance } = await nullOnFailure(asked, 'since when some workflows are active');
  const found = checked.flatMap((workflow) => {
    const overdue = neverRan(workflow, data?.get(workflow.uuid) ?? null, now);
    return overdue ? [[workflow.uuid, overdue] as const] : [];
  });
  const left = candidates.length - checked.length;
  const unknown = left > 0 ? [`since when ${left} more workflows that never ran are active`] : [];
  return { data: new Map(found), provenance: { ...provenance, missing: [...provenance.missing, ...unknown] } };
}
