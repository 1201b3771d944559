/** Decides with which deployment failures began. Blames one only if so good a fit by chance is rare; otherwise says why not. */
import { parseTimestamp, type Timestamp } from '../executions/timeline.ts';
import { logChanceOfMore, type Share } from '../statistics.ts';
import {
  type Bin,
  binsOf,
  type Cut,
  type Onset,
  onsetIn,
  type Profile,
  type Stretch,
  signedGain,
  stretchesOf,
  sumsOf,
} from './onset.ts';

/** A deployment from the query service. */
export type DeploymentLike = { readonly uuid: string; readonly status: string; readonly deployedAt: Timestamp };

type Numbers = {
  readonly deployment: DeploymentLike;
  readonly before: Stretch;
  readonly after: Stretch;
  /** Number of deployments that would fit as well as this one by chance, expected from how often the workflow is deployed. */
  readonly byChance: number;
};

export type Blamed = Numbers & {
  readonly kind: 'blamed';
  /** From the deployment to the first failure of the rise. */
  readonly beganAfterMs: number;
  /** True if another deployment took effect since. */
  readonly isReplaced: boolean;
  /** The one that it replaced; null if that is not known. */
  readonly previous: DeploymentLike | null;
};

/**
 * `few`: too few executions or failures; `no_rise`: the rate did not clearly rise; `earlier`, `later`: the rise began before or after it;
 * `ended`: it ended although no other deployment came; `gradual`: it rose slowly, not at once; `chance`: see `byChance`.
 */
type ThinReason = 'few' | 'no_rise' | 'earlier' | 'later' | 'ended' | 'gradual' | 'chance';

/** Why failures began: a deployment, or the reason why none is blamed. */
export type BlameFinding =
  | Blamed
  | { readonly kind: 'none_came'; readonly from: number; readonly to: number }
  | (Numbers & { readonly kind: 'thin'; readonly reason: ThinReason; readonly beganAt: number | null })
  | { readonly kind: 'unread'; readonly what: 'deployments' | 'counts' }
  | { readonly kind: 'never_good'; readonly since: number; readonly failed: number; readonly isAtLeast: boolean };

export type BlameQuestion = {
  /** Null if the counts could not be read. */
  readonly profile: Profile | null;
  /** In any order; null if they could not be read. */
  readonly deployments: readonly DeploymentLike[] | null;
  /** True if older deployments may exist that are not in the list. */
  readonly isCut: boolean;
  /** True if any execution before this one succeeded; null if that is not known. */
  readonly hasSucceeded: boolean | null;
};

/** Nodes need some minutes to take over a deployment. */
const takeoverMs = 5 * 60_000;
const beforeCountMin = 10;
/** Most deployments expected to fit as well by chance. It bounds the share of false blame, whatever else makes a workflow fail. */
const byChanceMax = 0.025;
/** A deployment fits if no instant before it explains the outcomes better by more than this, as a logarithm. */
const earlierMax = 3;
/** The same for any instant. */
const betterMax = 5;

const dayMs = 24 * 60 * 60_000;
const weekMs = 7 * dayMs;

type Placed = { readonly deployment: DeploymentLike; readonly at: number };

export function findBlame(question: BlameQuestion): BlameFinding {
  const { profile, deployments, isCut } = question;
  if (deployments === null) return { kind: 'unread', what: 'deployments' };
  if (profile === null) return { kind: 'unread', what: 'counts' };
  const all = placed(deployments);
  const neverGood = findNeverGood(question, profile, all);
  if (neverGood !== null) return neverGood;
  const setting = settingOf(profile, all, isCut);
  const [best] = setting.onset === null ? [] : fitsOf(setting, setting.onset).toSorted(byFit);
  if (best !== undefined && best.reason === null && setting.onset !== null) return blamed(best, setting, all);
  const window = windowBefore(setting.bins, setting.onset?.after.from ?? profile.anchor, profile.anchor);
  const newest = newestBefore(setting, window.from);
  if (newest === null) return { kind: 'none_came', ...window };
  const shown = best !== undefined && best.at >= window.from ? best : numbersOf(setting, newest);
  return thin(shown, setting.onset);
}

/** Deployments that took effect, oldest first. */
function placed(deployments: readonly DeploymentLike[]): readonly Placed[] {
  return deployments
    .flatMap((deployment) => {
      const at = parseTimestamp(deployment.deployedAt);
      return at === null || deployment.status.toUpperCase() === 'FAILED' ? [] : [{ deployment, at }];
    })
    .toSorted((one, other) => one.at - other.at);
}

/** Share of the time since the first deployment of which no executions may be known; with more, older ones may not be kept. */
const unknownShareMax = 0.25;

function findNeverGood(
  { hasSucceeded, isCut }: BlameQuestion,
  profile: Profile,
  [first]: readonly Placed[],
): BlameFinding | null {
  const [oldest] = profile.points;
  if (isCut || hasSucceeded !== false || first === undefined || first.at >= profile.anchor || oldest === undefined)
    return null;
  const unknownMs = aliveFrom(binsOf(profile)) - Math.max(first.at, oldest.at);
  if (oldest.good > 0 || unknownMs > Math.max(dayMs, unknownShareMax * (profile.anchor - first.at))) return null;
  return { kind: 'never_good', since: first.at, failed: oldest.failed, isAtLeast: oldest.at > first.at };
}

type Setting = {
  readonly bins: readonly Bin[];
  readonly onset: Onset | null;
  /** Those before the execution in question. */
  readonly candidates: readonly Placed[];
  /** The next deployment after it; `Infinity` without one. */
  readonly later: number;
  /** Deployments in each millisecond. */
  readonly density: number;
};

function settingOf(profile: Profile, all: readonly Placed[], isCut: boolean): Setting {
  const times = all.map(({ at }) => at);
  const bins = binsOf(profile, times);
  const onset = onsetIn(profile, bins);
  const knownFrom = isCut ? (times[0] ?? 0) : 0;
  const onsetAt = onset?.after.from ?? profile.anchor;
  const density = densityOf(times, Math.max(knownFrom, aliveFrom(bins)), onsetAt, profile.anchor);
  const later = Math.min(...times.filter((at) => at >= profile.anchor), Number.POSITIVE_INFINITY);
  return { bins, onset, candidates: all.filter(({ at }) => at < profile.anchor), later, density };
}

/** Over the whole time known; over the week before the onset if clearly more came then than usual, by three standard deviations. */
function densityOf(times: readonly number[], from: number, onsetAt: number, to: number): number {
  const usual = times.filter((at) => at >= from && at < to).length / Math.max(1, to - from);
  const weekFrom = Math.max(from, onsetAt - weekMs);
  // The one in question is left out: alone in its week it says nothing about how often there are others.
  const inWeek = times.filter((at) => at >= weekFrom && at < onsetAt).length - 1;
  const expected = usual * (onsetAt - weekFrom);
  const isDense = inWeek > expected + 3 * Math.sqrt(expected);
  return isDense ? inWeek / Math.max(1, onsetAt - weekFrom) : usual;
}

/** Estimates the start of the first execution. */
function aliveFrom(bins: readonly Bin[]): number {
  const oldest = bins.findIndex((bin) => countOf(bin) > 0);
  const [bin, next] = [bins[oldest], bins[oldest + 1]];
  if (bin === undefined) return 0;
  if (next === undefined || countOf(next) === 0) return bin.from;
  const gapMs = (next.to - next.from) / countOf(next);
  return Math.max(bin.from, bin.to - gapMs * countOf(bin));
}

function countOf({ good, failed }: Bin): number {
  return good + failed;
}

type Fit = Numbers & {
  readonly at: number;
  readonly gain: number;
  readonly reason: ThinReason | null;
};

function byFit(one: Fit, other: Fit): number {
  return Number(one.reason !== null) - Number(other.reason !== null) || other.gain - one.gain || other.at - one.at;
}

/** Those that lie within the two stretches that the onset divides. */
function fitsOf(setting: Setting, onset: Onset): readonly Fit[] {
  const { bins } = setting;
  const sums = sumsOf(bins);
  const gains = bins.map((_, cut) =>
    cut <= onset.first || cut >= onset.end ? Number.NEGATIVE_INFINITY : signedGain(sums, { ...onset, cut }),
  );
  return setting.candidates.flatMap((candidate) => {
    const cut = cutOf(bins, gains, candidate.at);
    const gain = gains[cut] ?? Number.NEGATIVE_INFINITY;
    if (gain === Number.NEGATIVE_INFINITY) return [];
    const shiftMs = Math.max(0, (bins[cut]?.from ?? 0) - candidate.at);
    const byChance = setting.density * (widthOfBetter(bins, gains, gain) + shiftMs);
    const earlier = gains.filter((_, index) => index < cut && (bins[index]?.from ?? 0) < candidate.at);
    const own = bins.findIndex(({ from }) => from === candidate.at);
    const { before, after } = stretchesOf(bins, sums, { ...onset, cut: own === -1 ? cut : own });
    const course = {
      hasEnded: endedAlone(bins, onset, setting.later),
      isGradual: isGradual(bins, { ...onset, cut }, after),
    };
    const reason = reasonOf({ before, after, byChance, gain, onset, ...course, mostBefore: Math.max(...earlier) });
    return [{ ...candidate, before, after, byChance, gain, reason }];
  });
}

/** @returns the best cut from the deployment until all nodes have taken it over; both ends of a bin that it lies in count as such */
function cutOf(bins: readonly Bin[], gains: readonly number[], at: number): number {
  const edges = bins.flatMap(({ from, to }, index) => {
    if (from < at && to > at) return [index, index + 1];
    return from >= at && from <= at + takeoverMs ? [index] : [];
  });
  const gainAt = (cut: number) => gains[cut] ?? Number.NEGATIVE_INFINITY;
  return edges.reduce((best, edge) => (best === -1 || gainAt(edge) > gainAt(best) ? edge : best), -1);
}

/** @returns the total length of the times at which a deployment would fit at least as well */
function widthOfBetter(bins: readonly Bin[], gains: readonly number[], gain: number): number {
  const isBetter = (cut: number) => (gains[cut] ?? Number.NEGATIVE_INFINITY) >= gain - 1e-9;
  return bins.reduce((sum, { from, to, isExact }, index) => {
    const fits = isBetter(index + 1) || (!isExact && isBetter(index));
    return fits ? sum + to - from : sum;
  }, 0);
}

type Weighed = Omit<Numbers, 'deployment'> & {
  readonly gain: number;
  readonly onset: Onset;
  readonly mostBefore: number;
  readonly hasEnded: boolean;
  readonly isGradual: boolean;
};

/** The state directly before the deployment decides first. */
function reasonOf(weighed: Weighed): ThinReason | null {
  const { before, after, byChance, gain, onset, mostBefore, hasEnded, isGradual: isSlow } = weighed;
  if (mostBefore - gain > earlierMax) return 'earlier';
  if (onset.gain - gain > betterMax) return 'later';
  if (before.total < beforeCountMin || after.failed < 3) return 'few';
  if (hasEnded) return 'ended';
  if (isSlow) return 'gradual';
  return byChance > byChanceMax ? 'chance' : null;
}

const jumpCount = 40;
const jumpFailures = 8;
const logJumpChanceMax = Math.log(0.05);
const logTrendChanceMax = Math.log(0.01);

/** @returns whether the rate differs little just before and after the cut, or rose within one of the stretches */
function isGradual(bins: readonly Bin[], { first, cut, end }: Cut, { failed, total }: Stretch): boolean {
  const count = Math.max(jumpCount, Math.ceil((jumpFailures * total) / Math.max(1, failed)));
  const [before, after] = [bins.slice(first, cut), bins.slice(cut, end)];
  const isJump = logChanceOfMore(nearest(before.toReversed(), count), nearest(after, count)) <= logJumpChanceMax;
  return !isJump || isRising(before) || isRising(after);
}

/** Compares its halves. */
function isRising(bins: readonly Bin[]): boolean {
  const all = nearest(bins, Number.POSITIVE_INFINITY);
  const older = nearest(bins, all.total / 2);
  const newer = { failed: all.failed - older.failed, total: all.total - older.total };
  return logChanceOfMore(older, newer) <= logTrendChanceMax;
}

function nearest(bins: readonly Bin[], count: number): Share {
  let share: Share = { failed: 0, total: 0 };
  for (const bin of bins) {
    if (share.total >= count) break;
    share = { failed: share.failed + bin.failed, total: share.total + countOf(bin) };
  }
  return share;
}

/** Successes in a row that are rarer than this at the rate of the rise show that it has ended. */
const implausible = 0.003;

/** @param later the next deployment after the execution in question; the rise may have ended with it */
function endedAlone(bins: readonly Bin[], { end, after }: Onset, later: number): boolean {
  const rest = bins.slice(end).filter(({ to }) => to <= later);
  const { failed, total } = nearest(rest, Number.POSITIVE_INFINITY);
  const rate = Math.min(0.99, after.failed / after.total);
  return total > 0 && failed / total < rate / 2 && (1 - rate) ** (total - failed) < implausible;
}

/** Records in the history of deployments that brought no version. */
const withoutVersion = new Set(['PENDING', 'PAUSED', 'DELETED']);

function blamed({ deployment, at, before, after, byChance }: Fit, { bins }: Setting, all: readonly Placed[]): Blamed {
  const first = bins.find(({ from, failed }) => failed > 0 && from >= after.from);
  const beganAfterMs = Math.max(0, (first?.from ?? at) - at);
  const isReplaced = all.some((other) => other.at > at);
  const isVersion = ({ status }: DeploymentLike) => !withoutVersion.has(status.toUpperCase());
  const previous = all.findLast((other) => other.at < at && isVersion(other.deployment));
  return {
    ...{ kind: 'blamed', deployment, before, after, byChance, beganAfterMs, isReplaced },
    previous: previous?.deployment ?? null,
  };
}

const countMin = 10;

/** A day before the failures began, and at least ten executions. */
function windowBefore(
  bins: readonly Bin[],
  beganAt: number,
  to: number,
): { readonly from: number; readonly to: number } {
  let count = 0;
  for (const bin of bins.toReversed()) {
    if (bin.to > beganAt) continue;
    count += countOf(bin);
    if (bin.from <= beganAt - dayMs && count >= countMin) return { from: bin.from, to };
  }
  return { from: bins[0]?.from ?? to, to };
}

/** @returns the newest deployment before the rise, otherwise the newest one before the execution; null if none came in the window */
function newestBefore({ candidates, onset }: Setting, from: number): Placed | null {
  const near = candidates.filter(({ at }) => at >= from);
  const before = onset === null ? [] : near.filter(({ at }) => at <= onset.after.from);
  return before.at(-1) ?? near.at(-1) ?? null;
}

/** The week before a deployment, and the time after it. */
function numbersOf({ bins, onset }: Setting, { deployment, at }: Placed): Numbers & { readonly reason: ThinReason } {
  const sums = sumsOf(bins);
  const end = bins.length;
  const cut = bins.findIndex(({ from }) => from >= at);
  const weekBefore = bins.findLastIndex(({ from }) => from <= at - weekMs);
  const first = Math.max(0, weekBefore);
  const { before, after } = stretchesOf(bins, sums, { first, cut: cut === -1 ? end : cut, end });
  const known = before.total < beforeCountMin || after.failed < 3 ? 'few' : 'no_rise';
  return { deployment, before, after, byChance: 0, reason: onset === null ? known : 'later' };
}

function thin(
  { deployment, before, after, byChance, reason }: Numbers & { readonly reason: ThinReason | null },
  onset: Onset | null,
): BlameFinding {
  const beganAt = onset === null ? null : onset.after.from;
  const deployedAt = parseTimestamp(deployment.deployedAt) ?? 0;
  const isLater = (reason === 'few' || reason === 'later') && beganAt !== null && beganAt < deployedAt;
  const shown = { deployment, before, after, byChance, beganAt };
  return { kind: 'thin', ...shown, reason: isLater ? 'earlier' : (reason ?? 'few') };
}
