/** The failures of workflows before an instant, and whether the service keeps any of their runs from before it. */
import { batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import { WorkflowExecutionsDocument } from '../generated/operations.ts';
import type { Execution } from '../results.ts';
import { newestFirst, newestStartFirst, rowTypes } from '../rows.ts';
import { instant } from '../spans.ts';
import { rowsOf } from './execution.ts';

const freshMs = 25_000;
/** As many as an investigation looks back. */
const earlierFailuresMax = 100;

export type BeforeInstant = {
  readonly uuid: string;
  /** Epoch milliseconds; excluded. */
  readonly before: number;
};

export type EarlierRuns = {
  /** The newest, newest first, at most `earlierFailuresMax`. */
  readonly failures: readonly Execution[];
  /** False if the service keeps no run from before. */
  readonly hasRuns: boolean;
};

const askRuns = batchByAlias(WorkflowExecutionsDocument, 'workflowExecutions', 10);

/** A workflow of which it could not be read is left out. @param wanted each workflow once */
export function earlierFailuresOperation(
  wanted: readonly BeforeInstant[],
): Operation<readonly (readonly [uuid: string, EarlierRuns])[]> {
  return {
    name: 'failures of workflows before',
    parameters: wanted.flatMap(({ uuid, before }) => [uuid, before]),
    subject: 'the earlier failures of these workflows',
    freshMs: () => freshMs,
    read: async (ask) => {
      const inputs = wanted.flatMap(({ uuid: workflowUuid, before }) => {
        const earlier = { workflowUuid, to: instant(before - 1), orderBy: newestStartFirst } as const;
        return [
          { ...earlier, status: ['FAILURE' as const], page: { number: 0, size: earlierFailuresMax } },
          { ...earlier, page: { number: 0, size: 1 } },
        ];
      });
      const outcome = await askRuns(ask, inputs);
      if ('fault' in outcome) return outcome;
      // Filters again: a service may ignore the status or the end.
      const readAt = (index: number, before: number) => {
        const aliased = outcome.value[index];
        const read = aliased && rowsOf(rowTypes.execution, aliased.reply, aliased.name);
        return read?.rows.filter(({ startedAt }) => Date.parse(startedAt) < before);
      };
      const data = wanted.flatMap(({ uuid, before }, index) => {
        const [failed, newest] = [readAt(2 * index, before), readAt(2 * index + 1, before)];
        if (failed === undefined || newest === undefined) return [];
        const failures = newestFirst(failed.filter(({ status }) => status === 'FAILURE')).slice(0, earlierFailuresMax);
        return [[uuid, { failures, hasRuns: failures.length + newest.length > 0 }] as const];
      });
      const lost = wanted.length - data.length;
      const missing = lost > 0 ? [`the earlier failures of ${lost} of ${wanted.length} workflows`] : [];
      return { value: { data, missing } };
    },
  };
}
