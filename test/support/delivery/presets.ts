/** Presets for fault tests: shortened waits, kill lists and a Slack that fails now and then. */
import { failpoints } from '../../../src/bot/outbox/failpoints.ts';
import type { DeliveryTiming } from '../../../src/bot/outbox/timing.ts';
import type { Kill } from './fleet.ts';
import type { JudgeOptions } from './judge.ts';
import type { TrialOptions } from './trial.ts';

export const shortTiming: Partial<DeliveryTiming> = {
  ...{ leaseMs: 3000, sendDeadlineMs: 1000, intentAgeMsMax: 500, historyLagMs: 400, postIntervalMs: 2 },
  ...{
    firstRetryMs: 50,
    retryMsMax: 400,
    rebuildMs: 100,
    serviceLagMs: 0,
    jitterMsMax: 0,
    wakeMsMin: 20,
    wakeMsMax: 250,
    batchMs: 5,
  },
};

/** Shorter waits, but long enough for a loaded machine. */
export const shorterTiming: Partial<DeliveryTiming> = {
  ...shortTiming,
  ...{ leaseMs: 1500, sendDeadlineMs: 500, intentAgeMsMax: 400, historyLagMs: 100 },
};

/** A Slack without faults. */
export const calm: JudgeOptions = { faults: {}, lateMs: 0, random: () => 1 };

/** @param lateMs longer than the bot waits before it reconciles, so that a late message is duplicated until the duplicate check */
export function trialOf(
  options: Pick<TrialOptions, 'storeUrl' | 'kills'> & Partial<TrialOptions> & { readonly seed: number },
): TrialOptions {
  const random = randomOf(options.seed);
  const faults: JudgeOptions['faults'] = { drop: 0.08, late: 0.04, fail: 0.04, limit: 0.04 };
  return {
    ...{ strategy: 'outbox', replicas: 1, teams: 3, duePerStart: 3, repliesCount: 1, buildMs: 5 },
    ...{ timing: shortTiming, limits: {}, lifeMs: 2000, deadlineMs: 90_000, lateAfterMs: 60_000 },
    judge: { faults, lateMs: 2500, random },
    ...options,
  };
}

/** As `trialOf`, under Slack's limit of histories for apps outside of the Marketplace, with a minute of a second. */
export function limitedTrialOf(options: Parameters<typeof trialOf>[0]): TrialOptions {
  const trial = trialOf(options);
  // The time span of a look is as short in proportion.
  const timing = { ...trial.timing, clockSlackMs: 500 };
  return { ...trial, timing, judge: { ...trial.judge, historyEveryMs: 1000 } };
}

/**
 * As `trialOf`, where no bot may read the replies of a thread. Late messages appear before the bot looks: one that appears
 * later is duplicated, and no duplicate check can find it there.
 */
export function withoutReplies(options: Parameters<typeof trialOf>[0]): TrialOptions {
  const trial = trialOf(options);
  return { ...trial, judge: { ...trial.judge, lateMs: 200, refusesReplies: true } };
}

/** Ends processes of this version and of the next one in turn. */
export const killsOfVersions: readonly Kill[] = [
  { kind: 'failpoint', failpoint: 'after intent', nth: 1 },
  { kind: 'failpoint', failpoint: 'after payload', nth: 1 },
  // This version lives until the leases of the other one's are over, and meets what that has made.
  { kind: 'random', afterMs: 2500 },
];

/** Ends one process at each failpoint. */
export function everyFailpoint(): readonly Kill[] {
  return failpoints.map((failpoint, index) => ({ kind: 'failpoint', failpoint, nth: 1 + (index % 3) }));
}

/** Ends a process when Slack receives a post, and after Slack accepted it but before its answer. */
export const duringPosts: readonly Kill[] = [
  { kind: 'post', moment: 'received', nth: 1 },
  { kind: 'post', moment: 'accepted', nth: 1 },
  { kind: 'post', moment: 'accepted', nth: 3 },
];

export function atRandom(count: number, random: () => number, maxMs = 800): readonly Kill[] {
  return Array.from({ length: count }, () => ({ kind: 'random', afterMs: random() * maxMs }));
}

/** mulberry32: the same numbers for the same seed. @returns from 0 to 1 */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
