/** Workflows that do not run: silent ones, judged by their schedule and earlier weeks, those that may be silent, and those that never ran. */
import { median, sum } from '../statistics.ts';
import { graceMinMs, type Irregular, overdueAt, type Schedule } from './schedule.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

export type Silence = {
  /** Start of the last run, epoch milliseconds. */
  readonly lastAt: number;
  /** Time by which the next run should have started, epoch milliseconds; from then on it is silent. */
  readonly expectedBy: number;
  readonly forMs: number;
  readonly schedule: Schedule;
  /** Number of earlier periods at the same time of the week or day that were compared. */
  readonly compared: number;
  /** Number of those that predict the run that did not come. */
  readonly ranBefore: number;
};

export type SilentWorkflow = Silence & { readonly name: string };

/** The runs up to a moment. */
export type Runs = {
  /** Newest first, epoch milliseconds. */
  readonly starts: readonly number[];
  /** True if there are no older runs. */
  readonly isWhole: boolean;
  /** The registration, or the first run; epoch milliseconds. */
  readonly since: number;
  /** Mean time between its runs since the registration, or since the first run of a young workflow; null if not known. */
  readonly meanGapMs: number | null;
};

/** At most this share of looks calls a workflow silent that still runs; `npm run bench -- truth silence` measures it. */
export const falseRateMax = 0.01;

/** A period as long as the gap, some days earlier. */
export type EarlierPeriod = {
  readonly shiftMs: number;
  /** Epoch milliseconds, `to` excluded. It begins before the run that corresponds to the last one. */
  readonly from: number;
  readonly to: number;
};

/** Starts in an earlier period in order, as many as were read; `isCut`: there may be more. */
export type EarlierRuns = EarlierPeriod & { readonly starts: readonly number[]; readonly isCut: boolean };

const weekShifts = [1, 2, 3, 4].map((week) => week * weekMs);
const dayShifts = [1, 2, 3, 4, 5, 6].map((day) => day * dayMs);

/** With fewer weeks of history, the days before are compared, too. */
const weeksMin = 3;

/** @returns the earlier periods that decide whether an overdue workflow rests */
export function earlierPeriods(schedule: Schedule, { starts, since }: Runs, now: number): readonly EarlierPeriod[] {
  const [lastAt] = starts;
  if (lastAt === undefined) return [];
  const { graceMs, lookbackMs } = reachOf(schedule);
  const periods = (shifts: readonly number[]) =>
    shifts
      .filter((shiftMs) => lastAt - shiftMs >= since)
      .map((shiftMs) => ({ shiftMs, from: lastAt - shiftMs - lookbackMs, to: now - shiftMs - graceMs }))
      .filter(({ from, to }) => from < to);
  const weeks = periods(weekShifts);
  const days = dayShifts.filter((shiftMs, index) =>
    weeks.length < weeksMin ? isSameDayType(now - shiftMs, shiftMs) : index < 2,
  );
  return [...weeks, ...periods(days)];
}

/** Working days resemble each other, and so do the two days of a weekend. */
function isSameDayType(time: number, shiftMs: number): boolean {
  const isWeekend = (each: number) => [0, 6].includes(new Date(each).getUTCDay());
  return isWeekend(time) === isWeekend(time + shiftMs);
}

function reachOf(schedule: Schedule) {
  if (schedule.kind === 'irregular') {
    return { graceMs: 0, reachMs: schedule.limitMs / 2, lookbackMs: schedule.limitMs };
  }
  const { everyMs, graceMs } = schedule;
  return { graceMs, reachMs: Math.min(graceMs, everyMs / 2), lookbackMs: 2 * everyMs + Math.min(graceMs, 2 * everyMs) };
}

/** @returns the runs of an earlier period if the newest starts hold them all; null if they must be read */
export function knownRuns({ starts, isWhole }: Runs, period: EarlierPeriod): EarlierRuns | null {
  const isCovered = isWhole || (starts.at(-1) ?? Number.POSITIVE_INFINITY) <= period.from;
  if (!isCovered) return null;
  const within = starts.filter((start) => start >= period.from && start < period.to).toReversed();
  return { ...period, starts: within, isCut: false };
}

type Verdict =
  /** `nextAt`: when the next run should have come by this period. */
  | { readonly kind: 'ran'; readonly nextAt: number }
  | { readonly kind: 'rested' }
  /** It was not running when the period began. */
  | { readonly kind: 'quiet' };

/** @returns null if the period says nothing: its runs were not all read, or were of working days where a weekend is judged */
function verdictOf(period: EarlierRuns, schedule: Schedule, lastAt: number): Verdict | null {
  const { shiftMs, starts, isCut, to } = period;
  const end = lastAt - shiftMs + reachOf(schedule).reachMs;
  const after = starts.filter((start) => start > end);
  const isIrregular = schedule.kind === 'irregular';
  if (!isIrregular && after.length === starts.length) return { kind: 'quiet' };
  const isFew = isIrregular && !isCut && quietShare * after.length * schedule.everyMs < to - end;
  const next = isFew ? undefined : after.find((start) => isWeekly(period) || isSameDayType(start, shiftMs));
  if (next !== undefined) return { kind: 'ran', nextAt: next + shiftMs };
  return isCut || (after.length > 0 && !isFew) ? null : { kind: 'rested' };
}

/** With fewer runs than this part of the usual number, an irregular workflow rested. */
const quietShare = 4;

function isWeekly({ shiftMs }: EarlierPeriod): boolean {
  return shiftMs % weekMs === 0;
}

/** Runs on whole UTC days in order, without days before the registration. */
export type DailyRuns = readonly number[];

export type SilenceEvidence = {
  readonly schedule: Schedule;
  readonly runs: Runs;
  readonly earlier: readonly EarlierRuns[];
  /** Starts on the days before the last run; only an irregular schedule needs them. */
  readonly days: DailyRuns;
};

/** @returns null if the workflow is not overdue, rests at this time of the week or day, or if too little is known */
export function silenceOf({ schedule, runs, earlier, days }: SilenceEvidence, now: number): Silence | null {
  const [lastAt] = runs.starts;
  const dueAt = overdueAt(schedule, runs.starts);
  if (lastAt === undefined || dueAt === null || now <= dueAt) return null;
  const verdicts = (periods: readonly EarlierRuns[]) =>
    periods.flatMap((period) => verdictOf(period, schedule, lastAt) ?? []);
  const weeks = verdicts(earlier.filter(isWeekly));
  // The workflow may have begun to run after the oldest weeks, or the service may not keep them.
  const weekly = weeks.slice(0, weeks.findLastIndex(({ kind }) => kind !== 'quiet') + 1);
  const daily = verdicts(earlier.filter((period) => !isWeekly(period)));
  if (isRest(weekly, daily)) return null;
  const isIrregular = schedule.kind === 'irregular';
  const compared = isIrregular || weekly.length >= weeksMin ? weekly : [...weekly, ...daily];
  const silence = (expectedBy: number, ranBefore: number): Silence | null =>
    now > expectedBy
      ? { lastAt, expectedBy, forMs: now - lastAt, schedule, compared: compared.length, ranBefore }
      : null;
  if (isIrregular) {
    const hasRun = weekly.length > 0 && weekly.every(({ kind }) => kind === 'ran');
    return hasRun ? silence(lastAt + schedule.limitMs * quietFactor(schedule, days), weekly.length) : null;
  }
  const agreeing = agreeingTimes(compared, schedule.everyMs + 2 * schedule.graceMs);
  const needed = periodsNeeded(schedule, runs, compared.length);
  const isEnough = agreeing.length >= needed.agreeing && weekly.length >= needed.weeks;
  const isProven = isEnough && (weekly.length > 0 || agreeing.length > 1);
  return isProven ? silence(Math.max(dueAt, median(agreeing) + schedule.graceMs), agreeing.length) : null;
}

/** @returns the period that begins with its first run, if that decides how much its mean gap proves; else null */
export function lifePeriod(schedule: Schedule, runs: Runs): EarlierPeriod | null {
  const [lastAt] = runs.starts;
  const isNeeded = lastAt !== undefined && restFactor(schedule, runs) > restFactorMin;
  return isNeeded ? { shiftMs: 0, from: runs.since, to: lastAt + 1 } : null;
}

/** A workflow may wait long for its first run, which is no rest; a history of three weeks shows its rests itself. */
export function isYoung({ starts }: Runs, firstAt: number): boolean {
  return starts[0] !== undefined && starts[0] - firstAt < weeksMin * weekMs;
}

/** Factor by which it ran less often over its whole life than its interval says. */
function restFactor({ kind, everyMs }: Schedule, { meanGapMs }: Runs): number {
  return kind === 'regular' && meanGapMs !== null ? meanGapMs / everyMs : 1;
}

const restFactorMin = 2;

/**
 * More than half of the periods. A workflow that runs less often, over its whole life, than its interval says, mostly rests: it takes three
 * weeks if it is not young, and three that all agree if it rests for three quarters of the time.
 */
function periodsNeeded(schedule: Schedule, runs: Runs, compared: number) {
  const factor = restFactor(schedule, runs);
  const most = Math.floor(compared / 2) + 1;
  if (factor > 4) return { weeks: weeksMin, agreeing: compared };
  const isRare = factor > restFactorMin && !isYoung(runs, runs.since);
  return isRare ? { weeks: weeksMin, agreeing: Math.max(weeksMin, most) } : { weeks: 0, agreeing: most };
}

/** It rested one week ago, in half of the weeks before, or on both days before. */
function isRest([lastWeek, ...weeks]: readonly Verdict[], days: readonly Verdict[]): boolean {
  const rests = (verdicts: readonly Verdict[]) => verdicts.filter(({ kind }) => kind === 'rested').length;
  if (lastWeek?.kind === 'rested') return true;
  return (weeks.length > 0 && 2 * rests(weeks) >= weeks.length) || rests(days.slice(0, 2)) >= 2;
}

/** The times of the next run that most earlier periods predict. */
function agreeingTimes(verdicts: readonly Verdict[], reachMs: number): readonly number[] {
  const times = verdicts.flatMap((verdict) => (verdict.kind === 'ran' ? [verdict.nextAt] : []));
  const middle = median(times);
  return times.filter((time) => Math.abs(time - middle) <= reachMs);
}

/** A block of days with fewer runs says little about their rate. */
const blockRunsMin = 20;

/** Factor by which the quietest of the earlier days were quieter than the newest runs; infinite if they had no runs. */
function quietFactor({ everyMs }: Irregular, days: DailyRuns): number {
  const mean = sum(days) / days.length;
  const length = Math.ceil(blockRunsMin / mean);
  const blocks = Number.isFinite(length) ? Math.floor(days.length / length) : 0;
  const counts = Array.from({ length: blocks }, (_, index) => sum(days.slice(index * length, (index + 1) * length)));
  if (counts.length === 0) return 1;
  return Math.max(1, (length * dayMs) / (Math.min(...counts) * everyMs));
}

/** How often a workflow has run in its life. */
export type RanWorkflow = {
  /** ISO 8601; null when it never ran. */
  readonly executedAt: string | null;
  readonly registeredAt: string;
  readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
};

/** Factor by which a workflow is overdue, measured over its whole life. */
const overdueMin = 2;

/**
 * @param now the moment that is judged, epoch milliseconds; a last run after it says nothing about it
 * @returns active workflows that may have been silent then: first those that are overdue measured over their whole life, the most
 *   recent run first
 */
export function maybeSilent<Workflow extends RanWorkflow & { readonly status: string }>(
  workflows: readonly Workflow[],
  now: number,
): readonly Workflow[] {
  return workflows
    .filter(({ status, executedAt, registeredAt }) => {
      const ranAt = Date.parse(executedAt ?? '');
      return status === 'ACTIVE' && Date.parse(registeredAt) < now && (ranAt < now - graceMinMs || ranAt > now);
    })
    .map((workflow) => ({
      workflow,
      ranAt: Date.parse(workflow.executedAt ?? ''),
      isOverdue: overdueFactor(workflow, now) >= overdueMin,
    }))
    .sort((one, other) => Number(other.isOverdue) - Number(one.isOverdue) || other.ranAt - one.ranAt)
    .map(({ workflow }) => workflow);
}

/** @returns the time since its last run divided by its mean interval; infinite if that is not known */
export function overdueFactor(workflow: RanWorkflow, now: number): number {
  const everyMs = meanGapOf(workflow);
  return everyMs === null ? Number.POSITIVE_INFINITY : (now - Date.parse(workflow.executedAt ?? '')) / everyMs;
}

/**
 * @param since the registration, or the first run; epoch milliseconds
 * @returns the time from then to its last run, divided by its finished runs; null if it is not known
 */
export function meanGapOf(
  { executedAt, registeredAt, executionCountByStatus: counts }: RanWorkflow,
  since = Date.parse(registeredAt),
): number | null {
  const lifeMs = Date.parse(executedAt ?? '') - since;
  const everyMs = counts === null ? 0 : lifeMs / (counts.success + counts.failure);
  return everyMs > 0 ? everyMs : null;
}

/**
 * @param starts some of its newest, newest first, epoch milliseconds; null if not known
 * @returns false if the gap is not longer than each of the gaps before
 */
export function isGapUnusual(starts: readonly number[] | null, now: number): boolean {
  const [lastAt] = starts ?? [];
  if (starts === null || lastAt === undefined) return true;
  const gaps = starts.slice(1).map((start, index) => (starts[index] ?? start) - start);
  return now - lastAt > graceMinMs + (gaps.length > 0 ? Math.min(...gaps) : 0);
}

type ActivatedWorkflow = {
  readonly name: string;
  /** Status of its deployment, as the service spells it. */
  readonly status: string;
  readonly registeredAt: string;
  readonly executedAt: string | null;
  /** Count of all time; null if not known. */
  readonly executionCountByStatus?: { readonly success: number; readonly failure: number } | null;
};

type DeploymentLike = { readonly status: string; readonly deployedAt: string };

export type NeverRan = {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** True if it is active since then; otherwise its deployments are not known, and it was registered then. */
  readonly isActiveSince: boolean;
};

/** The first run of a workflow may be due this long after its activation. */
export const firstRunWithinMs = 24 * 60 * 60_000;

/** True if it is active and no execution of it is known: its deployments decide since when. */
export function isWithoutRuns({ status, executedAt, executionCountByStatus: counts }: ActivatedWorkflow): boolean {
  return status === 'ACTIVE' && executedAt === null && (counts ? counts.success + counts.failure : 0) === 0;
}

/**
 * @param deployments newest first; null if not known
 * @param now epoch milliseconds
 * @returns null if it has run, is not active, or is active for less than a day
 */
export function neverRan(
  workflow: ActivatedWorkflow,
  deployments: readonly DeploymentLike[] | null,
  now: number,
): NeverRan | null {
  if (!isWithoutRuns(workflow)) return null;
  const activeSince = activeSinceOf(deployments ?? []);
  const since = activeSince ?? Date.parse(workflow.registeredAt);
  if (!(now - since >= firstRunWithinMs)) return null;
  return { name: workflow.name, since, isActiveSince: activeSince !== null };
}

/** A further deployment does not end the activity, nor does one that failed or is pending; a pause does. */
function activeSinceOf(deployments: readonly DeploymentLike[]): number | null {
  let since: number | null = null;
  for (const { status, deployedAt } of deployments) {
    if (status === 'PAUSED' || status === 'DELETED') return since;
    const at = Date.parse(deployedAt);
    if (status === 'ACTIVE' && Number.isFinite(at)) since = since === null ? at : Math.min(since, at);
  }
  return since;
}
