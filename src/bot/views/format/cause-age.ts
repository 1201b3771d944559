/** The words for how old a cause is: the same in every answer. */
import type { CauseAge } from '../../insight/causes/recurrence.ts';
import { bold, date, rich, type Words } from '../blocks/rich-text.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { count } from './number.ts';

/** @param shownFrom start of the first failure that is said beside it @returns such as `new since 06:15`, `recurring`, or why it is not known */
export function ageWords({ recurrence, since }: CauseAge, shownFrom?: number): Words {
  switch (recurrence) {
    case 'new':
      return since === shownFrom ? [bold('new')] : rich`${bold('new')} since ${date(since)}`;
    case 'ongoing':
      return rich`ongoing (every run since ${date(since)} failed)`;
    case 'recurring':
      return rich`recurring`;
    case 'not_kept':
      return rich`first seen ${date(since)} (too few older runs are kept to call it new)`;
    case 'unread':
      return rich`age not known (too many older failures to read all)`;
    case 'unanswered':
      return rich`age not known (older failures could not be read)`;
    case 'no_text':
      return rich`age not known (failures without an error text cannot be compared)`;
  }
}

/** Small print below causes of which some are called new. */
export function newNote(causes: readonly CauseAge[]): readonly Markup[] {
  if (!causes.some(({ recurrence }) => recurrence === 'new')) return [];
  return [markup`“New” means that all known failures of a cause are within one day.`];
}

const known = ['new', 'ongoing', 'recurring'] as const;

/** @returns such as `5 new, 3 recurring, 1 without a known age`, which add up; `all new` */
export function ageCounts(causes: readonly CauseAge[]): string {
  const counts = known.map((word) => [causes.filter(({ recurrence }) => recurrence === word).length, word] as const);
  const left = causes.length - counts.reduce((sum, [many]) => sum + many, 0);
  const some = [...counts, [left, 'without a known age'] as const].filter(([many]) => many > 0);
  const [only, other] = some;
  if (only && !other) return `${causes.length === 1 ? '' : causes.length === 2 ? 'both ' : 'all '}${only[1]}`;
  return some.map(([many, words]) => `${count(many)} ${words}`).join(', ');
}
