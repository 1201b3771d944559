/** The digest's first message: what failed and why, what is new and what is gone, in a screen and a half of a phone. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import { spelledWindow } from '../../domain/window.ts';
import { trendOf } from '../../insight/health/trend.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, emoji, paragraph, rich, trusted } from '../blocks/rich-text.ts';
import { duration } from '../format/date.ts';
import { count, counted } from '../format/number.ts';
import { zonedRange } from '../format/zoned.ts';
import { clearText } from './clear.ts';
import { type DigestFacts, type DigestFrame, verdictOf } from './facts.ts';
import { failingBlocks } from './failing.ts';
import { deploymentBlocks, goneBlocks, mismatchBlocks, silentBlocks } from './parts.ts';
import { smallPrint } from './small-print.ts';
import { workflowsText } from './subscription-text.ts';

/** @param window epoch milliseconds @returns the command line that lists the failures behind a digest */
export function failuresLine({ window, about }: Pick<DigestFrame, 'window' | 'about'>): string {
  const [only, ...others] = about.kind === 'chosen' ? about.uuids : [];
  const one = only !== undefined && others.length === 0 ? [only] : [];
  return ['failures', ...one, spelledWindow(window.from, window.to)].join(' ');
}

export function digestRootMessage(facts: DigestFacts): Message {
  const hasFailed = verdictOf(facts) === 'failed';
  return message([
    paragraph(
      hasFailed ? rich`${failedWords(facts)}\n${frameText(facts)}` : rich`${clearText(facts)} ${frameText(facts)}.`,
    ),
    ...mismatchBlocks(facts),
    ...failingBlocks(facts),
    ...silentBlocks(facts),
    ...(hasFailed ? goneBlocks(facts) : []),
    ...deploymentBlocks(facts),
    ...smallPrintBlocks(facts),
    ...(hasFailed ? [failuresButton(facts)] : []),
  ]);
}

function smallPrintBlocks(facts: DigestFacts): readonly KnownBlock[] {
  const lines = smallPrint(facts);
  return lines.length === 0 ? [] : [context(lines)];
}

/** A list of failures is of one workflow or of all. */
function failuresButton(facts: DigestFacts) {
  const { about } = facts;
  const isMore = about.kind === 'text' || (about.kind === 'chosen' && about.uuids.length > 1);
  const label = isMore ? 'Failures of all workflows' : 'All failures';
  return actions([commandButton({ label, line: failuresLine(facts), mode: 'open', style: 'primary' })]);
}

/** Of which time and what: as the channel's clocks have it. */
export function frameText({ window, zone, about, known = [], isLate }: DigestFrame): readonly RichTextElement[] {
  const late = isLate ? rich`${bold('Late')}: ` : [];
  return rich`${late}${trusted(zonedRange(window.from, window.to, zone))}${about.kind === 'all' ? [] : rich`, ${workflowsText({ workflows: about }, known)}`}`;
}

function failedWords(facts: DigestFacts): readonly RichTextElement[] {
  return rich`${emoji('x')} ${bold('Digest')}: ${trusted(totals(facts))}. ${trusted(kinds(facts))}.`;
}

/** Against the window before, where the number of runs is known. */
function totals({ failureCount, successCount, failuresBefore, successesBefore, window }: DigestFacts): string {
  const when = `in ${duration(window.to - window.from)}`;
  if (successCount === null) {
    const before = failuresBefore === null ? '' : `; ${count(failuresBefore)} before`;
    return `${counted(failureCount, 'failure')} ${when}${before}; the number of runs is not known`;
  }
  const before = failuresBefore === null || successesBefore === null ? null : asCounts(failuresBefore, successesBefore);
  return trendOf(asCounts(failureCount, successCount), before, when).words;
}

function asCounts(failure: number, success: number) {
  return { total: failure + success, failure, success };
}

function kinds({ failing, workflowCount, causes, gone, lumped }: DigestFacts): string {
  const of = workflowCount === null || workflowCount < failing.length ? '' : ` of ${count(workflowCount)}`;
  const many = failing.length === 1 && of === '' ? 'workflow' : 'workflows';
  const ofKind = (recurrence: string) => causes.filter((cause) => cause.recurrence === recurrence).length;
  const marks = (['new', 'recurring'] as const).flatMap((word) =>
    ofKind(word) === 0 ? [] : [`${count(ofKind(word))} ${word}`],
  );
  const resolved = gone?.resolved.length ?? 0;
  const all = `${counted(causes.length, 'cause')}${lumped > 0 ? ' or more' : ''}`;
  return [
    `${count(failing.length)}${of} ${many} failed. ${all}`,
    ...(marks.length === 0 ? [] : [`: ${marks.join(', ')}`]),
    ...(resolved === 0 ? [] : [`; ${count(resolved)} resolved`]),
  ].join('');
}
