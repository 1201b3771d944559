/** One execution with its events, its log or both, and the events of several executions; one round trip each. */

import { batchByAlias } from '../batch.ts';
import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, faultOf, NoAnswer } from '../client/fault.ts';
import { isNotFound, type Reply } from '../client/reply.ts';
import {
  WorkflowExecutionDocument,
  WorkflowExecutionEventsDocument,
  type WorkflowExecutionQuery,
} from '../generated/operations.ts';
import type { ExecutionDetail, ExecutionEvent } from '../results.ts';
import {
  lackWords,
  listOf,
  missingWords,
  type Rows,
  readManyRows,
  readRow,
  readRows,
  rowsOf,
  rowTypes,
} from '../rows.ts';
import { hasEnded } from './executions.ts';

type ExecutionParts = { readonly hasEvents: boolean; readonly hasLogs: boolean };
type Detail = ExecutionDetail | null;

/** For an execution that ended so long ago that all its logs and events have arrived. */
const settledFreshMs = 3_600_000;
const settledAfterMs = 5 * 60_000;
const endedFreshMs = 15_000;
const runningFreshMs = 3_000;

/** 1,000 lines of 1 KB from each of ten nodes, with JSON's overhead. */
const logBytesMax = 16 * 1024 * 1024;

export const executionOperation = (uuid: string) =>
  detailOperation('execution', uuid, { hasEvents: true, hasLogs: true }, 'this run');

export const executionEventsOperation = (uuid: string) =>
  detailOperation('execution with steps', uuid, { hasEvents: true, hasLogs: false }, 'the steps of this run');

export const executionLogsOperation = (uuid: string) =>
  detailOperation('execution with log', uuid, { hasEvents: false, hasLogs: true }, 'the log of this run');

function detailOperation(name: string, uuid: string, parts: ExecutionParts, subject: string): Operation<Detail> {
  return { name, parameters: [uuid], subject, freshMs: freshFor, read: (ask) => read(ask, uuid, parts) };
}

function freshFor(detail: Detail, now: number): number {
  if (!detail || !hasEnded(detail.execution)) return runningFreshMs;
  const { finishedAt, startedAt } = detail.execution;
  return now - Date.parse(finishedAt ?? startedAt) >= settledAfterMs ? settledFreshMs : endedFreshMs;
}

async function read(ask: Ask, uuid: string, parts: ExecutionParts): Promise<Found<Detail>> {
  const of = { workflowExecutionUUID: uuid };
  const variables = { execution: { uuid }, events: of, logs: of, ...parts };
  let isTooLarge = false;
  const reply = await ask(WorkflowExecutionDocument, variables, logBytesMax).catch((error: unknown) => {
    isTooLarge = parts.hasLogs && faultOf(error).isTooLarge === true;
    if (!isTooLarge) throw error;
    return ask(WorkflowExecutionDocument, { ...variables, hasLogs: false });
  });
  const row = reply.part('workflowExecution')?.['data'];
  const execution = readRow(rowTypes.detailedExecution, row);
  if (!execution) return absence(reply, row);
  const events = parts.hasEvents ? rowsOf(rowTypes.event, reply, 'workflowExecutionEvents') : noRows;
  const hasLogs = parts.hasLogs && !isTooLarge;
  const logs = hasLogs
    ? await readManyRows(rowTypes.logLine, listOf(reply, 'workflowExecutionLogs'), logLinesMax)
    : noRows;
  return {
    data: {
      execution,
      events: parts.hasEvents && events ? inOrderOfStart(events.rows) : null,
      logs: hasLogs && logs ? logs.rows.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)) : null,
    },
    missing: [
      ...missingWords(events, 'steps'),
      ...missingWords(logs, 'log lines'),
      ...(isTooLarge ? ['the log, which is larger than I read'] : []),
    ],
  };
}

/** 10,000 lines from each of ten nodes. */
const logLinesMax = 100_000;

const noRows: Rows<never> = { rows: [], unreadable: 0, surplus: 0 };

/** The specification gives null for an unknown execution; some services send an error that says so. */
function absence({ errors }: Reply<WorkflowExecutionQuery>, row: unknown): Found<null> {
  if (row !== undefined && row !== null) throw badAnswer('an execution that cannot be read');
  const about = errors.filter(({ part }) => part === undefined || part === 'workflowExecution');
  if (about.length === 0 || about.some(isNotFound)) return { data: null, missing: [] };
  throw new NoAnswer({ kind: 'failed_answer', detail: 'no execution in it, and an error about it' });
}

function inOrderOfStart(events: readonly ExecutionEvent[]): readonly ExecutionEvent[] {
  return events.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

/** Only ended executions are read. */
const eventsFreshMs = 10 * 60_000;
/** An execution has many events. */
const executionsMax = 6;

const askEvents = batchByAlias(WorkflowExecutionEventsDocument, 'workflowExecutionEvents', executionsMax);

type EventsByUuid = readonly (readonly [uuid: string, events: readonly ExecutionEvent[]])[];

export function eventsOfOperation(given: readonly string[]): Operation<EventsByUuid> {
  const uuids = [...new Set(given)].toSorted();
  return {
    name: 'events of',
    parameters: uuids,
    subject: 'the steps of these runs',
    freshMs: () => eventsFreshMs,
    read: async (ask) => {
      const inputs = uuids.map((uuid) => ({ workflowExecutionUUID: uuid }));
      const replies = await askEvents(ask, inputs);
      const found: [string, readonly ExecutionEvent[]][] = [];
      let [unreadable, surplus] = [0, 0];
      for (const [index, { list }] of replies.entries()) {
        const rows = readRows(rowTypes.event, list);
        if (rows) found.push([uuids[index] ?? '', inOrderOfStart(rows.rows)]);
        unreadable += rows?.unreadable ?? 0;
        surplus += rows?.surplus ?? 0;
      }
      const lost = uuids.length - found.length;
      const missing = [
        ...(lost > 0 ? [`the steps of ${lost} of ${uuids.length} runs`] : []),
        ...lackWords({ unreadable, surplus }, 'steps'),
      ];
      return { data: found, missing };
    },
  };
}
