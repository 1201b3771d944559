/** Successes and failures by UTC day or hour, of one workflow or of all. */

import type { Window } from '../../domain/window.ts';
import { batchByAlias } from '../batch.ts';
import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer } from '../client/fault.ts';
import { WorkflowActivityDocument, type WorkflowActivityInput } from '../generated/operations.ts';
import type { ActivityFilter } from '../parameters.ts';
import type { ActivityBucket, ActivitySeries } from '../results.ts';
import { readRows, rowsOf, rowTypes, unreadableWords } from '../rows.ts';
import { byDay, instant, partsOf, windowedBy, windowKey } from '../spans.ts';

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

async function readDays(ask: Ask, filter: ActivityFilter): Promise<Found<readonly ActivityBucket[]>> {
  const reply = await ask(WorkflowActivityDocument, { input: inputOf(filter) });
  const rows = rowsOf(rowTypes.bucket, reply, 'workflowActivity');
  if (!rows) throw badAnswer('no activity in it');
  return { data: byDay(rows.rows), missing: unreadableWords(rows.unreadable, 'days') };
}

const askActivities = batchByAlias(WorkflowActivityDocument, 'workflowActivity');

/** One bucket an hour for at most 30 hours, otherwise one a day. A service's own buckets are UTC days, so hours and other days are ranges. */
export function activitySeriesOperation(filter: ActivityFilter, zone: string): Operation<ActivitySeries> {
  return {
    name: 'activity series',
    ...windowedBy(filter, filter.workflowUuid ?? '', zone),
    subject: 'the activity',
    freshMs: () => freshMs,
    read: async (ask) => {
      const parts = partsOf(filter.window, zone);
      if (!parts) return readUtcDays(ask, filter);
      const inputs = parts.map((window) => inputOf({ ...filter, window }));
      const replies = await askActivities(ask, inputs);
      const found = replies.map(({ list }, index) => ({ part: parts[index], rows: readRows(rowTypes.bucket, list) }));
      // Such a service counts whole days whatever the range.
      const isOutside = ({ from, to }: ActivityBucket, part: Window) =>
        Date.parse(from) < part.from || Date.parse(to) > part.to;
      if (found.some(({ part, rows }) => part && rows?.rows.some((row) => isOutside(row, part))))
        return readUtcDays(ask, filter);
      const buckets = found.flatMap(({ part, rows }) =>
        part && rows?.unreadable === 0 ? [summed(rows.rows, part)] : [],
      );
      if (buckets.length === 0) throw badAnswer('no activity in it');
      return { data: { buckets, zone }, missing: unreadableWords(parts.length - buckets.length, 'hours or days') };
    },
  };
}

async function readUtcDays(ask: Ask, filter: ActivityFilter): Promise<Found<ActivitySeries>> {
  const { data: buckets, missing } = await readDays(ask, filter);
  return { data: { buckets, zone: 'UTC' }, missing };
}

function summed(rows: readonly ActivityBucket[], { from, to }: Window): ActivityBucket {
  return {
    from: instant(from),
    to: instant(to),
    successCount: rows.reduce((sum, { successCount }) => sum + successCount, 0),
    failureCount: rows.reduce((sum, { failureCount }) => sum + failureCount, 0),
  };
}

export function activitiesOperation(
  filters: readonly ActivityFilter[],
): Operation<readonly (readonly ActivityBucket[] | null)[]> {
  const foundIn = (data: readonly (readonly ActivityBucket[] | null)[]) => {
    return { data, missing: data.includes(null) ? ['the number of runs'] : [] };
  };
  return {
    name: 'activities',
    parameters: filters.flatMap(({ workflowUuid, window }) => [workflowUuid ?? '', ...windowKey(window)]),
    subject: 'the activity',
    freshMs: () => freshMs,
    parts: {
      keys: filters.map(({ workflowUuid, window }) => ({ key: [workflowUuid, ...windowKey(window)].join(' '), at: 0 })),
      split: (data) => data,
      join: foundIn,
    },
    read: async (ask) => {
      const replies = await askActivities(ask, filters.map(inputOf));
      const daysIn = ({ list }: (typeof replies)[number]) => {
        const rows = readRows(rowTypes.bucket, list);
        return rows && rows.unreadable === 0 ? byDay(rows.rows) : null;
      };
      return foundIn(replies.map(daysIn));
    },
  };
}
