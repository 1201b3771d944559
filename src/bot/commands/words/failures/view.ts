/** Failures by cause: what happened how often, since when and whose fault it is, each one press from its drill-down. */
import type { ActionsBlock, KnownBlock, RichTextElement } from '@slack/types';
import { limits } from '../../../../shared/block-kit/limits.ts';
import type { Provenance } from '../../../domain/provenance.ts';
import type { Window } from '../../../domain/window.ts';
import type { RecurringGroup } from '../../../insight/health/recurrence.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { answerActions, relatedCommands } from '../../../views/blocks/answer-actions.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { commandButton, commandSelect } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, bulleted, date, emoji, paragraph, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { count, counted } from '../../../views/format/number.ts';
import { missingLine, sourceLine, windowLine, windowText } from '../../../views/format/provenance.ts';
import { matchedNameNote } from '../../../views/notices/pick-workflow.ts';
import { type CauseToShow, causeLines, newestError } from './cause.ts';
import { noFailuresWords } from './none.ts';

export type FailureList = {
  /** Nulls stand for all workflows. */
  readonly workflow: { readonly uuid: string | null; readonly name: string | null; readonly takenFor: string | null };
  /** Most frequent first. */
  readonly causes: readonly RecurringGroup<ExecutionFieldsFragment>[];
  /** Whether there may be older failures in the window. */
  readonly isCut: boolean;
  /** Whether every failure of the window was read. */
  readonly isWhole: boolean;
  /** Null where the service could not say. */
  readonly days: readonly { readonly successCount: number; readonly failureCount: number }[] | null;
  readonly window: Window;
  readonly provenance: Provenance;
  readonly now: number;
};

/** So many causes have a button each; more are a list and a menu. */
const buttonsMax = 5;
const listedMax = 12;

export function failuresMessage(list: FailureList): Message {
  const { causes, workflow, provenance, now } = list;
  const note = matchedNameNote(workflow.name ?? '', workflow.takenFor);
  const small = context([
    windowLine(list),
    ...(causes.length === 0 ? [] : [markup`New: not in the window before. Recurring: it failed for this there too.`]),
    sourceLine(provenance, now),
    ...missingLine(provenance),
  ]);
  const buttons = answerActions(lineFor(list, list.window.label), otherButtons(list));
  const ways = relatedCommands(list, ['status', 'executions', 'activity']);
  if (causes.length === 0) return message([paragraph(rich`${noFailuresWords(list)}${note}`), small, ...ways, buttons]);
  const shown = causes.map((cause) => ({ ...cause, namesWorkflows: workflow.uuid === null }));
  return message([
    paragraph(rich`${headWords(list)}${note}`),
    ...(shown.length <= buttonsMax ? shown.flatMap(causeBlocks) : listBlocks(shown)),
    small,
    ...ways,
    buttons,
  ]);
}

function headWords(list: FailureList): readonly RichTextElement[] {
  const { workflow, causes, isCut, window } = list;
  const total = causes.reduce((sum, { count: alike }) => sum + alike, 0);
  const who = workflow.name === null ? bold('All workflows') : bold(workflow.name);
  const kinds = causes.length === 1 ? 'one cause' : counted(causes.length, 'cause');
  const many = isCut
    ? rich`the newest ${trusted(counted(total, 'failure'))}`
    : rich`${trusted(counted(total, 'failure'))}`;
  return rich`${emoji('x')} ${who}: ${many}${runsWords(list)} ${trusted(windowText(window))}, ${trusted(kinds)}.${cutNote(list)}`;
}

/** Beside a list that is cut, its share of all runs would mislead. */
function runsWords({ days, isCut }: FailureList): readonly RichTextElement[] {
  if (days === null || isCut) return [];
  const runs = days.reduce((sum, { successCount, failureCount }) => sum + successCount + failureCount, 0);
  return runs === 0 ? [] : rich` in ${trusted(counted(runs, 'finished run'))}`;
}

function cutNote({ isCut, causes, days }: FailureList): readonly RichTextElement[] {
  if (!isCut) return [];
  const oldest = Math.min(...causes.map(({ first }) => first));
  const known = days?.reduce((sum, { failureCount }) => sum + failureCount, 0) ?? 0;
  const all = known === 0 ? [] : rich` of ${trusted(count(known))}`;
  return rich`\nThere are more${all}: those before ${date(oldest)} are left out.`;
}

function causeBlocks(cause: CauseToShow, index: number): readonly KnownBlock[] {
  const investigate = commandButton({
    label: 'Investigate',
    line: `execution ${cause.sample.uuid}`,
    mode: 'open',
    ...(index === 0 && { style: 'primary' as const }),
    accessibilityLabel: `Investigate, in a thread: ${cause.cause.title}`,
  });
  return [paragraph(rich`${causeLines(cause)}${newestError(cause)}`), actions([investigate])];
}

function listBlocks(causes: readonly CauseToShow[]): readonly KnownBlock[] {
  const listed = causes.slice(0, listedMax);
  const options = causes.slice(0, limits.select.optionsMax).map((cause) => ({
    label: `${count(cause.count)}× ${cause.cause.title}`,
    line: `execution ${cause.sample.uuid}`,
  }));
  const left = causes.slice(listedMax);
  const rest = left.length === 0 ? [] : [leftOut(left, options.length - listed.length)];
  return [
    bulleted(rich`${bold('Causes')}, the most frequent first`, [...listed.map(causeLines), ...rest]),
    actions([commandSelect({ placeholder: 'Investigate…', mode: 'open', options })]),
  ];
}

function leftOut(left: readonly CauseToShow[], inMenu: number): readonly RichTextElement[] {
  const total = left.reduce((sum, { count: alike }) => sum + alike, 0);
  const where = inMenu === left.length ? 'all in the menu' : `${inMenu} of them in the menu`;
  return rich`and ${trusted(counted(left.length, 'more cause'))} with ${trusted(counted(total, 'failure'))}, ${trusted(where)}`;
}

function otherButtons(list: FailureList): ActionsBlock['elements'] {
  const other = list.window.label === '7d' ? '24h' : '7d';
  return [commandButton({ label: `Last ${other}`, line: lineFor(list, other), mode: 'replace' })];
}

function lineFor({ workflow }: FailureList, label: string): string {
  return ['failures', ...(workflow.uuid === null ? [] : [workflow.uuid]), label].join(' ');
}
