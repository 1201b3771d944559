/** The last lines of a digest: what the marks mean, what was checked, what is missing, and which digests never came. */
import { type Markup, markup } from '../format/mrkdwn.ts';
import { counted } from '../format/number.ts';
import { zonedTime } from '../format/zoned.ts';
import { notListed } from './clear.ts';
import { type DigestFacts, type DigestFrame, verdictOf } from './facts.ts';

export function smallPrint(facts: DigestFacts): readonly Markup[] {
  const { creditUsed, missing, causes, unreadable, reconciliation, lumped, gone } = facts;
  const { days, mismatches } = reconciliation;
  const isClear = verdictOf(facts) === 'clear';
  const isChecked = days > 0 && mismatches.length === 0 && !isClear;
  return [
    ...(creditUsed === null || isClear ? [] : [markup`Credits used: ${creditUsed}.`]),
    ...(causes.some(({ recurrence }) => recurrence === 'new') ? [markup`New: not in the window before.`] : []),
    ...((gone?.resolved.length ?? 0) > 0 && !isClear
      ? [markup`Resolved: in the window before, and not in this one.`]
      : []),
    ...(lumped > 0 ? [markup`Too many causes or workflows: ${counted(lumped, 'failure')} only counted.`] : []),
    ...(isChecked ? [markup`Checked against the service’s counts of ${counted(days, 'whole UTC day')}.`] : []),
    ...(unreadable > 0 ? [markup`:warning: ${counted(unreadable, 'failure')} could not be read.`] : []),
    ...(verdictOf(facts) === 'failed' ? notListed(facts).map((words) => markup`:warning: The ${words}.`) : []),
    ...(missing.length > 0 ? [markup`:warning: Not known: ${missing.join(', ')}.`] : []),
    ...missedLine(facts),
  ];
}

const missedMax = 3;

/** Digests that never came. */
export function missedLine({ missed, zone }: Pick<DigestFrame, 'missed' | 'zone'>): readonly Markup[] {
  if (missed.length === 0) return [];
  const newest = missed.map(({ dueAt }) => dueAt).sort((one, other) => other - one);
  const listed = newest
    .slice(0, missedMax)
    .map((dueAt) => zonedTime(dueAt, zone))
    .join(', ');
  const left = missed.length - missedMax;
  const all = left > 0 ? `${listed} and ${left} more` : listed;
  return [markup`:warning: ${counted(missed.length, 'digest')} never came: ${all}.`];
}
