/** View of `executions`: a table, a menu to investigate one, a status filter and page buttons. */
import type { KnownBlock, RichTextBlock, RichTextElement, StaticSelect } from '@slack/types';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { actions, table } from '../../../views/blocks/blocks.ts';
import { answerActions, commandSelect, fitsMenu, pageActions } from '../../../views/blocks/command-button.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { bold, code, date, emoji, paragraph, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { investigateNote, investigatePlaceholder } from '../../../views/execution/investigate-buttons.ts';
import { type RunsScope, runsLine, runsMessage } from '../../../views/execution/runs-message.ts';
import { count, counted } from '../../../views/format/number.ts';
import { outsideLine, shortExecutionId } from '../../../views/format/outside-text.ts';
import { orNotKept, windowText } from '../../../views/format/provenance.ts';
import {
  executionResultEmoji,
  executionResultLabel,
  executionStatusLabel,
} from '../../../views/format/status-labels.ts';
import { duration, zonedTime } from '../../../views/format/time.ts';

export type ExecutionList = RunsScope & {
  /** Newest first. */
  readonly executions: readonly ExecutionFieldsFragment[];
  readonly hasMore: boolean;
  /** Number on all pages; null if it is not known. */
  readonly total: number | null;
  readonly statuses: readonly string[] | undefined;
  /** From 1. */
  readonly page: number;
  /** The reader's time zone, for the menu; Slack shows the times of the table in it. */
  readonly zone: string;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

export function executionListMessage(list: ExecutionList): Message {
  const { executions, page } = list;
  const isEmpty = executions.length === 0;
  const head = isEmpty
    ? emptyWords(list)
    : rich`${subjectWords(list, list.total)}, newest first${page > 1 ? rich`, page ${page}` : []}`;
  const menus = [...investigateMenu(list), ...statusMenu(list)];
  const pages = pageActions({ ...list, isEmpty, lineFor: (to) => lineFor({ ...list, page: to }) });
  return runsMessage(list, {
    head,
    blocks: [...(isEmpty ? [] : [executionTable(list)]), ...(menus.length === 0 ? [] : [actions(menus)])],
    notes: isEmpty ? [] : [investigateNote(list.slashCommand)],
    related: ['status', 'failures', 'activity', 'export'],
    actions: answerActions(lineFor(list), pages),
  });
}

/** @returns such as `20 runs of payments in the last 24h, status failed` */
function subjectWords(
  { workflow, window, statuses }: ExecutionList,
  total: number | null = null,
): readonly RichTextElement[] {
  const of = bold(workflow?.name ?? 'all workflows');
  const status =
    statuses === undefined ? [] : rich`, status ${trusted(statuses.map(executionStatusLabel).join(' or '))}`;
  const runs = total === null ? 'Runs' : counted(total, 'run');
  return rich`${trusted(runs)} of ${of} ${trusted(windowText(window))}${status}`;
}

function emptyWords(list: ExecutionList): readonly RichTextElement[] {
  if (list.provenance.missing.length > 0)
    return rich`${subjectWords(list)}: none was found, but the list is incomplete.`;
  if (list.page > 1) return rich`There is no page ${trusted(count(list.page))}.`;
  return rich`${subjectWords(list)}: none${trusted(orNotKept(list.window))}.`;
}

/** Three columns fit a phone. */
function executionTable({ executions, workflow, now }: ExecutionList): KnownBlock {
  const isOfAll = workflow === null;
  const rows = executions.map((execution) => [
    paragraph([date(Date.parse(execution.startedAt), 'second')]),
    resultCell(execution, now),
    paragraph(isOfAll ? rich`${plain(execution.workflowName, 60)} ${shortId(execution)}` : [shortId(execution)]),
  ]);
  return table(
    [
      { title: 'Started', isWrapped: true },
      { title: 'Status', isWrapped: true },
      { title: isOfAll ? 'Workflow and id' : 'Id', isWrapped: true },
    ],
    rows,
  );
}

function resultCell(execution: ExecutionFieldsFragment, now: number): RichTextBlock {
  return paragraph(
    rich`${emoji(executionResultEmoji(execution))} ${plain(executionResultLabel(execution), 40)}${tookWords(execution, now)}`,
  );
}

/** Empty for a negative duration: the clocks of two machines may disagree. */
function tookWords({ startedAt, finishedAt, status }: ExecutionFieldsFragment, now: number) {
  if (finishedAt !== null) {
    const ms = Date.parse(finishedAt) - Date.parse(startedAt);
    return ms >= 0 ? rich`, ${durationWord(ms)}` : [];
  }
  const ms = now - Date.parse(startedAt);
  return status === 'IN_PROGRESS' && ms >= 0 ? rich` for ${durationWord(ms)}` : [];
}

/** Keeps a number and its unit on one line. */
function durationWord(ms: number): RichTextElement {
  return trusted(duration(ms).replaceAll(' ', '\u00a0'));
}

/** The commands about an execution accept it; the menu carries the uuid. */
function shortId(execution: ExecutionFieldsFragment): RichTextElement {
  return code(shortExecutionId(execution));
}

/** A uuid of an unexpected shape may be too long for a menu. */
function investigateMenu({ executions, zone }: ExecutionList): readonly StaticSelect[] {
  const options = executions
    .map((execution) => ({
      label: optionLabel(execution, zone),
      line: `execution ${execution.uuid}`,
    }))
    .filter(fitsMenu);
  return options.length === 0 ? [] : [commandSelect({ placeholder: investigatePlaceholder, mode: 'open', options })];
}

/** The longest label fits the 75 characters that an option takes. */
function optionLabel(execution: ExecutionFieldsFragment, zone: string): string {
  const at = zonedTime(Date.parse(execution.startedAt), zone, 'second');
  return `${at} · ${outsideLine(executionResultLabel(execution), 21)} · ${outsideLine(execution.workflowName, 25)}`;
}

/** @returns the option of the command; short, because a menu takes no long lines */
export function statusFlag(statuses: readonly string[]): string {
  const words = statuses.map((status) => executionStatusLabel(status).split(' ').join('-'));
  return `--status ${words.join(',').replace('completed-with-errors', 'with-errors')}`;
}

const statusChoices = ['FAILURE', 'SUCCESS', 'COMPLETED_WITH_ERRORS', 'IN_PROGRESS'];

/** The same as `--status`. With a long window the lines do not fit a menu; the flag can still be typed. */
function statusMenu(list: ExecutionList): readonly StaticSelect[] {
  const choices = [undefined, ...statusChoices.map((status) => [status])];
  const options = choices.map((statuses) => ({
    label: statuses === undefined ? 'Any status' : `Only ${statuses.map(executionStatusLabel).join()}`,
    line: lineFor({ ...list, statuses, page: 1 }),
  }));
  return options.every(fitsMenu) ? [commandSelect({ placeholder: 'Filter by status…', mode: 'replace', options })] : [];
}

function lineFor({ statuses, page, ...list }: ExecutionList): string {
  return [runsLine('executions', list), statuses && statusFlag(statuses), page > 1 && `--page ${page}`]
    .filter(Boolean)
    .join(' ');
}
