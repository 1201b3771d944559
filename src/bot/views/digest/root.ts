/** The first message of a digest: failures with their causes, new and resolved ones, in a screen and a half of a phone. */

import type { KnownBlock } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { postedUnits } from '../../../shared/block-kit/posted-units.ts';
import { spelledWindow } from '../../domain/window.ts';
import type { GoneCause } from '../../insight/digest/causes.ts';
import { isRejected } from '../../insight/health/deployment-states.ts';
import { daysMin } from '../../insight/statistics.ts';
import { actions, context } from '../blocks/blocks.ts';
import { barChart, chartAsText } from '../blocks/chart.ts';
import { commandButton } from '../blocks/command-button.ts';
import { withMergedTexts } from '../blocks/fit.ts';
import { blockText, type Message, message } from '../blocks/message.ts';
import { bold, date, emoji, paragraph, plain, rich, several, trusted, type Words } from '../blocks/rich-text.ts';
import { dayName } from '../charts/activity-chart.ts';
import { newNote } from '../format/cause-age.ts';
import { causeText } from '../format/error-text.ts';
import { type Markup, markup } from '../format/mrkdwn.ts';
import { count, counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { deploymentActionLabel } from '../format/status-labels.ts';
import { activationText, duration, zonedTime, zoneName } from '../format/time.ts';
import {
  type Cut,
  cuts,
  type DigestDeployment,
  type DigestFacts,
  type DigestFrame,
  failingNow,
  fellSilent,
  nameUnitsMax,
  rejectedDeployments,
  verdictOf,
} from './facts.ts';
import { failingBlocks } from './failing.ts';
import { headlineOf, notListed, trendEvidence } from './headline.ts';

/** @param window epoch milliseconds @returns the command line that lists the failures behind a digest */
export function failuresLine({ window, about }: Pick<DigestFrame, 'window' | 'about'>): string {
  const [only, ...others] = about.kind === 'chosen' ? about.uuids : [];
  const one = only !== undefined && others.length === 0 ? [only] : [];
  return ['failures', ...one, spelledWindow(window.from, window.to)].join(' ');
}

export function digestRootMessage(facts: DigestFacts): Message {
  let [root, cut]: [Message, readonly Cut[]] = [rootWithout([], facts), []];
  for (const each of cuts) {
    if (postedUnits(root.blocks) <= limits.message.safePostedUnitsMax) break;
    const shorter = rootWithout([...cut, each], facts);
    if (postedUnits(shorter.blocks) < postedUnits(root.blocks)) [root, cut] = [shorter, [...cut, each]];
  }
  return root;
}

function rootWithout(cut: readonly Cut[], facts: DigestFacts): Message {
  const hasFailed = verdictOf(facts) === 'failed';
  const blocks = [
    paragraph(headlineOf(facts)),
    ...mismatchBlocks(facts),
    ...failingBlocks(facts, cut),
    ...silentBlocks(facts),
    ...(cut.includes('workflows that never ran') ? [] : neverRanBlocks(facts)),
    ...(hasFailed && !cut.includes('resolved causes') ? goneBlocks(facts) : []),
    ...(cut.includes('deployments') ? [] : deploymentBlocks(facts)),
  ];
  const small = [...(cut.includes('the chart and notes') ? [] : evidence(facts)), ...limitations(facts, cut)];
  const last = [...(small.length === 0 ? [] : [context(small)]), ...(hasFailed ? [failuresButton(facts)] : [])];
  const chart = cut.includes('the chart and notes') ? [] : trendChart(facts, [...blocks, ...last]);
  const whole = message([...blocks, ...chart, ...last]);
  return { ...whole, blocks: withMergedTexts(whole.blocks) };
}

/** A list of failures is of one workflow or of all. */
function failuresButton(facts: DigestFacts) {
  const { about } = facts;
  const isMore = about.kind === 'text' || (about.kind === 'chosen' && about.uuids.length > 1);
  const label = isMore ? 'Failures of all workflows' : 'All failures';
  return actions([commandButton({ label, line: failuresLine(facts), mode: 'open', style: 'primary' })]);
}

const silentMax = 2;
const goneMax = 1;
const titleUnitsMax = 80;
const deploymentsMax = 2;
const namesMax = 2;
const mismatchesMax = 2;

/** Workflows that fell silent before this window were reported before. */
function silentBlocks(facts: DigestFacts): readonly KnownBlock[] {
  const { silent } = facts;
  if (silent.length === 0) return [];
  const fresh = fellSilent(facts);
  const listed = (fresh.length > 0 ? fresh : silent).slice(0, silentMax);
  const left = fresh.length - Math.min(fresh.length, silentMax);
  const older = fresh.length > 0 ? silent.length - fresh.length : silent.length - listed.length;
  const rest = [
    ...(left > 0 ? [`${count(left)} more`] : []),
    ...(older > 0 ? [fresh.length > 0 ? `${count(older)} silent before this window` : `${count(older)} more`] : []),
  ];
  const and = rest.length === 0 ? [] : rich`; and ${trusted(rest.join(', '))}`;
  // The thread has the schedule and the evidence.
  const lines = listed.map(
    ({ name, forMs, expectedBy }) =>
      rich`${bold(name, nameUnitsMax)}, no run for ${trusted(duration(forMs))}, expected by ${date(expectedBy)}`,
  );
  return [paragraph(rich`${emoji('warning')} ${bold('Silent')}: ${joined(lines, '; ')}${and}.`)];
}

/** They are no failures, and no reason to post a digest. Without a number: not all successes may have been looked at. */
function withErrorsLine({ withErrors }: DigestFacts): readonly Markup[] {
  const [name, ...others] = withErrors?.workflows.keys() ?? [];
  if (name === undefined) return [];
  if (others.length > 0) return [markup`Runs of ${counted(others.length + 1, 'workflow')} completed with errors.`];
  return [markup`At least one run of ${outsideLine(name, nameUnitsMax)} completed with errors.`];
}

/** Beside failures it is one line of a phone. */
function neverRanBlocks({ neverRan, window, failureCount }: DigestFacts): readonly KnownBlock[] {
  if (neverRan.length === 0) return [];
  const isBrief = failureCount > 0;
  const hasTime = !isBrief || neverRan.length === 1;
  const listed = neverRan.slice(0, isBrief ? 1 : silentMax).map((workflow) => {
    const time = hasTime ? rich` (${trusted(activationText(workflow, window.to))})` : [];
    return rich`${bold(workflow.name, nameUnitsMax)}${time}`;
  });
  const left = neverRan.length - listed.length;
  const and = left > 0 ? rich`; and ${trusted(count(left))} more` : [];
  const mark = isBrief ? [] : rich`${emoji('grey_question')} `;
  const schedule = isBrief ? [] : rich`; schedule not known`;
  return [paragraph(rich`${mark}${bold('Never ran')}: ${joined(listed, '; ')}${and}${schedule}.`)];
}

function goneBlocks({ gone }: DigestFacts): readonly KnownBlock[] {
  const { resolved, unseen, unproven } = gone ?? { resolved: [], unseen: [], unproven: [] };
  const causes = [
    ...(resolved.length === 0 ? [] : [rich`${emoji('white_check_mark')} ${bold('Resolved')}: ${goneWords(resolved)}.`]),
    ...(unseen.length === 0 ? [] : [rich`Gone, maybe by chance: ${trusted(counted(unseen.length, 'earlier cause'))}.`]),
  ];
  const lines = [
    ...(causes.length === 0 ? [] : [joined(causes, ' ')]),
    ...(unproven.length === 0
      ? []
      : [rich`Not known if resolved: ${trusted(counted(unproven.length, 'earlier cause'))}.`]),
  ];
  return lines.length === 0 ? [] : [paragraph(joined(lines, '\n'))];
}

function goneWords(causes: readonly GoneCause[]): Words {
  const listed = causes.slice(0, goneMax).map(({ title, errors, workflows }) => {
    const where = several(
      workflows.map((name) => plain(name, nameUnitsMax)),
      namesMax,
    );
    return rich`“${causeText(errors, title, titleUnitsMax)}” (${where})`;
  });
  const left = causes.length - listed.length;
  return rich`${joined(listed, '; ')}${trusted(left > 0 ? ` and ${counted(left, 'more cause')}` : '')}`;
}

/** Rejected ones first, so that later ones do not hide them; any workflow may have them. Those before what fails now are said with it. */
function deploymentBlocks(facts: DigestFacts): readonly KnownBlock[] {
  const rejected = rejectedDeployments(facts);
  const said = new Set(failingNow(facts).map(({ name, health }) => `${health?.streak?.deployedAt} ${name}`));
  const isSaid = ({ workflowName, deployedAt }: DigestDeployment) => said.has(`${deployedAt} ${workflowName}`);
  const all = [...rejected, ...facts.deployments.filter((each) => !isRejected(each) && !isSaid(each))];
  if (all.length === 0) return [];
  const left = all.length - deploymentsMax;
  const leftRejected = rejected.length - deploymentsMax;
  const alsoRejected = leftRejected > 0 ? `, ${count(leftRejected)} of them failed` : '';
  const and = trusted(left > 0 ? `; and ${count(left)} more${alsoRejected}` : '');
  const of = trusted(rejected.length === 0 ? ' of these workflows' : '');
  const heading = bold(facts.deployments.some(isSaid) ? 'Other deployments' : 'Deployments');
  const listed = all.slice(0, deploymentsMax).map(deploymentWords);
  return [paragraph(rich`${heading}${of}: ${joined(listed, '; ')}${and}.`)];
}

function deploymentWords({ workflowName, status, deployedAt }: DigestDeployment): Words {
  return rich`${plain(workflowName, nameUnitsMax)} ${date(deployedAt)} (${plain(deploymentActionLabel(status), 40)})`;
}

function mismatchBlocks({ reconciliation, zone }: DigestFacts): readonly KnownBlock[] {
  const { mismatches } = reconciliation;
  if (mismatches.length === 0) return [];
  const listed = mismatches
    .slice(0, mismatchesMax)
    .map(
      ({ day, read, counted: fromService }) =>
        `${zonedTime(day, zone).slice(0, -6)}: bot ${count(read)}, query service ${count(fromService)}`,
    );
  const left = mismatches.length - listed.length;
  const rest = left > 0 ? `; and ${counted(left, 'more day')}` : '';
  return [paragraph(rich`${emoji('warning')} The counts of failures differ. ${trusted(listed.join('; ') + rest)}.`)];
}

function joined(parts: readonly Words[], separator: string): Words {
  return parts.flatMap((part, index) => (index === 0 ? part : [trusted(separator), ...part]));
}

function evidence(facts: DigestFacts): readonly Markup[] {
  const { creditUsed, causes, reconciliation, gone } = facts;
  const { days, mismatches } = reconciliation;
  const isClear = verdictOf(facts) === 'clear';
  const isChecked = days > 0 && mismatches.length === 0 && !isClear;
  return [
    ...(creditUsed === null || isClear ? [] : [markup`Credits used: ${creditUsed}.`]),
    ...withErrorsLine(facts),
    ...(verdictOf(facts) === 'failed' ? trendEvidence(facts) : []),
    ...newNote(causes),
    ...((gone?.resolved.length ?? 0) > 0 && !isClear ? [markup`Resolved: at most 2.5 % are wrong.`] : []),
    ...(isChecked ? [markup`The counts of ${counted(days, 'whole day')} match the query service’s.`] : []),
  ];
}

function limitations(facts: DigestFacts, cut: readonly Cut[]): readonly Markup[] {
  const { missing, unreadable, onlyCounted, lookedBackMs } = facts;
  const isClear = verdictOf(facts) === 'clear';
  return [
    ...(cut.length === 0
      ? []
      : [
          markup`Left out, because Slack limits the length of a posted message: ${cut.join(', ')}. The button lists all failures.`,
        ]),
    ...(onlyCounted > 0 ? [markup`Not listed by cause: ${counted(onlyCounted, 'failure')}.`] : []),
    // A failure counts in the window in which it ended, and services list executions by their start.
    ...(isClear && lookedBackMs >= dayMs ? [] : [markup`Runs over ${duration(lookedBackMs)} may not be counted.`]),
    ...(facts.deploymentsNotLookedAt > 0
      ? [markup`Not checked for failed deployments: ${counted(facts.deploymentsNotLookedAt, 'workflow')}.`]
      : []),
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
  return [markup`:warning: ${counted(missed.length, 'digest')} skipped: ${all}.`];
}

const dayMs = 86_400_000;
/** When clocks go forward, a day has 23 hours. */
const dayShortestMs = dayMs - 3_600_000;
/** So many characters fit in a line of a phone 400 pixels wide. */
const lineUnits = 44;
/** With so many other lines and the chart, the sample's digest fills a screen and a half, 1,200 pixels. */
const besideChartMax = 44;
/** With so many lines and no chart, it fills as much. */
const linesMax = 54;

/** @param others all other blocks of the message @returns none without failures, with fewer days than show a trend, or without room */
function trendChart(facts: DigestFacts, others: readonly MessageBlock[]): readonly MessageBlock[] {
  const { daily } = facts;
  if (verdictOf(facts) !== 'failed' || daily === null || daily.buckets.length < daysMin) return [];
  const { zone, buckets } = daily;
  const names = buckets.map(({ from, to }) => {
    const isCut = Date.parse(to) - Date.parse(from) < dayShortestMs;
    return `${dayName(from, zone)}${isCut ? ' so far' : ''}`;
  });
  const values = buckets.map(({ failureCount }) => failureCount);
  const chart = barChart(`Failures per day (${zoneName(zone)})`, names, [{ name: 'Failures', values }]);
  const otherLines = others.reduce((sum, block) => sum + linesOf(block), 0);
  if (otherLines + linesOf(chart) > linesMax) return [];
  return [otherLines > besideChartMax ? chartAsText(chart) : chart];
}

/** The fallback of a date is as long as the date that a person sees. */
function linesOf(block: MessageBlock): number {
  return blockText(block)
    .replace(/<!date\^[^|<>]*\|/g, '')
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / lineUnits)), 0);
}
