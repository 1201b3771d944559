/** Silences and the judgement of simulated starts, as a service would answer about them. */
import { isOverdue, learnSchedule } from '../../../src/bot/insight/health/schedule.ts';
import {
  earlierPeriods,
  isYoung,
  knownRuns,
  lifePeriod,
  type Silence,
  silenceOf,
} from '../../../src/bot/insight/health/silence.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

/** Of a workflow that ran at one interval. */
export function regularSilence(lastAt: number, forMs: number, everyMs: number): Silence {
  const schedule = { kind: 'regular', everyMs, graceMs: 5 * minuteMs, runs: 60 } as const;
  return { lastAt, forMs, expectedBy: lastAt + everyMs + schedule.graceMs, schedule, compared: 4, ranBefore: 4 };
}

/** Limits of the queries. */
const [newestMax, periodMax, daysMax] = [60, 25, 56];

/**
 * @param starts in order @param since the registration
 * @returns what the bot says at `now` of a workflow with these starts, of which it reads as many as it would of a service
 */
export function judgeStarts(starts: readonly number[], since: number, now: number): Silence | null {
  const end = firstFrom(starts, now + 1);
  const newest = starts.slice(Math.max(0, end - newestMax), end).toReversed();
  const schedule = learnSchedule(newest);
  const [lastAt] = newest;
  if (lastAt === undefined || schedule === null || !isOverdue(schedule, newest, now)) return null;
  const isWhole = end < newestMax;
  const meanGapMs = (lastAt - since) / end;
  const registered = { starts: newest, isWhole, since: isWhole ? (newest.at(-1) ?? now) : since, meanGapMs };
  const earlier = earlierPeriods(schedule, registered, now).map((period) => {
    const from = firstFrom(starts, period.from);
    const read = starts.slice(from, Math.min(firstFrom(starts, period.to), from + periodMax));
    return knownRuns(registered, period) ?? { ...period, starts: read, isCut: read.length === periodMax };
  });
  const lastDay = Math.floor(lastAt / dayMs) * dayMs;
  const firstDay = Math.max(lastDay - daysMax * dayMs, Math.ceil(registered.since / dayMs) * dayMs);
  const days = Array.from({ length: Math.max(0, (lastDay - firstDay) / dayMs) }, (_, index) => {
    const from = firstDay + index * dayMs;
    return firstFrom(starts, from + dayMs) - firstFrom(starts, from);
  });
  const [firstAt = lastAt] = lifePeriod(schedule, registered) ? starts : [since];
  const runs = isYoung(registered, firstAt)
    ? { ...registered, since: firstAt, meanGapMs: (lastAt - firstAt) / end }
    : registered;
  return silenceOf({ schedule, runs, earlier, days }, now);
}

/** @returns the index of the first start at or after the time */
export function firstFrom(starts: readonly number[], time: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((starts[middle] ?? time) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
