/** How long the newest results of workflows have been alike: the last run with the other result, and the runs since. */
import { type AliasedReply, batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import { ExecutionIdsDocument } from '../generated/operations.ts';
import { newestStartFirst, rowTypes } from '../rows.ts';
import { instant } from '../spans.ts';
import { rowsOf } from './execution.ts';

const freshMs = 25_000;

type Result = 'SUCCESS' | 'FAILURE';

export type WantedRuns = {
  readonly uuid: string;
  readonly result: Result;
  /** Start of its newest run, epoch milliseconds: an answer from before that run is not used. */
  readonly newestAt: number;
};

/** Times are starts, in epoch milliseconds. */
export type RunsSince = {
  /** Start of the last run with the other result; null if the service keeps none. */
  readonly otherAt: number | null;
  /** Runs with the result since, and the first of them. */
  readonly count: number;
  readonly firstAt: number;
};

const askRuns = batchByAlias(ExecutionIdsDocument, 'workflowExecutions');
const page = { number: 0, size: 1 } as const;
const oldestStartFirst = { field: 'STARTED_AT', order: 'ASC' } as const;

/** Two round trips for all. A workflow of which it could not be read is left out. @param wanted each workflow once */
export function runsSinceOperation(
  wanted: readonly WantedRuns[],
): Operation<readonly (readonly [uuid: string, RunsSince])[]> {
  return {
    name: 'runs since the last other result of workflows',
    parameters: wanted.flatMap(({ uuid, result, newestAt }) => [uuid, result, newestAt]),
    subject: 'the runs with the newest result of these workflows',
    freshMs: () => freshMs,
    read: async (ask) => {
      const others = wanted.map(({ uuid, result }) => ({
        ...{ workflowUuid: uuid, status: [otherThan(result)], page },
        orderBy: newestStartFirst,
      }));
      const last = await askRuns(ask, others);
      if ('fault' in last) return last;
      const ends = wanted.flatMap(({ uuid, result }, index) => {
        const starts = startsOf(last.value[index], otherThan(result));
        return starts ? [{ uuid, result, otherAt: starts.length === 0 ? null : Math.max(...starts) }] : [];
      });
      const alike = ends.map(({ uuid, result, otherAt }) => ({
        ...{ workflowUuid: uuid, status: [result], page },
        from: instant(otherAt === null ? 0 : otherAt + 1),
        orderBy: oldestStartFirst,
      }));
      const since = await askRuns(ask, alike);
      if ('fault' in since) return since;
      const data = ends.flatMap(({ uuid, result, otherAt }, index) => {
        const [firstAt] = startsOf(since.value[index], result) ?? [];
        const count = countOf(since.value[index]);
        return firstAt === undefined || count === undefined ? [] : [[uuid, { otherAt, count, firstAt }] as const];
      });
      const lost = wanted.length - data.length;
      const missing = lost > 0 ? [`since when ${lost} of ${wanted.length} workflows fail or succeed`] : [];
      return { value: { data, missing } };
    },
  };
}

function otherThan(result: Result): Result {
  return result === 'FAILURE' ? 'SUCCESS' : 'FAILURE';
}

/** A service may ignore the status. @returns undefined if unreadable */
function startsOf(aliased: AliasedReply | undefined, status: Result): readonly number[] | undefined {
  const rows = aliased && rowsOf(rowTypes.executionId, aliased.reply, aliased.name)?.rows;
  return rows?.filter((row) => row.status === status).map(({ startedAt }) => Date.parse(startedAt));
}

function countOf(aliased: AliasedReply | undefined): number | undefined {
  const count = aliased?.reply.part(aliased.name)?.['count'];
  return typeof count === 'number' ? count : undefined;
}
