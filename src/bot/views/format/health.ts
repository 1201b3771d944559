/** The mark and the words for the health of a workflow, its silence and its trend, and the evidence for them: the same in every answer. */
import type { RichTextElement } from '@slack/types';
import { isOfPlatform } from '../../insight/causes/cause.ts';
import { parseTimestamp } from '../../insight/executions/timeline.ts';
import type { Blamed } from '../../insight/health/deployment-blame.ts';
import type { Health, NamedHealth, Recovery, Streak, Trend, Verdict } from '../../insight/health/health.ts';
import type { Schedule } from '../../insight/health/schedule.ts';
import { falseRateMax, type Silence } from '../../insight/health/silence.ts';
import { chanceMax, type DayCounts, daysMin, withRuns } from '../../insight/statistics.ts';
import { bold, date, emoji, plain, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { ageWords } from './cause-age.ts';
import { causeBeginning } from './error-text.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { allOf, count, counted } from './number.ts';
import { deploymentStatusLabel } from './status-labels.ts';
import { activationText, duration } from './time.ts';

/** Slack's name of the emoji, without colons, and the words beside it. Red only if it fails now. */
const looks = {
  failing: ['red_circle', 'failing'],
  silent: ['warning', 'silent'],
  never_ran: ['grey_question', 'never ran'],
  unstable: ['large_yellow_circle', 'unstable'],
  with_errors: ['large_yellow_circle', 'completed with errors'],
  unknown: ['grey_question', 'cannot be judged'],
  recovered: ['large_green_circle', 'recovered'],
  healthy: ['large_green_circle', 'healthy'],
  quiet: ['white_circle', 'idle'],
  inactive: ['white_circle', 'not active'],
} as const satisfies Readonly<Record<Verdict, readonly [emoji: string, label: string]>>;

/** Always shown with a word after it. */
export function verdictEmoji(verdict: Verdict): string {
  return looks[verdict][0];
}

/** @param status of the deployment, as the service spells it; undefined for several workflows */
export function verdictLabel(verdict: Verdict, status?: string): string {
  return verdict === 'inactive' && status !== undefined ? deploymentStatusLabel(status) : looks[verdict][1];
}

/**
 * @param isCounted false beside numbers of another moment: `every run since 12:40 failed`
 * @returns such as `all 80 runs since 12:40 failed, the first 15 s after the deployment of 12:39`; none if it does not fail now
 */
export function failingWords({ newest, isFailingNow, streak }: Health, { isCounted = true } = {}): Words {
  if (!isFailingNow) return [];
  const { failedInARow, lookedAt } = newest;
  if (streak === null) {
    const isCut = failedInARow === lookedAt;
    return rich`${isCut ? trusted('at least ') : []}the last ${trusted(count(failedInARow))} runs failed`;
  }
  const { failed, since, isWhole, deployedAt } = streak;
  if (!isWhole) return rich`at least the last ${trusted(count(failed))} runs failed, the first of them ${date(since)}`;
  const deployed =
    deployedAt === null
      ? []
      : rich`, starting ${trusted(duration(since - deployedAt))} after the deployment of ${date(deployedAt, 'clock')}`;
  return rich`${trusted(isCounted ? allOf(failed, 'run') : 'every run')} since ${date(since)} failed${deployed}`;
}

/** @returns such as `the last failure was at 21:07, and all 1,560 runs since succeeded` */
export function recoveryWords({ lastFailedAt, good }: Recovery): Words {
  return rich`the last failure was ${date(lastFailedAt)}, and ${trusted(allOf(good, 'run'))} since succeeded`;
}

/** @returns such as `2 of the newest 5 runs completed with errors` */
export function withErrorsEvidence({ newest: { lookedAt, withErrors } }: Health): string {
  if (lookedAt === 1) return 'the newest run completed with errors';
  const which = withErrors === lookedAt ? 'all' : count(withErrors);
  return `${which} of the newest ${count(lookedAt)} runs completed with errors`;
}

/** @returns as `failingWords`, with the newest error, since the first line of an answer has to say why */
export function failingSentence(health: Health, options?: { readonly isCounted: boolean }): Words {
  return rich`${failingWords(health, options)}${newestReason(health)}.`;
}

const reasonUnitsMax = 80;

/** Nothing is known of the errors before the newest. */
function newestReason({ streak }: Health): Words {
  if (!streak?.failure) return [];
  return streak.failure.errors.length === 0
    ? rich`; no error text was kept`
    : rich`; newest error${quoted(streak.failure)}`;
}

function quoted({ errors, cause }: NonNullable<Streak['failure']>): Words {
  return rich`: “${causeBeginning(errors, cause.title, reasonUnitsMax)}”`;
}

/** The cause of most failures of an unstable workflow, and since when it has it; none if that is not known. */
export function unstableSentence({ intermittent }: Health): Words {
  if (!intermittent?.main) return [];
  const { failure, age } = intermittent.main;
  if (failure.errors.length === 0) return rich` Main cause not known: most of the failures have no error text.`;
  const first = age.recurrence === 'recurring' ? rich`, at least since ${date(age.since)}` : [];
  const { failure: failed } = intermittent.counts;
  const of = failed === 1 ? 'Cause' : failed > 100 ? 'Main cause of the newest 100 failures' : 'Main cause';
  return rich` ${trusted(of)}${quoted(failure)}, ${ageWords(age)}${first}.`;
}

/** The lines before the numbers of an answer: what is urgent now, or over, and what to try; none otherwise. @param now epoch milliseconds */
export function nowLines(healths: readonly NamedHealth[], isOne: boolean, now: number): Words {
  return isOne ? healths.flatMap(({ health }) => nowLine(health, now)) : failingLines(healths, false);
}

function nowLine(health: Health, now: number): Words {
  const { verdict, silence, recovery, isFailingNow, intermittent, neverRan, inactiveAs } = health;
  const mark = emoji(verdictEmoji(verdict));
  if (silence !== null) return rich`${mark} ${bold('Silent')}: ${silenceWords(silence)}.\n${healthAdvice(health)}\n`;
  if (isFailingNow)
    return rich`${mark} ${bold('Failing now')}: ${failingSentence(health, { isCounted: false })}\n${healthAdvice(health)}\n`;
  if (intermittent !== null)
    return rich`${mark} ${bold('Unstable')}: ${failedShare(intermittent.counts)}.${unstableSentence(health)}\n${healthAdvice(health)}\n`;
  if (inactiveAs !== null) return rich`${mark} ${bold('Not active')}: ${plain(deploymentStatusLabel(inactiveAs))}.\n`;
  if (neverRan !== null)
    return rich`${mark} ${bold('Never ran')}: ${trusted(activationText(neverRan, now))}; its schedule is not known.\n`;
  const flawed =
    verdict === 'with_errors'
      ? rich`${mark} ${bold('Completed with errors')}: ${trusted(withErrorsEvidence(health))}.\n`
      : [];
  return recovery === null
    ? flawed
    : rich`${flawed.length > 0 ? flawed : rich`${mark} `}${bold('Recovered')}: ${recoveryWords(recovery)}.\n`;
}

/** @param counts of the last 24 hours @returns such as `12 of 288 runs in the last 24 h failed` */
export function failedShare({ success, failure }: NonNullable<Health['intermittent']>['counts']): RichTextElement {
  return trusted(`${count(failure)} of ${counted(success + failure, 'run')} in the last 24 h failed`);
}

const othersMax = 2;

/**
 * Since when and why the workflow with the most failures in a row fails, what to try, and which others fail now.
 * @param isListed whether the answer lists the others below @returns with a line break at the end; none if none fails now
 */
export function failingLines(healths: readonly NamedHealth[], isListed: boolean): Words {
  const failedOf = ({ health: { streak, newest } }: NamedHealth) => streak?.failed ?? newest.failedInARow;
  const failing = healths.filter(({ health }) => health.isFailingNow);
  const [worst, ...others] = failing.toSorted((one, other) => failedOf(other) - failedOf(one));
  if (worst === undefined) return [];
  const named = others.slice(0, isListed ? 0 : othersMax);
  const also = named.flatMap(
    (each, index) => rich`${trusted(index === 0 ? 'Also failing now: ' : '; ')}${sinceWords(each)}`,
  );
  const left = others.length - named.length;
  const end = named.length === 0 ? [] : [trusted(left > 0 ? `; and ${left} more.\n` : '.\n')];
  const head = rich`${emoji(verdictEmoji('failing'))} ${bold('Failing now')}: ${sinceWords(worst)}`;
  return rich`${head}${newestReason(worst.health)}. ${healthAdvice(worst.health)}\n${also}${end}`;
}

const nameUnitsMax = 60;

function sinceWords({ name, health: { streak } }: NamedHealth): Words {
  return rich`${bold(name, nameUnitsMax)}${streak === null ? [] : rich`, since ${date(streak.since)}`}`;
}

/** @returns such as `no run for 6 h, usually one every 15 min; expected by 10:20 (schedule learned from 60 runs, …)` */
export function silenceWords(silence: Silence): Words {
  const { forMs, schedule, expectedBy } = silence;
  const gap = trusted(`${duration(forMs)}, ${usualWords(schedule)}`);
  return rich`no run for ${gap}; expected by ${date(expectedBy)} (${trusted(evidenceOf(silence))})`;
}

/** The next step for a workflow that is silent or failing; empty for others. */
export function healthAdvice({ silence, verdict, streak, intermittent }: Health): Words {
  if (silence !== null) return rich`${bold('What to try:')} ${trusted(silenceAdvice)}`;
  if (intermittent !== null) return rich`${bold('What to try:')} ${trusted(unstableAdvice(intermittent))}`;
  return verdict === 'failing' ? rich`${bold('What to try:')} ${failingAdvice(streak)}` : [];
}

/** The first thing to try with failures that go on: the same wherever as much is known. Follows `What to try:`. */
function failingAdvice(streak: Streak | null): Words {
  if (streak === null || streak.failure === null) return rich`investigate the newest failure.`;
  const { blamed, deployedAt, failure } = streak;
  const { cause, errors } = failure;
  // A deployment does not cause a platform error.
  if (isOfPlatform(cause)) return rich`tell the platform’s support: the platform calls this its own fault.`;
  if (blamed !== null) return rich`roll back to ${rollBackTarget(blamed)}.`;
  if (errors.length === 0) return rich`read the logs of the newest failure.`;
  if (deployedAt === null) return rich`fix what the error describes.`;
  return rich`fix what the error describes, and see whether the deployment of ${date(deployedAt, 'clock')} is the reason.`;
}

/** As an investigation of the newest failure, as far as is known here. */
function unstableAdvice({ main }: NonNullable<Health['intermittent']>): string {
  if (main === null) return 'investigate the newest failure.';
  const { cause, errors } = main.failure;
  if (!main.isRepeated) return 'see whether the next runs succeed. If one fails, investigate it.';
  if (isOfPlatform(cause))
    return 'tell the platform’s support that this has come back: the platform calls it its own fault.';
  if (errors.length === 0) return 'read the logs of the newest failure.';
  if (main.age.recurrence === 'recurring') return 'handle this error in the workflow: the error has come back.';
  return 'investigate the newest failure. The answer shows whether a deployment came shortly before.';
}

/** Named as a list of deployments does: by its time. */
export function rollBackTarget({ deployment, previous }: Blamed): Words {
  const before = previous === null ? trusted('before the one ') : [];
  return rich`the version ${before}deployed ${date(parseTimestamp((previous ?? deployment).deployedAt) ?? 0)}`;
}

/** Follows `What to try:`. */
export const silenceAdvice =
  'check on the platform whether the trigger still fires, and whether the workflow was deployed, or paused and resumed, after its last run.';

function usualWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'regular':
      return `usually one every ${duration(schedule.everyMs)}`;
    case 'repeating':
      return `usually at the same times each ${schedule.periodMs > 86_400_000 ? 'week' : 'day'}`;
    case 'irregular':
      return `on average one every ${duration(schedule.everyMs)}`;
  }
}

/** @returns such as `schedule learned from 60 runs, tolerance 5 min; it ran around that time on 4 of 4 earlier days` */
function evidenceOf({ schedule, ranBefore, compared }: Silence): string {
  const ran = `it ran around that time on ${count(ranBefore)} of ${counted(compared, 'earlier day')}`;
  return `schedule learned from ${count(schedule.runs)} runs, ${graceWords(schedule)}; ${ran}`;
}

function graceWords(schedule: Schedule): string {
  if (schedule.kind !== 'irregular') return `tolerance ${duration(schedule.graceMs)}`;
  const { longestMs, limitMs } = schedule;
  return `longest gap so far ${duration(longestMs)}; a gap over ${duration(limitMs)} comes by chance in at most ${falseRateMax * 100} % of checks`;
}

/** @param history days before the window; null if they are not known @returns none if the trend is not called better or worse */
export function trendLine({ direction }: Trend, history: readonly DayCounts[] | null): readonly Markup[] {
  if (direction !== 'better' && direction !== 'worse') return [];
  const days = withRuns(history ?? []).map(({ failed }) => failed);
  const basis =
    days.length < daysMin
      ? `So large a difference comes by chance in at most ${chanceMax * 100} % of comparisons`
      : `The last ${count(days.length)} days with runs before this window had ${dailyText(days)}`;
  return [
    markup`A ${direction === 'worse' ? 'larger' : 'smaller'} share of runs failed than in the previous window. ${basis}.`,
  ];
}

/** @param days the failures of each */
function dailyText(days: readonly number[]): string {
  const most = Math.max(...days);
  if (most === 0) return 'no failures';
  const mean = days.reduce((sum, failed) => sum + failed, 0) / days.length;
  const usual = mean < 0.1 ? 'under 0.1' : mean < 10 ? mean.toFixed(1) : count(Math.round(mean));
  return `at most ${counted(most, 'failure')} a day, ${usual} on average`;
}
