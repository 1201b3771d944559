/** Whether failures began with a deployment: said only where the numbers support it. */

import { parseTimestamp, type Timestamp } from '../executions/timestamp.ts';
import { type FailureRate, failureRate, logChanceOfMore } from '../statistics/chance.ts';
import { beganSoon, hasEnded, hasHappenedBefore, isJump, type Runs, wasUnderWay } from './onset.ts';

/** A deployment as the query service tells it. */
export type DeploymentLike = { readonly uuid: string; readonly status: string; readonly deployedAt: Timestamp };

/** The finished executions that started in a stretch of time on one side of a deployment. */
export type Stretch = {
  readonly from: Timestamp;
  readonly to: Timestamp;
  readonly total: number;
  readonly failed: number;
  /**
   * When its failures started, in any order. Where not all are known: before a deployment the newest are enough; after it nothing is
   * blamed unless every execution failed, because nobody knows when that began.
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
  /** From the deployment to the start of the first failure after it; null where only this is known: every execution since failed. */
  readonly beganAfterMs: number | null;
};

const beforeCountMin = 10;
const failuresMin = 3;
/** The chance, by luck alone, at which a rise is taken for one; shared among the candidates. */
const logChanceMax = Math.log(0.000_5);
/** Where deployments come so often that one is this likely to lie so near the first failure anyway, its nearness says nothing. */
const coincidenceMax = 0.07;

/**
 * Blames a deployment where failures jumped with it far more than luck explains, began soon after it, had not begun before it, never came
 * like that before, and have not ended while it stands.
 * @param question every deployment of the time in question, in any order: how many there are weighs too
 * @returns the best supported; null where the evidence is thin
 */
export function blameDeployment<Deployment extends DeploymentLike>({
  candidates,
}: {
  readonly candidates: readonly BlameCandidate<Deployment>[];
}): Blame<Deployment> | null {
  const standing = candidates.filter(({ deployment }) => deployment.status.toUpperCase() !== 'FAILED');
  const deployedAt = standing
    .map(({ deployment }) => parseTimestamp(deployment.deployedAt))
    .filter((ms) => ms !== null);
  let best: Weighed<Deployment> | null = null;
  for (const candidate of standing) {
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

/** Failures are seen when executions start, so nothing is nearer than one of them. */
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
