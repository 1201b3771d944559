/** One cause of failures: its name, how often and when, whose fault it is, whether it is new, and where it strikes. */
import type { RichTextElement } from '@slack/types';
import type { Recurrence, RecurringGroup } from '../../../insight/health/recurrence.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { bold, date, errorEnds, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { count } from '../../../views/format/number.ts';
import { faultLabel } from '../../../views/format/status-labels.ts';

export type CauseToShow = RecurringGroup<ExecutionFieldsFragment> & {
  /** Whether the list is of several workflows. */
  readonly namesWorkflows: boolean;
};

/** What the title leaves out of the newest error: the values that tell what exactly was refused. */
export function newestError({ cause, sample }: CauseToShow): readonly RichTextElement[] {
  const [first] = sample.errors ?? [];
  if (!first || !cause.title.includes('…')) return [];
  return rich`\nNewest: “${errorEnds(first.error, errorUnitsMax)}”`;
}

const errorUnitsMax = 240;
const titleUnitsMax = 160;
const namesMax = 3;
const nameUnitsMax = 60;

export function causeLines(group: CauseToShow): readonly RichTextElement[] {
  const { cause, recurrence } = group;
  const facts = [...recurrenceWords[recurrence], faultLabel(cause.classifiedStatus) ?? 'fault not told'].join(', ');
  const minority = cause.minorityTitle === null ? [] : rich`\nSaid by fewer nodes: ${plain(cause.minorityTitle, 120)}`;
  return rich`${bold(cause.title, titleUnitsMax)}\n${timesWords(group)} · ${trusted(facts)}${placeWords(group)}${minority}`;
}

const recurrenceWords: Readonly<Record<Recurrence, readonly string[]>> = {
  new: ['new'],
  recurring: ['recurring'],
  unknown: [],
};

function timesWords({ count: alike, first, last }: CauseToShow): readonly RichTextElement[] {
  if (alike === 1) return rich`Once: ${date(last)}`;
  return rich`${trusted(count(alike))} times: first ${date(first)}, last ${date(last)}`;
}

function placeWords({ namesWorkflows, workflows }: CauseToShow): readonly RichTextElement[] {
  if (!namesWorkflows) return [];
  const shown = workflows
    .slice(0, namesMax)
    .flatMap((name, index) => [...(index > 0 ? rich`, ` : []), plain(name, nameUnitsMax)]);
  const left = workflows.length - namesMax;
  return rich`\nIn ${shown}${left > 0 ? rich` and ${trusted(count(left))} more` : []}`;
}
