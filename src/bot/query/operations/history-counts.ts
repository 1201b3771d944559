/** The executions of one workflow since several instants, in one document: the question of a bisection. */
import { batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import { WorkflowCountsDocument } from '../generated/operations.ts';
import type { ExecutionCounts } from '../results.ts';
import { readCounts } from '../rows.ts';
import { instant } from '../spans.ts';

const freshMs = 25_000;

export type CountsSinceParameters = { readonly workflowUuid: string; readonly instants: readonly number[] };

const askCounts = batchByAlias(WorkflowCountsDocument, 'workflow');

/**
 * In the order of the instants; null for a count that could not be read. Counts run until now, and a batch may take several documents:
 * it ends with its first question again, and is asked once more if an execution ended meanwhile.
 */
export function countsSinceOperation({
  workflowUuid,
  instants,
}: CountsSinceParameters): Operation<readonly (ExecutionCounts | null)[]> {
  const inputs = [...instants, ...instants.slice(0, 1)].map((from) => ({ uuid: workflowUuid, from: instant(from) }));
  return {
    name: 'counts since',
    parameters: [workflowUuid, ...instants],
    subject: 'the number of runs before and after it',
    freshMs: () => freshMs,
    read: async (ask) => {
      const readAll = async () => {
        const outcome = await askCounts(ask, inputs);
        if ('fault' in outcome) return outcome;
        return { value: outcome.value.map(({ reply, name }) => readCounts(reply.part(name)?.['data'])) };
      };
      const first = await readAll();
      if ('fault' in first) return first;
      const again = isSteady(first.value) ? first : await readAll();
      if ('fault' in again) return again;
      const data = again.value.slice(0, -1);
      return { value: { data, missing: data.includes(null) ? ['the number of runs before and after it'] : [] } };
    },
  };
}

function isSteady(counts: readonly (ExecutionCounts | null)[]): boolean {
  const [first, last] = [counts[0] ?? null, counts.at(-1) ?? null];
  return first === null || last === null || (first.success === last.success && first.failure === last.failure);
}
