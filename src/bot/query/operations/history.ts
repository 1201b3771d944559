/** The executions and deployments around one execution of a workflow, and the number of executions since several instants. */

import { batchByAlias } from '../batch.ts';
import type { Found, Operation } from '../cache/answers.ts';
import type { Reply } from '../client/reply.ts';
import {
  ExecutionHistoryDocument,
  type ExecutionHistoryQuery,
  type ExecutionHistoryQueryVariables,
  WorkflowCountsDocument,
} from '../generated/operations.ts';
import type { Execution, ExecutionCounts, ExecutionHistory } from '../results.ts';
import { missingWords, newestFirst, newestStartFirst, readCounts, readRows, rowTypes } from '../rows.ts';
import { instant } from '../spans.ts';
import { newestDeployedFirst } from './deployments.ts';

const freshMs = 25_000;
const failuresMax = 100;
const goodBeforeMax = 5;
const deploymentsMax = 20;
/** 100 executions of the fastest schedule, one every 30 s. */
const soonMs = 50 * 60_000;

export type HistoryParameters = { readonly workflowUuid: string; readonly before: number };

export function historyOperation(parameters: HistoryParameters): Operation<ExecutionHistory> {
  return {
    name: 'execution history',
    parameters: [parameters.workflowUuid, parameters.before],
    subject: 'the history of this workflow',
    freshMs: () => freshMs,
    read: async (ask) => {
      const reply = await ask(ExecutionHistoryDocument, variablesOf(parameters));
      return readHistory(reply, parameters.before);
    },
  };
}

function variablesOf({ workflowUuid, before }: HistoryParameters): ExecutionHistoryQueryVariables {
  const list = (
    status: 'SUCCESS' | 'FAILURE',
    span: { readonly from?: number; readonly to?: number },
    size: number,
  ) => ({
    workflowUuid,
    status: [status],
    ...(span.from !== undefined && { from: instant(span.from) }),
    ...(span.to !== undefined && { to: instant(span.to) }),
    orderBy: newestStartFirst,
    page: { number: 0, size },
  });
  return {
    failures: list('FAILURE', {}, failuresMax),
    // One millisecond later: a start may be finer, and an end may be exclusive.
    failuresUntil: list('FAILURE', { to: before + 1 }, failuresMax),
    goodBefore: list('SUCCESS', { to: before }, 2 * goodBeforeMax),
    goodSoonAfter: list('SUCCESS', { from: before, to: before + soonMs }, 100),
    goodSince: list('SUCCESS', { from: before }, 10),
    deployments: { workflowUUID: workflowUuid, page: { number: 0, size: deploymentsMax } },
  };
}

function readHistory(reply: Reply<ExecutionHistoryQuery>, before: number): Found<ExecutionHistory> {
  type List = Exclude<Extract<keyof ExecutionHistoryQuery, string>, 'deployments'>;
  const listOf = (name: List) => readRows(rowTypes.execution, reply.part(name)?.['data']);
  const failures = listOf('failures');
  const failuresUntil = listOf('failuresUntil');
  const goodBefore = listOf('goodBefore');
  const soon = listOf('goodSoonAfter');
  const since = listOf('goodSince');
  const deployments = readRows(rowTypes.deploymentDetail, reply.part('deployments')?.['data']);
  // Orders and filters again: a service may ignore either.
  const of = (status: string, rows: readonly Execution[], isWithin: (start: number) => boolean) =>
    newestFirst(rows.filter((row) => row.status === status && isWithin(Date.parse(row.startedAt))));
  const soonAfter = of('SUCCESS', soon?.rows ?? [], (start) => start > before && start <= before + soonMs);
  const after = of('SUCCESS', [...(since?.rows ?? []), ...soonAfter], (start) => start > before);
  return {
    data: {
      failures: failures ? of('FAILURE', failures.rows, () => true).slice(0, failuresMax) : null,
      failuresUntil: failuresUntil
        ? of('FAILURE', failuresUntil.rows, (start) => start <= before).slice(0, failuresMax)
        : null,
      goodBefore: goodBefore ? of('SUCCESS', goodBefore.rows, (start) => start < before).slice(0, goodBeforeMax) : null,
      firstGoodAfter: soonAfter.at(-1) ?? null,
      latestGoodAfter: after[0] ?? null,
      deployments: deployments ? newestDeployedFirst(deployments.rows).slice(0, deploymentsMax) : null,
    },
    missing: [
      ...missingWords(failures, 'failures up to now'),
      ...missingWords(failuresUntil, 'failures before this one'),
      ...missingWords(goodBefore, 'good runs before this one'),
      ...(soon && since ? [] : ['the good runs after this one']),
      ...missingWords(deployments, 'deployments'),
    ],
  };
}

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
    subject: 'the number of runs before and after this one',
    freshMs: () => freshMs,
    read: async (ask) => {
      const readAll = async () => {
        const replies = await askCounts(ask, inputs);
        return replies.map(({ part }) => readCounts(part?.['data']));
      };
      const first = await readAll();
      const data = (isSteady(first) ? first : await readAll()).slice(0, -1);
      return { data, missing: data.includes(null) ? ['the number of runs before and after this one'] : [] };
    },
  };
}

function isSteady(counts: readonly (ExecutionCounts | null)[]): boolean {
  const [first, last] = [counts[0] ?? null, counts.at(-1) ?? null];
  return first === null || last === null || (first.success === last.success && first.failure === last.failure);
}
