/** Learns from a workflow's starts when it should run next: at one interval, at repeated times, or by chance. */
import { median, sum } from '../statistics.ts';

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
export type Irregular = {
  readonly kind: 'irregular';
  /** The mean gap. */
  readonly everyMs: number;
  readonly longestMs: number;
  /** A longer gap is chance in less than `falseRateMax` of looks. */
  readonly limitMs: number;
  readonly runs: number;
};

export type Schedule = Regular | Repeating | Irregular;

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

/** Share of the runs, at the same times of each period, that have one a period earlier and later. */
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
    const lateness = expected
      .map((time) => Math.min(...starts.map((start) => Math.abs(start - time))))
      .sort((one, other) => one - other);
    if (at(lateness, repeatedMin) > reachMs) continue;
    const graceMs = graceOf(at(lateness, repeatedMin), periodMs / 7);
    return { kind: 'repeating', periodMs, everyMs: median(gaps), graceMs, runs: starts.length };
  }
  return null;
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

/** @returns the time from which the gap is unusual by the interval alone, epoch milliseconds; null without a run */
export function overdueAt(schedule: Schedule, starts: readonly number[]): number | null {
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
