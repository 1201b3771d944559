/** Finds the deployment with which failures began. Blames one only where the numbers support it. */
import { parseTimestamp, type Timestamp } from '../executions/timeline.ts';
import { chanceOfAtLeast, type FailureRate, failureRate, logChanceOfMore } from '../statistics.ts';

/** A deployment from the query service. */
export type DeploymentLike = { readonly uuid: string; readonly status: string; readonly deployedAt: Timestamp };

/** The finished executions that started in a period before or after a deployment. */
export type Stretch = {
  readonly from: Timestamp;
  readonly to: Timestamp;
  readonly total: number;
  readonly failed: number;
  /**
   * Starts of its failures, in any order. If not all are known: before a deployment the newest are enough; after it nothing is
   * blamed unless every execution failed, because the time of the first failure is not known.
   */
  readonly failedAt: readonly Timestamp[];
};

export type BlameCandidate<Deployment extends DeploymentLike> = {
  readonly deployment: Deployment;
  /** Up to the deployment: a week, and at least the 30 last executions. */
  readonly before: Stretch;
  /** From the deployment to the next one that did not fail, or to now. */
  readonly after: Stretch;
};

export type Blame<Deployment extends DeploymentLike> = {
  readonly deployment: Deployment;
  readonly before: FailureRate;
  readonly after: FailureRate;
  /** From the deployment to the first failure after it; null if it is only known that every execution since failed. */
  readonly beganAfterMs: number | null;
};

const beforeCountMin = 10;
const failuresMin = 3;
/** Highest probability by chance at which a rise counts; shared among the candidates. */
const logChanceMax = Math.log(0.000_5);
/** If deployments are so frequent that one is this likely to be near the first failure, nearness proves nothing. */
const coincidenceMax = 0.07;

/**
 * Blames a deployment if failures jumped with it far more than chance explains, began soon after it and not before it, never occurred
 * like that before, and have not ended while it is active.
 * @param question every deployment of the period, in any order: their number matters too
 * @returns the best supported deployment; null if the evidence is thin
 */
export function blameDeployment<Deployment extends DeploymentLike>({
  candidates,
}: {
  readonly candidates: readonly BlameCandidate<Deployment>[];
}): Blame<Deployment> | null {
  const successful = candidates.filter(({ deployment }) => deployment.status.toUpperCase() !== 'FAILED');
  const deployedAt = successful
    .map(({ deployment }) => parseTimestamp(deployment.deployedAt))
    .filter((ms) => ms !== null);
  let best: Weighed<Deployment> | null = null;
  for (const candidate of successful) {
    const found = weigh(candidate, deployedAt);
    if (found !== null && (best === null || found.logChance < best.logChance)) best = found;
  }
  return best?.blame ?? null;
}

type Weighed<Deployment extends DeploymentLike> = { readonly blame: Blame<Deployment>; readonly logChance: number };

function weigh<Deployment extends DeploymentLike>(
  { deployment, before, after }: BlameCandidate<Deployment>,
  deployedAt: readonly number[],
): Weighed<Deployment> | null {
  if (before.total < beforeCountMin || after.failed < failuresMin) return null;
  const [rateBefore, rateAfter] = [failureRate(before), failureRate(after)];
  if (rateAfter.low < 2 * rateBefore.high) return null;
  const logChance = logChanceOfMore(before, after);
  if (logChance > logChanceMax - Math.log(deployedAt.length)) return null;
  const [runsBefore, runsAfter] = [readRuns(before), readRuns(after)];
  if (runsBefore === null || runsAfter === null || wasUnderWay(runsBefore)) return null;
  const beganAfterMs = runsAfter.isComplete ? (runsAfter.failedAt[0] ?? runsAfter.from) - runsAfter.from : null;
  if (beganAfterMs === null && after.failed < after.total) return null;
  if (isOftenNear(deployedAt, runsBefore, beganAfterMs ?? 0)) return null;
  if (hasHappenedBefore(runsBefore, runsAfter) || !isJump(runsBefore, runsAfter)) return null;
  if (runsAfter.isComplete && (!beganSoon(runsAfter) || hasEnded(runsAfter))) return null;
  return { blame: { deployment, before: rateBefore, after: rateAfter, beganAfterMs }, logChance };
}

/** Failures show only when executions start, so nothing is nearer than the gap between two of them. */
function isOftenNear(deployedAt: readonly number[], { from, to, gapMs }: Runs, beganAfterMs: number): boolean {
  const count = deployedAt.filter((ms) => ms >= from && ms <= to).length;
  return (count * Math.max(beganAfterMs, gapMs)) / (to - from) > coincidenceMax;
}

function readRuns({ from, to, total, failed, failedAt }: Stretch): Runs | null {
  const [start, end] = [parseTimestamp(from), parseTimestamp(to)];
  if (start === null || end === null || end <= start) return null;
  const times = failedAt.map(parseTimestamp).filter((ms) => ms !== null);
  const inside = times.filter((ms) => ms >= start && ms <= end).sort((one, other) => one - other);
  const isComplete = inside.length >= failed;
  return { from: start, to: end, total, failed, failedAt: inside, isComplete, gapMs: (end - start) / total };
}

/** The executions of a period; times in epoch milliseconds. */
export type Runs = {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly failed: number;
  /** In order. */
  readonly failedAt: readonly number[];
  /** True if `failedAt` has all of `failed`. */
  readonly isComplete: boolean;
  /** From one start to the next, on average. */
  readonly gapMs: number;
};

/** An explanation under which the facts are rarer than this is ruled out. */
const implausible = 0.003;

/** @returns whether the last executions failed more often than those before them, also if that cannot be decided */
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

/** @returns whether the rate jumped between the periods, rather than creeping up over both */
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

/** A smaller share of the failures in as short a time is a different pattern. */
const alikeShare = 0.6;

/** @returns whether failures were as dense as those of `after` at some time in `before` */
export function hasHappenedBefore(before: Runs, after: Runs): boolean {
  const [first, last] = [after.failedAt[0] ?? after.from, after.failedAt.at(-1) ?? after.to];
  const lengthMs = after.isComplete ? last - first : after.to - after.from;
  return mostWithin(before.failedAt, lengthMs) >= alikeShare * after.failed;
}

/** @returns the highest number of times within any period of this length */
function mostWithin(times: readonly number[], lengthMs: number): number {
  let oldest = 0;
  return times.reduce((most, ms, index) => {
    while (ms - (times[oldest] ?? ms) > lengthMs) oldest += 1;
    return Math.max(most, index - oldest + 1);
  }, 0);
}

/** Nodes need some minutes to take over a deployment. */
const takeoverMs = 5 * 60_000;
const soonMsMin = 60 * 60_000;
const soonGaps = 6;

/** @returns whether failures began with the first executions: no more successes before the first failure than between others */
export function beganSoon(runs: Runs): boolean {
  const beganAfterMs = (runs.failedAt[0] ?? runs.to) - runs.from;
  if (beganAfterMs > Math.max(soonMsMin, soonGaps * runs.gapMs)) return false;
  return beganAfterMs <= takeoverMs || isGoodSoOften(runs, beganAfterMs);
}

/** @returns whether more successes followed the last failure than lie between others */
export function hasEnded(runs: Runs): boolean {
  return !isGoodSoOften(runs, runs.to - (runs.failedAt.at(-1) ?? runs.from));
}

/** Returns true if so many successes in a row are plausible at the failure rate between the first and the last failure. */
function isGoodSoOften({ failed, failedAt, gapMs }: Runs, lengthMs: number): boolean {
  const spanMs = (failedAt.at(-1) ?? 0) - (failedAt[0] ?? 0);
  const rate = failed / (Math.max(failed, Math.round(spanMs / gapMs)) + 1);
  return (1 - rate) ** Math.floor(lengthMs / gapMs) >= implausible;
}
