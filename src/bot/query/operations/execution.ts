/** One execution, with its steps, its log or both, in one round trip. */

import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, type Outcome } from '../client/fault.ts';
import { isNotFound } from '../client/graphql-errors.ts';
import type { Reply } from '../client/reply.ts';
import { WorkflowExecutionDocument, type WorkflowExecutionQuery } from '../generated/operations.ts';
import type { ExecutionDetail, ExecutionEvent, LogLine } from '../results.ts';
import { missingWords, type Rows, readManyRows, readRow, readRows, rowTypes } from '../rows.ts';
import { hasEnded } from './executions.ts';

type Parts = { readonly hasEvents: boolean; readonly hasLogs: boolean };
type Detail = ExecutionDetail | null;

/** Nothing about it changes any more; logs and steps have had the time to arrive. */
const settledFreshMs = 3_600_000;
const settledAfterMs = 5 * 60_000;
const endedFreshMs = 15_000;
const runningFreshMs = 3_000;

/** 1,000 lines of 1 KB from each of ten nodes, and what JSON adds. */
const logBytesMax = 16 * 1024 * 1024;

export const executionOperation = (uuid: string) =>
  question('execution', uuid, { hasEvents: true, hasLogs: true }, 'this execution');

export const executionEventsOperation = (uuid: string) =>
  question('execution with steps', uuid, { hasEvents: true, hasLogs: false }, 'the steps of this execution');

export const executionLogsOperation = (uuid: string) =>
  question('execution with log', uuid, { hasEvents: false, hasLogs: true }, 'the log of this execution');

function question(name: string, uuid: string, parts: Parts, subject: string): Operation<Detail> {
  return { name, parameters: [uuid], subject, freshMs: freshFor, read: (ask) => read(ask, uuid, parts) };
}

function freshFor(detail: Detail, now: number): number {
  if (!detail || !hasEnded(detail.execution)) return runningFreshMs;
  const { finishedAt, startedAt } = detail.execution;
  return now - Date.parse(finishedAt ?? startedAt) >= settledAfterMs ? settledFreshMs : endedFreshMs;
}

async function read(ask: Ask, uuid: string, parts: Parts): Promise<Outcome<Found<Detail>>> {
  const of = { workflowExecutionUUID: uuid };
  const variables = { execution: { uuid }, events: of, logs: of };
  const whole = await ask(WorkflowExecutionDocument, { ...variables, ...parts }, logBytesMax);
  const isTooLarge = 'fault' in whole && whole.fault.isTooLarge === true && parts.hasLogs;
  const outcome = isTooLarge ? await ask(WorkflowExecutionDocument, { ...variables, ...parts, hasLogs: false }) : whole;
  if ('fault' in outcome) return outcome;
  const reply = outcome.value;
  const row = reply.part('workflowExecution')?.['data'];
  const execution = readRow(rowTypes.detailedExecution, row);
  if (!execution) return absence(reply, row);
  const events = parts.hasEvents ? rowsOf(rowTypes.event, reply, 'workflowExecutionEvents') : noRows;
  const logs = parts.hasLogs && !isTooLarge ? await logLinesOf(reply) : noRows;
  return {
    value: {
      data: {
        execution,
        events: parts.hasEvents && events ? inOrderOfStart(events.rows) : null,
        logs: parts.hasLogs && !isTooLarge && logs ? inOrderOfTime(logs.rows) : null,
      },
      missing: [
        ...missingWords(events, 'steps'),
        ...missingWords(logs, 'log lines'),
        ...(isTooLarge ? ['the log, which is larger than I read'] : []),
      ],
    },
  };
}

/** 10,000 lines from each of ten nodes. */
const logLinesMax = 100_000;

function logLinesOf(reply: Reply<WorkflowExecutionQuery>): Promise<Rows<LogLine> | undefined> {
  const name = 'workflowExecutionLogs';
  return readManyRows(rowTypes.logLine, listOf(reply, name), logLinesMax);
}

const noRows: Rows<never> = { rows: [], unreadable: 0, surplus: 0 };

/** Null without an error is how some services say that there are none. */
export function rowsOf<Row, Data>(
  schema: Parameters<typeof readRows<Row>>[0],
  reply: Reply<Data>,
  name: Extract<keyof Data, string>,
): Rows<Row> | undefined {
  return readRows(schema, listOf(reply, name));
}

function listOf<Data>(reply: Reply<Data>, name: Extract<keyof Data, string>): unknown {
  const part = reply.part(name);
  const list = part?.['data'] ?? null;
  return list === null && part && !reply.hasFailed(name) ? [] : list;
}

/** An execution that does not exist is null, as the specification has it, or an error that says so. */
function absence({ errors }: Reply<WorkflowExecutionQuery>, row: unknown): Outcome<Found<null>> {
  if (row !== undefined && row !== null) return badAnswer('an execution that cannot be read');
  const about = errors.filter(({ part }) => part === undefined || part === 'workflowExecution');
  if (about.length === 0 || about.some(isNotFound)) return { value: { data: null, missing: [] } };
  return { fault: { kind: 'failed_answer', detail: 'no execution in it, and an error about it' } };
}

export function inOrderOfStart(events: readonly ExecutionEvent[]): readonly ExecutionEvent[] {
  return events.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

function inOrderOfTime(lines: readonly LogLine[]): readonly LogLine[] {
  return lines.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
}
