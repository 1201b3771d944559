/** The failing workflows of a digest, each with its main cause. Platform incidents come first. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { FailingWorkflow, JudgedCause } from '../../insight/digest/causes.ts';
import { bold, bulleted, date, emoji, paragraph, plain, rich, several, trusted } from '../blocks/rich-text.ts';
import { causeText, rootCauseWords } from '../format/error-text.ts';
import { failingWords, healthAdvice, recoveryWords } from '../format/health.ts';
import { allOf, count, counted } from '../format/number.ts';
import { faultWords } from '../format/status-labels.ts';
import { type Cut, type DigestFacts, type DigestWorkflow, failingNow, nameUnitsMax } from './facts.ts';

type Words = readonly RichTextElement[];

const incidentsMax = 2;
const workflowsMax = 5;
const namesMax = 3;
const titleUnitsMax = 120;
const shortTitleUnitsMax = 50;
/** Together with its cause, as long as a title. */
const effectUnitsMax = 30;
const rootUnitsMax = 75;
/** A workflow that failed so shortly before the window's end may still be failing. */
const lastlyMs = 60 * 60_000;
/** Below this, the time of day is enough to say when it ended. */
const clockAloneMs = 12 * 60 * 60_000;

/** First what fails now, then incidents, then the rest. */
export function failingBlocks(facts: DigestFacts, cut: readonly Cut[]): readonly KnownBlock[] {
  const now = failingNow(facts);
  const incidents = facts.causes.filter(({ incident }) => incident !== null).slice(0, incidentsMax);
  const others = facts.failing.filter((workflow) => !now.includes(workflow) && !isOf(incidents, workflow));
  const covered = facts.failing.length - others.length;
  // An incident needs the lines of two workflows.
  const left = Math.max(0, workflowsMax - now.length - 2 * incidents.length);
  const room = cut.includes('other workflows') ? 0 : left;
  const total = others.reduce((sum, workflow) => sum + workflow.count, 0);
  const both = countedInBoth(facts, incidents, [...now, ...others]);
  const numbers = trusted(`${count(total)} in ${counted(others.length, 'workflow')}${both}`);
  const heading = rich`${bold(covered > 0 ? 'Other failures' : 'Failures')}: ${numbers}`;
  const lineOf = (workflow: DigestWorkflow) => workflowLine(facts, workflow, cut);
  const nowLines = now
    .slice(0, workflowsMax)
    .map((each) => rich`${lineOf(each)}\n${each.health ? healthAdvice(each.health) : []}`);
  const nowNames = now.slice(workflowsMax).map(({ name }) => name);
  const moreNow = rich`and ${trusted(count(nowNames.length))} more: ${boldNames(nowNames)}`;
  return [
    ...listed(rich`${emoji('red_circle')} ${bold('Failing now')}`, nowLines, nowNames.length === 0 ? [] : [moreNow]),
    ...incidents.flatMap((incident) => incidentBlock(facts, incident, cut)),
    ...(others.length === 0
      ? []
      : [room === 0 ? paragraph(heading) : bulleted(heading, others.slice(0, room).map(lineOf))]),
  ];
}

function listed(heading: Words, lines: readonly Words[], more: readonly Words[]): readonly KnownBlock[] {
  const all = [...lines, ...more];
  return all.length === 0 ? [] : [bulleted(heading, all)];
}

function boldNames(names: readonly string[]): Words {
  return several(
    names.map((name) => bold(name, nameUnitsMax)),
    namesMax,
  );
}

/** The failures of an incident whose workflows also failed in another way; all failures of the others are its own. */
function countedInBoth(
  facts: DigestFacts,
  incidents: readonly JudgedCause[],
  others: readonly FailingWorkflow[],
): string {
  const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
  const ofIncidents = sum(incidents.map(({ incident }) => incident?.count ?? 0));
  const ofCovered = sum(facts.failing.map((each) => (others.includes(each) ? 0 : each.count)));
  const both = facts.onlyCounted > 0 ? 0 : ofIncidents - ofCovered;
  if (both <= 0) return '';
  return ` (the counts include ${counted(both, 'failure')} of the ${incidents.length === 1 ? 'incident' : 'incidents'} above)`;
}

/** Returns true if the incidents already cover all its failures. */
function isOf(incidents: readonly JudgedCause[], { name, main, otherCauses }: FailingWorkflow): boolean {
  const own = main?.workflows.get(name);
  const { first = 0, last = 0, workflows = [] } = main?.incident ?? {};
  const isWithin = own !== undefined && own.first >= first && own.last <= last && workflows.includes(name);
  return otherCauses === 0 && isWithin && incidents.some((incident) => incident === main);
}

function incidentBlock(facts: DigestFacts, judged: JudgedCause, cut: readonly Cut[]): readonly KnownBlock[] {
  const { incident, sample, recurrence } = judged;
  if (incident === null) return [];
  const { workflows, count: times, first, last } = incident;
  const isOver = judged.last <= last && facts.window.to - last >= lastlyMs;
  const isWithin = sample.startedAt >= first && sample.startedAt <= last;
  // Beside “none with this cause since”, “new” alone reads as a contradiction.
  const news = isOver && recurrence === 'new' ? rich`, ${bold('new in this digest')}` : markWords(recurrence);
  const together = `${counted(workflows.length, 'workflow')} ${isOver ? 'failed' : 'began to fail'} together`;
  const isBrief = cut.includes('details of incidents');
  const who = isBrief ? [] : rich` (${boldNames(workflows)})`;
  const cause = isBrief ? [] : rich`\n${causeWords(facts, judged, isWithin, cut)}`;
  const span = rich`from ${date(first)} to ${date(last, last - first < clockAloneMs ? 'clock' : 'moment')}`;
  return [
    paragraph(
      rich`${emoji('warning')} ${bold('Platform incident')}${news}: ${trusted(together)}${who}, ${trusted(counted(times, 'failure'))} ${span}${sinceWords(judged, last, isOver)}.${cause}`,
    ),
  ];
}

/** @param isAboutSample true if the newest failure of the cause is one of those that the line is about */
function causeWords(
  { shown }: DigestFacts,
  { cause, sample }: JudgedCause,
  isAboutSample: boolean,
  cut: readonly Cut[],
): Words {
  const unitsMax = cut.includes('parts of errors') ? shortTitleUnitsMax : titleUnitsMax;
  const errors = isAboutSample ? sample.errors : [];
  const known = isAboutSample ? shown.find((one) => one.cause.fingerprint === cause.fingerprint) : undefined;
  if (!known?.rootCause) return [causeText(errors, cause.title, unitsMax)];
  return rich`${plain(causeText(errors, cause.title, titleUnitsMax).text, effectUnitsMax)}, ${rootCauseWords(known.rootCause, rootUnitsMax)}`;
}

/** @param judged its failures, in the incident or apart @param last failure of the incident, epoch milliseconds */
function sinceWords(judged: JudgedCause, last: number, isOver: boolean): Words {
  if (judged.last > last) return rich`, and again ${date(judged.last)}`;
  return isOver ? rich`, none with this cause since` : [];
}

/** @param isNewHere whether the text is about one workflow that fails of it for the first time */
function markWords(recurrence: JudgedCause['recurrence'], isNewHere = false): Words {
  if (recurrence === 'new') return rich`, ${bold('new cause')}`;
  if (isNewHere) return rich`, ${bold('new in this workflow')}`;
  if (recurrence === 'ongoing') return [];
  return rich`, ${trusted(recurrence === 'recurring' ? recurrence : 'age not known')}`;
}

function workflowLine(facts: DigestFacts, workflow: DigestWorkflow, cut: readonly Cut[]): Words {
  const { name, main, mainCount, otherCauses, hasNewCause } = workflow;
  const who = rich`${bold(name, nameUnitsMax)}: ${howOften(facts, workflow, cut)}`;
  if (main === null) return who;
  const fault = faultWords.get(main.cause.classifiedStatus ?? '');
  const whose = fault === undefined ? [] : rich`, ${trusted(fault)}`;
  const isAlone = otherCauses === 0 || cut.includes('parts of errors');
  const most = isAlone ? [] : rich`${trusted(count(mainCount))}× `;
  const some = trusted(otherCauses === 1 ? '' : 'at least one ');
  const news = hasNewCause && !main.newIn.has(name) ? rich`, ${some}${bold('new')}` : [];
  const more = isAlone ? [] : rich` · ${trusted(counted(otherCauses, 'other cause'))}${news}`;
  return rich`${who}${markWords(main.recurrence, main.newIn.has(name))}${whose}\n${most}${causeWords(facts, main, main.sample.workflowName === name, cut)}${more}`;
}

/** Since when it fails now; if it also failed before that, or does not fail now, its share of the window too. */
function howOften(facts: DigestFacts, workflow: DigestWorkflow, cut: readonly Cut[]): Words {
  const { name, health, first, last } = workflow;
  const share = trusted(failedWords(workflow, facts.successes.get(name)));
  if (health?.isFailingNow) {
    const { streak } = health;
    const hasMore = streak !== null && first < streak.since;
    const isBrief = streak !== null && cut.includes('deployments before failures');
    return rich`${failingWords(isBrief ? { ...health, streak: { ...streak, deployedAt: null } } : health)}${hasMore ? rich`; ${share}` : []}`;
  }
  if (health?.recovery) return rich`${share} (recovered: ${recoveryWords(health.recovery)})`;
  return facts.window.to - last < lastlyMs ? rich`${share}, the last at ${date(last, 'clock')}` : [share];
}

function failedWords({ count: failed }: FailingWorkflow, succeeded: number | undefined): string {
  if (succeeded === undefined) return counted(failed, 'failure');
  if (succeeded === 0) return `${allOf(failed, 'run')} failed`;
  return `${count(failed)} of ${counted(failed + succeeded, 'run')} failed`;
}
