/** Successes and failures by UTC day, of one workflow or of all. */

import { batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import { badAnswer } from '../client/fault.ts';
import { WorkflowActivityDocument, type WorkflowActivityInput } from '../generated/operations.ts';
import type { ActivityFilter } from '../parameters.ts';
import type { ActivityBucket } from '../results.ts';
import { rowTypes, unreadableWords } from '../rows.ts';
import { byDay, instant, windowKey } from '../spans.ts';
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
    read: async (ask) => {
      const outcome = await ask(WorkflowActivityDocument, { input: inputOf(filter) });
      if ('fault' in outcome) return outcome;
      const rows = rowsOf(rowTypes.bucket, outcome.value, 'workflowActivity');
      if (!rows) return badAnswer('no activity in it');
      return { value: { data: byDay(rows.rows), missing: unreadableWords(rows.unreadable, 'days') } };
    },
  };
}

const askActivities = batchByAlias(WorkflowActivityDocument, 'workflowActivity');

/** Several in one document, in the order of the filters; null for an activity that could not be read whole. */
export function activitiesOperation(
  filters: readonly ActivityFilter[],
): Operation<readonly (readonly ActivityBucket[] | null)[]> {
  return {
    name: 'activities',
    parameters: filters.flatMap(({ workflowUuid, window }) => [workflowUuid ?? '', ...windowKey(window)]),
    subject: 'the activity',
    freshMs: () => freshMs,
    read: async (ask, batchSizes) => {
      const outcome = await askActivities(ask, filters.map(inputOf), batchSizes);
      if ('fault' in outcome) return outcome;
      const data = outcome.value.map(({ reply, name }) => {
        const rows = rowsOf(rowTypes.bucket, reply, name);
        return rows && rows.unreadable === 0 ? byDay(rows.rows) : null;
      });
      return { value: { data, missing: data.includes(null) ? ['the number of runs'] : [] } };
    },
  };
}
