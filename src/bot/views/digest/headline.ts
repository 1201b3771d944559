/** Heading of a digest: the number of failures, or the reason why there are none, with the window. */
import { type Trend, trendOf } from '../../insight/health/health.ts';
import { bold, emoji, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { ageCounts } from '../format/cause-age.ts';
import { trendLine } from '../format/health.ts';
import type { Markup } from '../format/mrkdwn.ts';
import { allOf, count, counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { duration, zonedRange } from '../format/time.ts';
import {
  type DigestFacts,
  type DigestFrame,
  type DigestWorkflow,
  failingNow,
  nameUnitsMax,
  rejectedDeployments,
  verdictOf,
} from './facts.ts';
import { workflowsText } from './subscription-text.ts';

export function headlineOf(facts: DigestFacts): Words {
  const frame = frameText(facts);
  return verdictOf(facts) === 'failed' ? rich`${failedWords(facts)}\n${frame}` : rich`${clearText(facts)} ${frame}.`;
}

/** The window in the channel's time zone, and the chosen workflows. */
export function frameText({ window, zone, about, known = [], isLate }: DigestFrame): Words {
  const late = isLate ? rich`${bold('Late')}: ` : [];
  return rich`${late}${trusted(zonedRange(window.from, window.to, zone))}${about.kind === 'all' ? [] : rich`, ${workflowsText({ workflows: about }, known)}`}`;
}

function failedWords(facts: DigestFacts): Words {
  const now = failingNow(facts);
  const mark = emoji(now.length > 0 ? 'red_circle' : 'x');
  const all = totals(facts);
  const sentence = now.length > 0 ? all.charAt(0).toUpperCase() + all.slice(1) : all;
  return rich`${mark} ${bold('Digest')}: ${nowWords(now)}${trusted(sentence)}. ${trusted(kinds(facts))}.`;
}

const namesMax = 3;

function nowWords(failing: readonly DigestWorkflow[]): Words {
  if (failing.length === 0) return [];
  const left = failing.length - namesMax;
  const names = failing.slice(0, namesMax).flatMap(({ name }, index, { length }) => {
    const joint = left <= 0 && index === length - 1 ? ' and ' : ', ';
    return rich`${trusted(index === 0 ? '' : joint)}${bold(name, nameUnitsMax)}`;
  });
  const and = left > 0 ? ` and ${count(left)} more` : '';
  return rich`${names}${trusted(`${and} ${failing.length === 1 ? 'is' : 'are'} failing now. `)}`;
}

/** Comparison with the window before, if the number of runs is known. */
function totals(facts: DigestFacts): string {
  const { failureCount, successCount, failuresBefore, window } = facts;
  const when = `in ${duration(window.to - window.from)}`;
  if (successCount === null) {
    const before = failuresBefore === null ? '' : `; ${count(failuresBefore)} in the previous window`;
    return `${counted(failureCount, 'failure')} ${when}${before}; the number of runs is not known`;
  }
  const { words, note } = trendFrom(facts, successCount, when);
  return words + note;
}

function trendFrom(
  { failureCount, failuresBefore, successesBefore, history }: DigestFacts,
  successCount: number,
  when: string,
): Trend {
  const before = failuresBefore === null || successesBefore === null ? null : asCounts(failuresBefore, successesBefore);
  return trendOf(asCounts(failureCount, successCount), before, when, history);
}

export function trendEvidence(facts: DigestFacts): readonly Markup[] {
  const { successCount, history } = facts;
  return successCount === null ? [] : trendLine(trendFrom(facts, successCount, ''), history);
}

function asCounts(failure: number, success: number) {
  return { total: failure + success, failure, success };
}

/** The workflows that failed, of those that exist; deleted ones are named apart. */
function failedOf({ failing, workflowCount, failedWorkflows }: DigestFacts): string {
  if (failedWorkflows === null || workflowCount === null) return `${counted(failing.length, 'workflow')} had failures`;
  const { existing, deleted, isAtLeast } = failedWorkflows;
  const gone = counted(deleted, 'deleted workflow');
  if (existing === 0 && deleted > 0) return `${gone} had failures`;
  const share = `${isAtLeast ? 'at least ' : ''}${count(existing)} of ${counted(workflowCount, 'workflow')} had failures`;
  return deleted === 0 ? share : `${share}, and so did ${gone}`;
}

function kinds(facts: DigestFacts): string {
  const { causes, gone, onlyCounted } = facts;
  const resolved = gone?.resolved.length ?? 0;
  const all = `${counted(causes.length, 'cause')}${onlyCounted > 0 ? ' or more' : ''}`;
  return [
    `${failedOf(facts)}. ${all}`,
    ...(causes.length === 0 ? [] : [`: ${ageCounts(causes)}`]),
    ...(resolved === 0 ? [] : [`; ${counted(resolved, 'earlier cause')} resolved`]),
  ].join('');
}

function clearText(facts: DigestFacts): Words {
  const rejected = rejectedDeployments(facts).length;
  const nothing = trusted(rejected > 0 ? 'no run failed' : 'nothing failed');
  switch (verdictOf(facts)) {
    case 'failed':
      return [];
    case 'doubtful':
      return rich`${emoji('warning')} ${bold('Digest')}: no failure was found, but ${trusted(doubts(facts))}.`;
    case 'silent':
      return rich`${emoji('warning')} ${bold('Digest')}: ${nothing}, but ${trusted(counted(facts.silent.length, 'workflow'))} ${trusted(facts.silent.length === 1 ? 'is' : 'are')} silent; ${runWords(facts)}.`;
    case 'nothing_ran':
    case 'clear':
      if (rejected > 0)
        return rich`${emoji('warning')} ${bold('Digest')}: ${nothing}, but ${trusted(counted(rejected, 'deployment'))} failed; ${runWords(facts)}.`;
      if (facts.successCount === 0)
        return rich`${emoji('white_circle')} ${bold('Digest')}: nothing failed, and ${runWords(facts)}.`;
      if (facts.neverRan.length > 0)
        return rich`${emoji('grey_question')} ${bold('Digest')}: nothing failed; ${trusted(counted(facts.neverRan.length, 'active workflow'))} never ran; ${runWords(facts)}.`;
      if (facts.withErrors?.workflows.size)
        return rich`${emoji('white_check_mark')} ${bold('No failures')}: ${runWords(facts)}.`;
      return rich`${emoji('white_check_mark')} ${bold('All clear')}: ${trusted(facts.successCount === null ? 'no failures; ' : '')}${runWords(facts)}.`;
  }
}

function runWords(facts: DigestFacts): Words {
  const { successCount: runs } = facts;
  if (runs === null) return rich`the number of runs is not known${trusted(resolvedWords(facts))}`;
  const flawed = facts.withErrors?.workflows.size ? ', some with errors' : '';
  return rich`${trusted(runs === 0 ? 'no run finished' : `${allOf(runs, 'finished run')} succeeded${flawed}`)}${trusted(resolvedWords(facts))}`;
}

function resolvedWords({ gone }: DigestFacts): string {
  const resolved = gone?.resolved.length ?? 0;
  return resolved === 0 ? '' : `, ${counted(resolved, 'earlier cause')} resolved`;
}

/** Lists all of it, so that a permanent note hides nothing new. */
function doubts(facts: DigestFacts): string {
  const { failuresNotRead, unreadable, workflowCount, about, unchecked } = facts;
  const reasons = [
    ...(failuresNotRead > 0 ? [`the query service counts ${counted(failuresNotRead, 'failure')}`] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, 'failure')} could not be read`] : []),
    ...(about.kind === 'text' && workflowCount === 0
      ? [`no workflow has “${outsideLine(about.text, nameUnitsMax)}” in its name`]
      : []),
    ...notListed(facts).map((words) => `the ${words}`),
    ...(unchecked.length > 0 ? [`the bot could not check for ${unchecked.join(' and ')}`] : []),
  ];
  return reasons.length === 0 ? 'the query service’s counts differ' : reasons.join(', and ');
}

/** Continues a sentence after its article; empty if all chosen workflows are listed. */
export function notListed({ goneWorkflows: gone }: Pick<DigestFacts, 'goneWorkflows'>): readonly string[] {
  return gone === 0
    ? []
    : [`query service no longer lists ${gone === 1 ? 'one' : count(gone)} of the chosen workflows`];
}
