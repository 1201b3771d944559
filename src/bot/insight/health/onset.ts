/** How failures came: at once or by and by, soon or late, for the first time or not, and whether they are over. */
import { chanceOfAtLeast, logChanceOfMore } from '../statistics/chance.ts';

/** The executions of a stretch of time; times in epoch milliseconds. */
export type Runs = {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly failed: number;
  /** In order. */
  readonly failedAt: readonly number[];
  /** Whether `failedAt` has all of `failed`. */
  readonly isComplete: boolean;
  /** From one start to the next, on average. */
  readonly gapMs: number;
};

/** What would be rarer than this under an explanation rules the explanation out. */
const implausible = 0.003;

/** @returns whether the last executions failed more often than those before them, or that cannot be told */
export function wasUnderWay({ to, total, failed, failedAt, isComplete, gapMs }: Runs): boolean {
  if (failed === 0) return false;
  return [10, 40].some((tries) => {
    const lastFrom = to - tries * gapMs;
    if (tries > total / 2) return false;
    if (!isComplete && (failedAt[0] ?? to) > lastFrom) return true;
    const hits = Math.min(tries, failedAt.filter((ms) => ms >= lastFrom).length);
    const usualRate = (failed - hits + 0.5) / (total - tries + 1);
    return chanceOfAtLeast(hits, tries, usualRate) < implausible;
  });
}

const logJumpChanceMax = Math.log(0.001);
const jumpCount = 40;
const jumpFailures = 12;

/** @returns whether the rate jumped from one stretch to the next, rather than creeping up over both */
export function isJump(before: Runs, after: Runs): boolean {
  const count = Math.max(jumpCount, Math.ceil((jumpFailures * after.total) / after.failed));
  return logChanceOfMore(lastOf(before, count), firstOf(after, count)) <= logJumpChanceMax;
}

function lastOf({ to, total, failed, failedAt, gapMs }: Runs, count: number) {
  if (count >= total) return { failed, total };
  const hits = failedAt.filter((ms) => ms >= to - count * gapMs).length;
  return { failed: Math.min(hits, count), total: count };
}

function firstOf({ from, total, failed, failedAt, isComplete, gapMs }: Runs, count: number) {
  if (count >= total) return { failed, total };
  if (!isComplete) return { failed: Math.round((count * failed) / total), total: count };
  const hits = failedAt.filter((ms) => ms <= from + count * gapMs).length;
  return { failed: Math.min(hits, count), total: count };
}

/** Fewer than this share of the failures, crowded like them, are something else. */
const alikeShare = 0.6;

/** @returns whether failures have crowded like those of `after` at some time in `before` */
export function hasHappenedBefore(before: Runs, after: Runs): boolean {
  const [first, last] = [after.failedAt[0] ?? after.from, after.failedAt.at(-1) ?? after.to];
  const lengthMs = after.isComplete ? last - first : after.to - after.from;
  return mostWithin(before.failedAt, lengthMs) >= alikeShare * after.failed;
}

/** @returns the most of these times that lie within one stretch of such a length */
function mostWithin(times: readonly number[], lengthMs: number): number {
  let oldest = 0;
  return times.reduce((most, ms, index) => {
    while (ms - (times[oldest] ?? ms) > lengthMs) oldest += 1;
    return Math.max(most, index - oldest + 1);
  }, 0);
}

/** Nodes take some minutes to have taken over what is deployed. */
const takeoverMs = 5 * 60_000;
const soonMsMin = 60 * 60_000;
const soonGaps = 6;

/** @returns whether failures began with the first executions: no more good ones before the first failure than there are between others */
export function beganSoon(runs: Runs): boolean {
  const beganAfterMs = (runs.failedAt[0] ?? runs.to) - runs.from;
  if (beganAfterMs > Math.max(soonMsMin, soonGaps * runs.gapMs)) return false;
  return beganAfterMs <= takeoverMs || isGoodSoOften(runs, beganAfterMs);
}

/** @returns whether more good executions have followed the last failure than there are between others */
export function hasEnded(runs: Runs): boolean {
  return !isGoodSoOften(runs, runs.to - (runs.failedAt.at(-1) ?? runs.from));
}

/** Whether nothing but good executions for so long is plausible at the rate at which executions failed from first to last. */
function isGoodSoOften({ failed, failedAt, gapMs }: Runs, lengthMs: number): boolean {
  const spanMs = (failedAt.at(-1) ?? 0) - (failedAt[0] ?? 0);
  const rate = failed / (Math.max(failed, Math.round(spanMs / gapMs)) + 1);
  return (1 - rate) ** Math.floor(lengthMs / gapMs) >= implausible;
}
