/** Learns from a workflow's starts when it should run next, and judges a gap against that schedule and against earlier weeks. */
import { median } from '../statistics.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const weekMs = 7 * dayMs;

/** Runs at one interval; rests are possible between them. */
type Regular = {
  readonly kind: 'regular';
  readonly everyMs: number;
  /** A run may be this late. */
  readonly graceMs: number;
  /** Number of runs that it was learnt from. */
  readonly runs: number;
};

/** Runs at the same times of each day or week. */
type Repeating = {
  readonly kind: 'repeating';
  readonly periodMs: number;
  readonly everyMs: number;
  readonly graceMs: number;
  readonly runs: number;
};

/** Runs when something triggers it. */
type Irregular = {
  readonly kind: 'irregular';
  /** The mean gap. */
  readonly everyMs: number;
  readonly longestMs: number;
  /** A longer gap is chance in less than `falseRateMax` of looks. */
  readonly limitMs: number;
  readonly runs: number;
};

export type Schedule = Regular | Repeating | Irregular;

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

/** The chance for which the limit of irregular gaps is computed: few gaps hide how long the longest become. */
const gapChance = 0.003;

/** A shorter delay is never a silence. */
export const graceMinMs = 5 * minuteMs;
/** Longer gaps are rests or outages, not part of the interval. */
const longGap = 3;

const learntMax = 100;

/** @param newest starts, newest first @returns null if they are too few */
export function learnSchedule(newest: readonly number[]): Schedule | null {
  const starts = newest.slice(0, learntMax);
  const gaps = starts.slice(1).map((start, index) => (starts[index] ?? start) - start);
  return regularOf(gaps) ?? repeatingOf(starts, gaps) ?? irregularOf(gaps);
}

function regularOf(gaps: readonly number[]): Regular | null {
  const everyMs = median(gaps);
  const usual = gaps.filter((gap) => gap <= longGap * everyMs).sort((one, other) => one - other);
  if (everyMs <= 0 || usual.length * 3 < gaps.length * 2) return null;
  // One run in many may have been missed.
  const lengths = usual.length >= 30 ? usual.slice(0, -1) : usual;
  const [low, high] = [at(lengths, 0.05), at(lengths, 0.95)];
  const longest = lengths.at(-1) ?? everyMs;
  const spread = (longest - low) / everyMs;
  if (low < 0.5 * everyMs || high > 1.7 * everyMs || lengths.length < 4 + 16 * spread) return null;
  const graceMs = graceOf((longest - everyMs) * (1 + 3 / lengths.length), everyMs);
  return { kind: 'regular', everyMs, graceMs, runs: gaps.length + 1 };
}

function graceOf(latenessMs: number, everyMs: number): number {
  return Math.round(Math.max(graceMinMs, 0.02 * everyMs, 1.25 * latenessMs));
}

function at(sorted: readonly number[], quantile: number): number {
  return sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0;
}

/** Of runs at the same times of each period, this share has one a period earlier and later. */
const repeatedMin = 0.95;
const repeatedRunsMin = 8;

function repeatingOf(starts: readonly number[], gaps: readonly number[]): Repeating | null {
  const [newest, oldest] = [starts[0], starts.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  const sorted = gaps.toSorted((one, other) => one - other);
  const reachMs = Math.max(graceMinMs, Math.min(60 * minuteMs, at(sorted, 0.1) / 3));
  for (const periodMs of [weekMs, dayMs]) {
    const expected = starts.flatMap((start) =>
      [start - periodMs, start + periodMs].filter((time) => time >= oldest && time <= newest),
    );
    if (newest - oldest < 2.5 * periodMs || expected.length < repeatedRunsMin) continue;
    const lateness = expected.map((time) => distance(starts, time)).sort((one, other) => one - other);
    if (at(lateness, repeatedMin) > reachMs) continue;
    const graceMs = graceOf(at(lateness, repeatedMin), periodMs / 7);
    return { kind: 'repeating', periodMs, everyMs: median(gaps), graceMs, runs: starts.length };
  }
  return null;
}

function distance(starts: readonly number[], time: number): number {
  return starts.reduce((least, start) => Math.min(least, Math.abs(start - time)), Number.POSITIVE_INFINITY);
}

const irregularGapsMin = 8;

/**
 * Gaps without a pattern: the predictive limit of a Pareto mixture, with as many gaps as carry weight (Kish's effective sample
 * size), so that a few long pauses among many short gaps count as few.
 */
function irregularOf(gaps: readonly number[]): Irregular | null {
  const total = sum(gaps);
  if (gaps.length < irregularGapsMin || total <= 0) return null;
  const effective = total ** 2 / sum(gaps.map((gap) => gap ** 2));
  const longestMs = Math.max(...gaps);
  const limitMs = Math.max(2 * graceMinMs, 1.5 * longestMs, total * (gapChance ** (-1 / effective) - 1));
  return { kind: 'irregular', everyMs: total / gaps.length, longestMs, limitMs, runs: gaps.length + 1 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** @returns the time from which the gap is unusual by the interval alone, epoch milliseconds; null without a run */
function overdueAt(schedule: Schedule, starts: readonly number[]): number | null {
  const [lastAt] = starts;
  if (lastAt === undefined) return null;
  switch (schedule.kind) {
    case 'regular':
      return lastAt + schedule.everyMs + schedule.graceMs;
    case 'repeating': {
      const { periodMs, graceMs } = schedule;
      const next = starts.map((start) => start + periodMs).filter((time) => time > lastAt + graceMs);
      return Math.min(...next) + graceMs;
    }
    case 'irregular':
      return lastAt + schedule.limitMs;
  }
}

export function isOverdue(schedule: Schedule, starts: readonly number[], now: number): boolean {
  const dueAt = overdueAt(schedule, starts);
  return dueAt !== null && now > dueAt;
}

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
  /** Of the days before the last run; only an irregular schedule needs them. */
  readonly days: DailyRuns;
};

/** @returns null if the workflow is not overdue, rests at this time of the week or day, or if too little is known */
export function silenceOf({ schedule, runs, earlier, days }: SilenceEvidence, now: number): Silence | null {
  const [lastAt] = runs.starts;
  const dueAt = overdueAt(schedule, runs.starts);
  if (lastAt === undefined || dueAt === null || now <= dueAt) return null;
  const verdicts = (periods: readonly EarlierRuns[]) =>
    periods.flatMap((period) => verdictOf(period, schedule, lastAt) ?? []);
  const weekly = withoutOlderQuiet(verdicts(earlier.filter(isWeekly)));
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

/** The workflow may have begun to run after the oldest weeks, or the service may not keep them. */
function withoutOlderQuiet(weeks: readonly Verdict[]): readonly Verdict[] {
  return weeks.slice(0, weeks.findLastIndex(({ kind }) => kind !== 'quiet') + 1);
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
