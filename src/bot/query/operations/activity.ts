/** Successes and failures by UTC day or hour, of one workflow or of all. */

import type { Window } from '../../domain/window.ts';
import { batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, type Outcome } from '../client/fault.ts';
import { WorkflowActivityDocument, type WorkflowActivityInput } from '../generated/operations.ts';
import type { ActivityFilter } from '../parameters.ts';
import type { ActivityBucket } from '../results.ts';
import { rowTypes, unreadableWords } from '../rows.ts';
import { byDay, hoursOf, instant, windowKey } from '../spans.ts';
import { rowsOf } from './execution.ts';

const freshMs = 25_000;

/** `to` is inclusive and always set: the default range of a service is not known. */
function inputOf({ workflowUuid, window }: ActivityFilter): WorkflowActivityInput {
  const span = { from: instant(window.from), to: instant(window.to - 1) };
  return { ...span, ...(workflowUuid !== undefined && { workflowUUID: workflowUuid }) };
}

export function activityOperation(filter: ActivityFilter): Operation<readonly ActivityBucket[]> {
  const { workflowUuid, window } = filter;
  return {
    name: 'activity',
    parameters: [workflowUuid ?? '', ...windowKey(window)],
    subject: 'the activity',
    freshMs: () => freshMs,
    read: (ask) => readDays(ask, filter),
  };
}

type Series = Outcome<{ readonly data: readonly ActivityBucket[]; readonly missing: readonly string[] }>;

async function readDays(ask: Ask, filter: ActivityFilter): Promise<Series> {
  const outcome = await ask(WorkflowActivityDocument, { input: inputOf(filter) });
  if ('fault' in outcome) return outcome;
  const rows = rowsOf(rowTypes.bucket, outcome.value, 'workflowActivity');
  if (!rows) return badAnswer('no activity in it');
  return { value: { data: byDay(rows.rows), missing: unreadableWords(rows.unreadable, 'days') } };
}

const askActivities = batchByAlias(WorkflowActivityDocument, 'workflowActivity');

/** One bucket an hour for a window of at most 30 hours, otherwise one a day. A service's own buckets are days, so each hour is a range. */
export function activitySeriesOperation(filter: ActivityFilter): Operation<readonly ActivityBucket[]> {
  const hours = hoursOf(filter.window);
  if (!hours) return activityOperation(filter);
  return {
    name: 'activity by hour',
    parameters: [filter.workflowUuid ?? '', ...windowKey(filter.window)],
    subject: 'the activity',
    freshMs: () => freshMs,
    read: async (ask) => {
      const inputs = hours.map((window) => inputOf({ ...filter, window }));
      const outcome = await askActivities(ask, inputs);
      if ('fault' in outcome) return outcome;
      const found = outcome.value.map(({ reply, name }, index) => ({
        hour: hours[index],
        rows: rowsOf(rowTypes.bucket, reply, name),
      }));
      // Such a service counts whole days whatever the range.
      if (found.some(({ hour, rows }) => hour && rows?.rows.some((row) => !isInside(row, hour)))) {
        return readDays(ask, filter);
      }
      const data = found.flatMap(({ hour, rows }) => (hour && rows?.unreadable === 0 ? [summed(rows.rows, hour)] : []));
      if (data.length === 0) return badAnswer('no activity in it');
      return { value: { data, missing: unreadableWords(hours.length - data.length, 'hours') } };
    },
  };
}

function isInside({ from, to }: ActivityBucket, hour: Window): boolean {
  return Date.parse(from) >= hour.from && Date.parse(to) <= hour.to;
}

function summed(rows: readonly ActivityBucket[], { from, to }: Window): ActivityBucket {
  return {
    from: instant(from),
    to: instant(to),
    successCount: rows.reduce((sum, { successCount }) => sum + successCount, 0),
    failureCount: rows.reduce((sum, { failureCount }) => sum + failureCount, 0),
  };
}

/** Several in one document, in the order of the filters; null for an activity that could not be read whole. */
export function activitiesOperation(
  filters: readonly ActivityFilter[],
): Operation<readonly (readonly ActivityBucket[] | null)[]> {
  return {
    name: 'activities',
    parameters: filters.flatMap(({ workflowUuid, window }) => [workflowUuid ?? '', ...windowKey(window)]),
    subject: 'the activity',
    freshMs: () => freshMs,
    read: async (ask) => {
      const outcome = await askActivities(ask, filters.map(inputOf));
      if ('fault' in outcome) return outcome;
      const data = outcome.value.map(({ reply, name }) => {
        const rows = rowsOf(rowTypes.bucket, reply, name);
        return rows && rows.unreadable === 0 ? byDay(rows.rows) : null;
      });
      return { value: { data, missing: data.includes(null) ? ['the number of runs'] : [] } };
    },
  };
}
