/** One cause of a digest, below it: the facts, an error as it was said, where it failed, and the way into it. */
import type { RichTextElement } from '@slack/types';
import type { FailingStep } from '../../insight/executions/timeline.ts';
import { actions } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, moment, ours, paragraph, plain, rich, several } from '../blocks/rich-text.ts';
import { errorWords } from '../execution/error-words.ts';
import { failingWords } from '../execution/step-words.ts';
import { count, counted } from '../format/number.ts';
import { faultWord } from '../format/words.ts';
import type { ShownCause } from './facts.ts';
import { nameUnitsMax } from './failing.ts';

const titleUnitsMax = 160;
const errorUnitsMax = 500;
const namesMax = 5;

export function digestCauseMessage(shown: ShownCause): Message {
  const { cause, sample } = shown;
  const investigate = commandButton({
    label: 'Investigate',
    line: `execution ${sample.uuid}`,
    mode: 'open',
    style: 'primary',
    accessibilityLabel: `Investigate: ${cause.title}`,
  });
  const facts = [...timesLine(shown), placeLine(shown), ...incidentLine(shown), ...stepLine(shown.failing)];
  return message([
    paragraph(rich`${bold(cause.title, titleUnitsMax)}\n${ours(marks(shown))}`),
    bulleted(rich`${sampleWords(shown)}`, facts),
    actions([investigate]),
  ]);
}

function marks({ recurrence, cause }: ShownCause): string {
  const fault = faultWord(cause.classifiedStatus) ?? 'fault not told';
  switch (recurrence) {
    case 'new':
      return `New, ${fault}`;
    case 'recurring':
      return `Recurring, ${fault}`;
    case 'unknown':
      return fault.charAt(0).toUpperCase() + fault.slice(1);
  }
}

function sampleWords({ sample, cause }: ShownCause): readonly RichTextElement[] {
  const [first] = sample.errors;
  if (first === undefined) return rich`The platform kept no error text.`;
  const minority =
    cause.minorityTitle === null
      ? []
      : rich`\nSaid by fewer nodes, which may say why: ${plain(cause.minorityTitle, 120)}`;
  const nodes = first.count > 0 ? rich`, ${ours(counted(first.count, 'node'))}` : [];
  return rich`Newest (${moment(sample.startedAt)}, ${plain(sample.workflowName, nameUnitsMax)}${nodes}): “${errorWords(first.error, errorUnitsMax)}”${minority}`;
}

function timesLine({ count: alike, first, last }: ShownCause): readonly (readonly RichTextElement[])[] {
  if (alike === 1) return [rich`Once: ${moment(last)}`];
  return [rich`${ours(count(alike))} times: first ${moment(first)}, last ${moment(last)}`];
}

function placeLine({ workflows }: ShownCause): readonly RichTextElement[] {
  const most = [...workflows].sort(([, one], [, other]) => other.count - one.count);
  const names = most.map(([name, tallied]) =>
    plain(most.length === 1 ? name : `${name} (${count(tallied.count)})`, nameUnitsMax + 12),
  );
  return rich`In ${several(names, namesMax)}`;
}

function incidentLine({ incident }: ShownCause): readonly (readonly RichTextElement[])[] {
  if (incident === null) return [];
  const { workflows, first } = incident;
  return [
    rich`One incident of the platform: ${ours(counted(workflows.length, 'workflow'))} failed together from ${moment(first)}`,
  ];
}

function stepLine(failing: FailingStep | null): readonly (readonly RichTextElement[])[] {
  return failing === null ? [] : [failingWords(failing)];
}
