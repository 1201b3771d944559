/** Names the execution that an answer is about, so that it is understood alone. */
import type { RichTextElement } from '@slack/types';
import { code, date, plain, rich } from '../blocks/rich-text.ts';
import { matchedNameNote, type TakenFor } from '../notices/pick.ts';

export type ExecutionSubject = {
  readonly workflowName: string;
  readonly shortId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The typed text, if it is not the whole name of the workflow. */
  readonly takenFor: TakenFor | null;
};

/** @returns such as `of payments, run 3f2a9c1b (Nov 20 at 10:15)` */
export function subjectWords({ workflowName, shortId, startedAt }: ExecutionSubject): readonly RichTextElement[] {
  return rich` of ${plain(workflowName)}, run ${code(shortId)} (${date(startedAt, 'second')})`;
}

export function subjectNote({ workflowName, takenFor }: ExecutionSubject): readonly RichTextElement[] {
  return matchedNameNote(workflowName, takenFor);
}
