/** View of `failures`: causes with count, time range and fault, each with a button to investigate. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import { limits } from '../../../../shared/block-kit/limits.ts';
import type { AgedGroup } from '../../../insight/causes/cause.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { commandSelect } from '../../../views/blocks/command-button.ts';
import type { Message } from '../../../views/blocks/message.ts';
import {
  bold,
  bulleted,
  date,
  emoji,
  errorEnds,
  paragraph,
  plain,
  rich,
  several,
  trusted,
} from '../../../views/blocks/rich-text.ts';
import {
  investigateButtons,
  investigateNote,
  investigatePlaceholder,
} from '../../../views/execution/investigate-buttons.ts';
import { nameOrAll, type RunsScope, runsMessage, windowActions } from '../../../views/execution/runs-message.ts';
import { ageCounts, ageWords, newNote } from '../../../views/format/cause-age.ts';
import { causeText, otherErrorText } from '../../../views/format/error-text.ts';
import { allOf, count, counted } from '../../../views/format/number.ts';
import { orNotKept, windowText } from '../../../views/format/provenance.ts';
import { faultLabel } from '../../../views/format/status-labels.ts';

export type FailureList = RunsScope & {
  /** Most frequent first. */
  readonly causes: readonly AgedGroup<ExecutionFieldsFragment>[];
  /** True if the window may contain older failures. */
  readonly isCut: boolean;
  /** True if every failure of the window was read. */
  readonly isWhole: boolean;
  /** Finished runs of the window; null if the service could not say. */
  readonly counts: { readonly success: number; readonly failure: number } | null;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

/** Up to this number each cause has a button; more become a list and a menu. */
const buttonsMax = 5;
const listedMax = 12;

export function failuresMessage(list: FailureList): Message {
  const { causes, workflow, window } = list;
  const shown = causes.map((cause) => ({ ...cause, namesWorkflows: workflow === null, isCut: list.isCut }));
  return runsMessage(list, {
    head: causes.length === 0 ? noFailuresWords(list) : headWords(list),
    blocks: shown.length <= buttonsMax ? shown.flatMap(causeBlocks) : listBlocks(shown, list.slashCommand),
    notes: newNote(causes),
    related: ['status', 'executions', 'activity'],
    actions: windowActions('failures', list, window.label === '7d' ? '24h' : '7d'),
  });
}

function headWords(list: FailureList): readonly RichTextElement[] {
  const { causes, isCut, window } = list;
  const total = causes.reduce((sum, { count: alike }) => sum + alike, 0);
  const kinds = causes.length === 1 ? 'one cause' : `${counted(causes.length, 'cause')}: ${ageCounts(causes)}`;
  const many = isCut
    ? rich`the newest ${trusted(counted(total, 'failure'))}`
    : rich`${trusted(counted(total, 'failure'))}`;
  return rich`${emoji('x')} ${nameOrAll(list)}: ${many}${runsWords(list)} ${trusted(windowText(window))}, ${trusted(kinds)}.${cutNote(list)}`;
}

/** Empty for a cut list, whose share of all runs would mislead. */
function runsWords({ counts, isCut }: FailureList): readonly RichTextElement[] {
  if (counts === null || isCut) return [];
  const runs = counts.success + counts.failure;
  return runs === 0 ? [] : rich` in ${trusted(counted(runs, 'finished run'))}`;
}

function cutNote({ isCut, causes, counts }: FailureList): readonly RichTextElement[] {
  if (!isCut) return [];
  const oldest = Math.min(...causes.map(({ first }) => first));
  const all = counts === null || counts.failure === 0 ? 'There are more' : `${count(counts.failure)} in all`;
  return rich`\n${trusted(all)}: those before ${date(oldest)} are left out.`;
}

function causeBlocks(cause: CauseToShow, index: number): readonly KnownBlock[] {
  const about = { uuid: cause.sample.uuid, subject: titleOf(cause), isPrimary: index === 0 };
  return [paragraph(rich`${causeLines(cause)}${newestError(cause)}`), actions([...investigateButtons(about)])];
}

function listBlocks(causes: readonly CauseToShow[], slashCommand: string): readonly KnownBlock[] {
  const listed = causes.slice(0, listedMax);
  const options = causes.slice(0, limits.select.optionsMax).map((cause) => ({
    label: `${count(cause.count)}× ${titleOf(cause)}`,
    line: `execution ${cause.sample.uuid}`,
  }));
  const left = causes.slice(listedMax);
  const rest = left.length === 0 ? [] : [leftOut(left, options.length - listed.length)];
  return [
    bulleted(rich`${bold('Causes')}, most frequent first`, [...listed.map(causeLines), ...rest]),
    actions([commandSelect({ placeholder: investigatePlaceholder, mode: 'open', options })]),
    context([investigateNote(slashCommand)]),
  ];
}

function leftOut(left: readonly CauseToShow[], inMenu: number): readonly RichTextElement[] {
  const total = left.reduce((sum, { count: alike }) => sum + alike, 0);
  const where = inMenu === left.length ? 'in the menu' : `${inMenu} of them in the menu`;
  return rich`and ${trusted(counted(left.length, 'more cause'))} with ${trusted(counted(total, 'failure'))}, ${trusted(where)}`;
}

type CauseToShow = AgedGroup<ExecutionFieldsFragment> & {
  /** True if the list covers several workflows. */
  readonly namesWorkflows: boolean;
  /** True if the list leaves older failures of the window out. */
  readonly isCut: boolean;
};

/** Share of an error in the title above which the full error right below is only a repetition. */
const nearlyAll = 0.6;

/** The newest error in full, unless the title is most of it. */
function newestError(group: CauseToShow): readonly RichTextElement[] {
  const [first] = group.sample.errors ?? [];
  if (!first || titleOf(group).length >= nearlyAll * first.error.trim().length) return [];
  return rich`\nNewest: “${errorEnds(first.error, errorUnitsMax)}”`;
}

const errorUnitsMax = 240;
const titleUnitsMax = 160;
const namesMax = 3;
const nameUnitsMax = 60;

/** In the words of its newest failure. */
function titleOf({ cause, sample }: CauseToShow): string {
  return causeText(sample.errors ?? [], cause.title, titleUnitsMax).text;
}

function causeLines(group: CauseToShow): readonly RichTextElement[] {
  const names = [...group.workflows.keys()].map((name) => plain(name, nameUnitsMax));
  const where = group.namesWorkflows ? rich`\nIn ${several(names, namesMax)}` : [];
  const fault = trusted(faultLabel(group.cause.classifiedStatus) ?? 'fault not classified');
  return rich`${bold(titleOf(group), titleUnitsMax)}\n${timesWords(group)} · ${ageWords(group, group.first)}, ${fault}${where}${otherErrorWords(group)}`;
}

/** Describes the newest failure only: the others may differ. */
function otherErrorWords({ cause, count: alike }: CauseToShow): readonly RichTextElement[] {
  if (cause.otherError === null) return [];
  const where = trusted(alike === 1 ? '' : 'In the newest failure, ');
  return rich`\n${where}${otherErrorText(cause.otherError)}`;
}

/** A recurring cause may also have failed before the window, so its first failure here is not called the first. */
function timesWords({ count: alike, first, last, isCut }: CauseToShow): readonly RichTextElement[] {
  const where = trusted(isCut ? 'in this list' : 'in this window');
  if (alike === 1) return rich`Once ${where}: ${date(last)}`;
  return rich`${trusted(count(alike))} times ${where}, from ${date(first)} to ${date(last)}`;
}

/** Green only if the list is complete and the counts agree. */
function noFailuresWords(list: FailureList): readonly RichTextElement[] {
  const { counts, isWhole, window } = list;
  const who = nameOrAll(list);
  const when = trusted(windowText(window));
  if (!isWhole) return rich`${emoji('warning')} ${who}: no failures were found ${when}, but the list is incomplete.`;
  if (counts === null)
    return rich`${emoji('white_check_mark')} ${who}: no failures ${when}${trusted(orNotKept(window))}.`;
  const { success: succeeded, failure: failed } = counts;
  if (failed > 0) {
    const found = trusted(counted(failed, 'failure'));
    return rich`${emoji('warning')} ${who}: no failure is listed ${when}, but the query service counts ${found} and returned none.${trusted(window.isMoving ? ' Refresh to look again.' : '')}`;
  }
  if (succeeded === 0)
    return rich`${emoji('white_circle')} ${who}: nothing failed and no run finished ${when}${trusted(orNotKept(window))}.`;
  return rich`${emoji('white_check_mark')} ${who}: no failures ${when}, ${trusted(allOf(succeeded, 'finished run'))} succeeded.`;
}
