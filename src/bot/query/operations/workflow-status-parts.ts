/** The parts of a status answer: each read for itself, sorted and filtered here too, and named where it is missing. */

import type { Found } from '../cache/answers.ts';
import type { Reply } from '../client/reply.ts';
import { byDay } from '../days.ts';
import { creditsBetween, readCredits } from '../decimal.ts';
import type { WorkflowStatusQuery } from '../generated/operations.ts';
import type { WorkflowStatusParameters } from '../parameters.ts';
import type { Deployment, Execution, Workflow, WorkflowStatus } from '../results.ts';
import { differenceOf, missingWords, newestFirst, readCounts, readRows, rowTypes } from '../rows.ts';
import { isWithin } from '../spans.ts';

const recentMax = 5;

type StatusReply = Reply<WorkflowStatusQuery>;

/** @param workflow what the reply's first part gave */
export function readStatus(
  reply: StatusReply,
  workflow: Workflow,
  asked: WorkflowStatusParameters,
): Found<WorkflowStatus> {
  const { counts, countsBefore, creditUsed } = countsOf(reply, asked.window.isMoving);
  const days = readRows(rowTypes.bucket, reply.part('activity')?.['data']);
  const failures = readRows(rowTypes.execution, reply.part('failures')?.['data']);
  const recent = readRows(rowTypes.execution, reply.part('recent')?.['data']);
  const deployments = readRows(rowTypes.deployment, reply.part('deployments')?.['data']);
  const latestDeployment = latestOf(deployments?.rows ?? []);
  return {
    data: {
      workflow,
      counts,
      countsBefore,
      creditUsed,
      days: days ? byDay(days.rows) : null,
      failures: failures ? failuresIn(asked, failures.rows) : null,
      recent: recent ? newestFirst(recent.rows).slice(0, recentMax) : null,
      latestDeployment,
    },
    missing: [
      ...(counts ? [] : ['the number of runs']),
      ...(countsBefore ? [] : ['the window before']),
      ...missingWords(days, 'days'),
      ...missingWords(failures, 'last failures'),
      ...missingWords(recent, 'newest runs'),
      ...missingWords(deployments, 'deployments'),
    ],
  };
}

/** The service counts from an instant until now: a window is a difference, and one that goes on needs no subtraction. */
function countsOf(reply: StatusReply, isMoving: boolean) {
  const [start, before, end] = (['sinceStart', 'sinceBefore', 'sinceEnd'] as const).map(
    (name) => reply.part(name)?.['data'],
  );
  const sinceStart = readCounts(start);
  return {
    counts: isMoving ? sinceStart : differenceOf(sinceStart, readCounts(end)),
    countsBefore: differenceOf(readCounts(before), sinceStart),
    creditUsed: isMoving ? readCredits(start) : creditsBetween(start, end),
  };
}

/** A service may ignore an order or a filter. */
function failuresIn(
  { window, failuresMax }: WorkflowStatusParameters,
  rows: readonly Execution[],
): readonly Execution[] {
  const failures = rows.filter((row) => row.status === 'FAILURE' && isWithin(window, row.startedAt));
  return newestFirst(failures).slice(0, failuresMax);
}

function latestOf(rows: readonly Deployment[]): Deployment | null {
  return rows.toSorted((a, b) => Date.parse(b.deployedAt) - Date.parse(a.deployedAt))[0] ?? null;
}
