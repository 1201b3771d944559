/** Reads the sample execution of each cause that a digest shows: where it failed, and the fault that probably explains it. */
import { runCooperatively } from '../../shared/time/cooperative.ts';
import type { JudgedCause } from '../insight/digest/causes.ts';
import { consensusOf } from '../insight/executions/consensus.ts';
import { findRootCause, mayHaveRootCause, type RootCause } from '../insight/executions/root-cause.ts';
import { timelineOf } from '../insight/executions/timeline.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { ExecutionDetail, LogLine } from '../query/results.ts';
import type { ShownCause } from '../views/digest/facts.ts';
import { type Optional, optional, windowOf } from './queries.ts';

export async function queryShown(
  ask: QueryClient,
  causes: readonly JudgedCause[],
  now: number,
): Promise<Optional<readonly ShownCause[]>> {
  const shown = await Promise.all(causes.map((cause) => queryCause(ask, cause, now)));
  return { data: shown.map(({ data }) => data), missing: shown.flatMap(({ missing }) => missing) };
}

type Known<Data> = { readonly data: Data; readonly missing: readonly string[] };

/** The log is read only if the error says that nodes waited for others. */
async function queryCause(ask: QueryClient, cause: JudgedCause, now: number): Promise<Known<ShownCause>> {
  const { uuid, errors } = cause.sample;
  const needsLog = mayHaveRootCause(errors);
  const { data, missing } = needsLog
    ? await optional(ask.execution(uuid), 'the steps and logs of some runs')
    : await optional(ask.executionEvents(uuid), 'the steps of some runs');
  if (data === null) return { data: { ...cause, failing: null, rootCause: null }, missing };
  const { execution, events } = data;
  const failing = events && (await runCooperatively(timelineOf({ execution, events, now }))).failing;
  const rootCause = needsLog ? await queryRootCause(ask, data) : { data: null, missing: [] };
  return {
    data: { ...cause, failing, rootCause: rootCause.data },
    missing: [...new Set([...missing, ...rootCause.missing])],
  };
}

/** Uses the evidence of the verdict about one execution: its log, and that of the last good one. */
async function queryRootCause(ask: QueryClient, detail: ExecutionDetail): Promise<Known<RootCause | null>> {
  const { execution, logs } = detail;
  if (logs === null) return { data: null, missing: [] };
  const { data: goodLog, missing } = await queryGoodLog(ask, detail);
  const consensus = await runCooperatively(
    consensusOf({ logs, knownNodes: [...new Set(goodLog.map(({ nodeID }) => nodeID))] }),
  );
  const usualMessages = goodLog.map(({ message }) => message);
  const question = { errors: execution.errors ?? [], consensus, usualMessages };
  return { data: await runCooperatively(findRootCause(question)), missing };
}

const goodLogName = 'the logs of some good runs';

async function queryGoodLog(ask: QueryClient, { execution }: ExecutionDetail): Promise<Known<readonly LogLine[]>> {
  const { workflowUuid, startedAt } = execution;
  if (workflowUuid === null) return { data: [], missing: [] };
  const window = windowOf({ from: 0, to: Date.parse(startedAt) });
  const filter = { workflowUuid, statuses: ['SUCCESS'], window, page: 0, size: 1 };
  const { data: good, missing } = await optional(ask.executions(filter), goodLogName);
  const [last] = good?.executions ?? [];
  if (last === undefined) return { data: [], missing };
  const { data, missing: unread } = await optional(ask.executionLogs(last.uuid), goodLogName);
  return { data: data?.logs ?? [], missing: [...missing, ...unread] };
}
