/** The data of the status card of one workflow, in one round trip. */
import { type Window, windowBefore } from '../../domain/window.ts';
import type { Found, Operation } from '../cache/answers.ts';
import { badAnswer, NoAnswer } from '../client/fault.ts';
import { isNotFound, type Reply } from '../client/reply.ts';
import {
  WorkflowStatusDocument,
  type WorkflowStatusQuery,
  type WorkflowStatusQueryVariables,
} from '../generated/operations.ts';
import type { WorkflowStatusParameters } from '../parameters.ts';
import type { ExecutionResult, Workflow, WorkflowStatus } from '../results.ts';
import {
  countsInWindow,
  differenceOf,
  missingWords,
  newestFirst,
  pageSizeMax,
  readCounts,
  readRow,
  readRows,
  rowTypes,
  uniqueByUuid,
} from '../rows.ts';
import { byDay, instant, isWithin, spanOf, startOfDay, windowedBy } from '../spans.ts';
import { newestDeployedFirst } from './deployments.ts';
import { hasEnded } from './executions.ts';

const freshMs = 25_000;
/** If an execution is running, or the workflow is unknown: it may just have been deployed. */
const changingFreshMs = 10_000;

const dayMs = 86_400_000;
/** The longest activity window of the service. */
const activityMaxMs = 366 * dayMs;
/** The days before the window show the usual variation. */
const historyMs = 28 * dayMs;
/** More than are shown, since a service may ignore the order. */
const pageSizes = { recent: 10, deployments: 20 } as const;

export function workflowStatusOperation(parameters: WorkflowStatusParameters): Operation<WorkflowStatus | null> {
  const { uuid, window, failuresMax } = parameters;
  return {
    name: 'workflow status',
    ...windowedBy({ window, takesOtherWindow: true }, uuid, failuresMax),
    subject: 'the status of this workflow',
    freshMs: (status) => ((status?.newestExecutions?.every(hasEnded) ?? status !== null) ? freshMs : changingFreshMs),
    read: async (ask) => {
      const reply = await ask(WorkflowStatusDocument, variablesOf(parameters));
      const row = reply.part('sinceStart')?.['data'];
      const workflow = readRow(rowTypes.workflow, row);
      if (workflow) return readStatus(reply, workflow, parameters);
      if (row !== undefined && row !== null) throw badAnswer('a workflow that cannot be read');
      if (isUnknown(reply)) return { data: null, missing: [] };
      throw new NoAnswer({ kind: 'failed_answer', detail: 'no workflow in it, and other parts are not empty' });
    },
  };
}

function variablesOf({ uuid, window, failuresMax }: WorkflowStatusParameters): WorkflowStatusQueryVariables {
  const { from, to, isMoving } = window;
  // The last day is shown whole, although the window ends within it: a part would be taken for the day.
  const lastDayTo = isMoving ? to : startOfDay(to - 1) + dayMs;
  const orderBy = { field: 'STARTED_AT', order: 'DESC' } as const;
  return {
    sinceStart: { uuid, from: instant(from) },
    sinceBefore: { uuid, from: instant(windowBefore(window).from) },
    sinceEnd: { uuid, from: instant(to) },
    activity: {
      workflowUUID: uuid,
      from: instant(Math.max(firstDayOf(window) - historyMs, lastDayTo - activityMaxMs)),
      to: instant(lastDayTo - 1),
    },
    failures: {
      workflowUuid: uuid,
      status: ['FAILURE'],
      ...spanOf(window),
      orderBy,
      page: { number: 0, size: failuresMax },
    },
    successes: {
      workflowUuid: uuid,
      status: ['SUCCESS'],
      ...spanOf(window),
      orderBy,
      page: { number: 0, size: pageSizeMax },
    },
    recent: { workflowUuid: uuid, orderBy, page: { number: 0, size: pageSizes.recent } },
    deployments: { workflowUUID: uuid, page: { number: 0, size: pageSizes.deployments } },
    hasEnded: !isMoving,
  };
}

/** The window, and at least the last seven days. */
function firstDayOf({ from, to }: Window): number {
  return Math.min(startOfDay(from), startOfDay(to - 1) - 6 * dayMs);
}

/**
 * An unknown uuid gives an error that says so, null without an error, or another error with empty other parts. The
 * specification does not say which.
 */
function isUnknown(reply: Reply<WorkflowStatusQuery>): boolean {
  const about = reply.errors.filter(({ part }) => part === undefined || part === 'sinceStart');
  if (about.length === 0 || about.some(isNotFound)) return true;
  return (['recent', 'failures', 'deployments'] as const).every((name) => {
    const list = reply.part(name)?.['data'];
    return Array.isArray(list) && list.length === 0;
  });
}

/** @param workflow from the first part of the reply */
function readStatus(
  reply: Reply<WorkflowStatusQuery>,
  workflow: Workflow,
  parameters: WorkflowStatusParameters,
): Found<WorkflowStatus> {
  const { counts, countsBefore, creditUsed } = countsOf(reply, parameters.window.isMoving);
  const days = readRows(rowTypes.bucket, reply.part('activity')?.['data']);
  const failures = readRows(rowTypes.execution, reply.part('failures')?.['data']);
  const successes = readRows(rowTypes.executionResult, reply.part('successes')?.['data']);
  const newest = readRows(rowTypes.execution, reply.part('recent')?.['data']);
  const deployments = readRows(rowTypes.deployment, reply.part('deployments')?.['data']);
  const allDays = days ? byDay(days.rows) : null;
  const { window } = parameters;
  // Orders and filters again: a service may ignore either.
  const isWanted = (row: ExecutionResult, result: 'SUCCESS' | 'FAILURE') =>
    row.status === result && isWithin(window, row.startedAt);
  const deployed = deployments && newestDeployedFirst(deployments.rows);
  return {
    data: {
      workflow,
      counts,
      countsBefore,
      creditUsed,
      days: allDays?.filter(({ from }) => Date.parse(from) >= firstDayOf(window)) ?? null,
      history: allDays?.filter(({ from }) => Date.parse(from) + dayMs <= window.from) ?? null,
      failures: failures
        ? newestFirst(failures.rows.filter((row) => isWanted(row, 'FAILURE'))).slice(0, parameters.failuresMax)
        : null,
      successes: successes ? uniqueByUuid(successes.rows.filter((row) => isWanted(row, 'SUCCESS'))) : null,
      newestExecutions: newest ? newestFirst(newest.rows).slice(0, pageSizes.recent) : null,
      deployments: deployed ?? null,
      latestDeployment: deployed?.[0] ?? null,
    },
    missing: [
      ...(counts ? [] : ['the number of runs']),
      ...(countsBefore ? [] : ['the previous window']),
      ...missingWords(days, 'days'),
      ...missingWords(failures, 'last failures'),
      ...missingWords(successes, 'successes with errors'),
      ...missingWords(newest, 'newest runs'),
      ...missingWords(deployments, 'deployments'),
    ],
  };
}

function countsOf(reply: Reply<WorkflowStatusQuery>, isMoving: boolean) {
  const [start, before, end] = (['sinceStart', 'sinceBefore', 'sinceEnd'] as const).map(
    (name) => reply.part(name)?.['data'],
  );
  const countsBefore = differenceOf(readCounts(before), readCounts(start));
  return { ...countsInWindow(start, end, isMoving), countsBefore };
}
