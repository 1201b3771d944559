/** Message for the beginning of an id that several executions share. */
import { actions, context } from '../blocks/blocks.ts';
import { commandSelect, fitsMenu } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { emoji, paragraph, plain, rich } from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { count } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { executionStatusLabel } from '../format/status-labels.ts';
import { zonedTime } from '../format/time.ts';

type PickExecution = {
  readonly typed: string;
  /** Newest first, at least two. */
  readonly executions: readonly {
    readonly uuid: string;
    readonly workflowName: string;
    readonly status: string;
    readonly startedAt: string;
  }[];
  /** The command line for one execution. */
  readonly lineFor: (uuid: string) => string;
  /** The reader's time zone. */
  readonly zone: string;
};

const optionsMax = 50;

export function pickExecutionMessage({ typed, executions, lineFor, zone }: PickExecution): Message {
  const options = executions
    .map(({ uuid, workflowName, status, startedAt }) => ({
      label: `${zonedTime(Date.parse(startedAt), zone, 'second')} · ${executionStatusLabel(status)} · ${outsideLine(workflowName, 30)}`,
      line: lineFor(uuid),
    }))
    .filter(fitsMenu)
    .slice(0, optionsMax);
  const left = executions.length - options.length;
  return message([
    paragraph(rich`${emoji('mag')} The ids of ${executions.length} runs begin with “${plain(typed, 80)}”. Which one?`),
    ...(options.length === 0
      ? []
      : [actions([commandSelect({ placeholder: 'Choose a run', mode: 'replace', options })])]),
    ...(left > 0 ? [context([markup`And ${count(left)} more: type more characters of the id.`])] : []),
  ]);
}
