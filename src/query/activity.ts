/** Successes and failures by day, of one workflow or of all. */
import { WorkflowActivityDocument } from '../generated/operations.ts';
import type { Question } from './answers/answers.ts';
import type { ActivityBucket } from './asking.ts';
import { badAnswer } from './client/fault.ts';
import { byDay } from './days.ts';
import { rowsOf } from './execution.ts';
import type { ExecutionsFilter } from './questions.ts';
import { rowTypes, unreadableWords } from './rows.ts';
import { instant, windowKey } from './spans.ts';

const freshMs = 25_000;

type ActivityFilter = Omit<ExecutionsFilter, 'statuses'>;

export function activityQuestion({ workflowUuid, window }: ActivityFilter): Question<readonly ActivityBucket[]> {
  return {
    name: 'activity',
    parameters: [workflowUuid ?? '', ...windowKey(window)],
    subject: 'the activity',
    freshMs: () => freshMs,
    read: async (ask) => {
      // `to` is inclusive, and has to be there: a service's own default range is not known.
      const span = { from: instant(window.from), to: instant(window.to - 1) };
      const input = { ...span, ...(workflowUuid !== undefined && { workflowUUID: workflowUuid }) };
      const outcome = await ask(WorkflowActivityDocument, { input });
      if ('fault' in outcome) return outcome;
      const rows = rowsOf(rowTypes.bucket, outcome.value, 'workflowActivity');
      if (!rows) return badAnswer('no activity in it');
      return { value: { data: byDay(rows.rows), missing: unreadableWords(rows.unreadable, 'days') } };
    },
  };
}
