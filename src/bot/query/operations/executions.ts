/** Lists of executions: one page, or the failures of a window. */

import type { Operation } from '../cache/answers.ts';
import type { Stream } from '../cache/streams.ts';
import { asAsked, executionPage, executionPages, hasMore } from '../pages.ts';
import type { ExecutionsFilter } from '../parameters.ts';
import type { Execution, ExecutionPage, ExecutionRows, FailureList } from '../results.ts';
import { lackWords, newestFirst, unreadableWords } from '../rows.ts';
import { windowKey } from '../spans.ts';

const freshMs = 25_000;
/** An execution among them is under way. */
const changingFreshMs = 10_000;

const failuresDefaultMax = 2000;
/** As many characters of error texts are kept; an outage may write books. */
const errorUnitsMax = 4 * 1024 * 1024;

export type ExecutionsPageFilter = ExecutionsFilter & { readonly page: number; readonly size: number };

export function executionsOperation(filter: ExecutionsPageFilter): Operation<ExecutionPage> {
  const { page, size } = filter;
  return {
    name: 'executions',
    parameters: [...filterKey(filter), page, size],
    subject: 'the executions',
    freshMs: ({ executions }) => (executions.every(hasEnded) ? freshMs : changingFreshMs),
    read: async (ask) => {
      const outcome = await executionPage(ask, filter, { number: page, size }, { rowsMax: size });
      if ('fault' in outcome) return outcome;
      const { rows, count } = outcome.value;
      return {
        value: {
          data: { executions: asAsked(filter, rows.rows), hasMore: hasMore(rows, count, page * size, size) },
          missing: lackWords(rows, 'executions'),
        },
      };
    },
  };
}

export type FailuresFilter = Omit<ExecutionsFilter, 'statuses'> & { readonly max?: number };

export function failuresOperation({ max = failuresDefaultMax, ...rest }: FailuresFilter): Operation<FailureList> {
  const filter: ExecutionsFilter = { ...rest, statuses: ['FAILURE'] };
  return {
    name: 'failures',
    parameters: [...filterKey(filter), max],
    subject: 'the failures',
    freshMs: () => freshMs,
    read: async (ask) => {
      const found = new Map<string, Execution>();
      let unreadable = 0;
      let errorUnits = 0;
      const answer = (isCut: boolean, ...missing: readonly string[]) => {
        const executions = newestFirst([...found.values()]).slice(0, max);
        return {
          value: {
            data: { executions, isCut },
            missing: [...unreadableWords(unreadable, 'failures'), ...missing],
          },
        };
      };
      for await (const outcome of executionPages(ask, filter)) {
        if ('fault' in outcome && (found.size === 0 || outcome.fault.kind === 'unauthorized')) return outcome;
        if ('fault' in outcome) return answer(true, `the failures after the first ${found.size}`);
        const { value } = outcome;
        unreadable += value.unreadable;
        for (const execution of value.executions) {
          found.set(execution.uuid, execution);
          errorUnits += unitsOf(execution);
        }
        if (found.size > max || errorUnits > errorUnitsMax) return answer(true);
      }
      return answer(false);
    },
  };
}

/** Every execution of the filter, for a file. */
export function eachExecutionStream(filter: ExecutionsFilter): Stream<ExecutionRows> {
  return {
    subject: 'the executions',
    pages: (ask) => executionPages(ask, filter),
  };
}

function filterKey({ workflowUuid = '', statuses = [], window }: ExecutionsFilter): readonly (string | number)[] {
  return [workflowUuid, statuses.toSorted().join(), ...windowKey(window)];
}

export function hasEnded({ status }: { readonly status: string }): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

function unitsOf({ errors }: Execution): number {
  return (errors ?? []).reduce((sum, { error }) => sum + error.length, 0);
}
