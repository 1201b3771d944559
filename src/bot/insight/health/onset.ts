/** Finds since when a workflow fails more often, from counts over bins of time: the last change of its failure rate. */
import type { Share } from '../statistics.ts';

/** The finished executions that started in [from, to), epoch milliseconds. */
export type Bin = {
  readonly from: number;
  readonly to: number;
  readonly good: number;
  readonly failed: number;
  /** True if it has at most one execution, which started at `from`, so that a change can be placed between two executions. */
  readonly isExact: boolean;
};

/** Executions in a row, with the time that they span. */
export type Stretch = Share & { readonly from: number; readonly to: number };

/** The rate rose at bin `cut`; it was steady from bin `first` to there, and from there to bin `end`, excluded. */
export type Onset = {
  readonly first: number;
  readonly cut: number;
  readonly end: number;
  /** The gain of the change over one steady rate in explaining the outcomes: natural logarithm of the likelihood ratio. */
  readonly gain: number;
  readonly before: Stretch;
  readonly after: Stretch;
};

/** A change counts by itself from this gain on. In 2,000 executions without a change chance reaches it about once in 100 times. */
export const gainMin = 8;
/** The weakest rise that is considered beside a deployment. */
const weakGainMin = 4;

/** Failures and totals up to each bin; the first entry is 0. */
export type Sums = { readonly failed: readonly number[]; readonly total: readonly number[] };

export function sumsOf(bins: readonly Bin[]): Sums {
  const failed = [0];
  const total = [0];
  for (const bin of bins) {
    failed.push((failed.at(-1) ?? 0) + bin.failed);
    total.push((total.at(-1) ?? 0) + bin.failed + bin.good);
  }
  return { failed, total };
}

function shareOf({ failed, total }: Sums, from: number, to: number): Share {
  return { failed: (failed[to] ?? 0) - (failed[from] ?? 0), total: (total[to] ?? 0) - (total[from] ?? 0) };
}

export type Cut = { readonly first: number; readonly cut: number; readonly end: number };

/** @returns the gain of a change at `cut`; negative if the rate fell there */
export function signedGain(sums: Sums, { first, cut, end }: Cut): number {
  const [before, after] = [shareOf(sums, first, cut), shareOf(sums, cut, end)];
  if (before.total === 0 || after.total === 0) return 0;
  const whole = { failed: before.failed + after.failed, total: before.total + after.total };
  const gain = logLikelihood(before) + logLikelihood(after) - logLikelihood(whole);
  return after.failed * before.total >= before.failed * after.total ? gain : -gain;
}

/** Log-likelihood of the outcomes at the rate that explains them best. */
function logLikelihood({ failed, total }: Share): number {
  const good = total - failed;
  return (failed === 0 ? 0 : failed * Math.log(failed / total)) + (good === 0 ? 0 : good * Math.log(good / total));
}

/**
 * @param until index of the bin after the execution in question
 * @returns the last rise before it: from there on the rate is steady. Null if the rate last fell, or never changed
 */
function lastOnset(bins: readonly Bin[], until: number): Onset | null {
  const sums = sumsOf(bins);
  let best: Onset | null = null;
  for (let end = until; end <= bins.length; end += 1) {
    const found = onsetUpTo(bins, sums, { until, end });
    if (found !== null && (best === null || found.gain >= best.gain - 1e-9)) best = found;
  }
  return best;
}

/** Splits at the strongest change, then the newer part again, until its rate is steady. */
function onsetUpTo(bins: readonly Bin[], sums: Sums, { until, end }: { until: number; end: number }): Onset | null {
  let [first, found]: [number, Cut | null] = [0, null];
  for (;;) {
    const cut = strongestCut(sums, { first, until, end }, Math.abs);
    const gain = cut === null ? 0 : signedGain(sums, cut);
    if (cut === null || Math.abs(gain) < gainMin) break;
    found = gain > 0 ? cut : null;
    first = cut.cut;
  }
  const weak = found === null ? strongestCut(sums, { first, until, end }, (gain) => gain) : null;
  if (weak !== null && signedGain(sums, weak) >= weakGainMin) found = weak;
  return found === null ? null : { ...found, gain: signedGain(sums, found), ...stretchesOf(bins, sums, found) };
}

type Range = { readonly first: number; readonly until: number; readonly end: number };

/** Fewer failures are no rise. */
const failuresMin = 3;

function strongestCut(sums: Sums, { first, until, end }: Range, weight: (gain: number) => number): Cut | null {
  let [best, most]: [Cut | null, number] = [null, 0];
  for (let cut = first + 1; cut < until; cut += 1) {
    const signed = signedGain(sums, { first, cut, end });
    const isRise = signed > 0;
    if (isRise && shareOf(sums, cut, end).failed < failuresMin) continue;
    const gain = weight(signed);
    if (gain > most) [best, most] = [{ first, cut, end }, gain];
  }
  return best;
}

/** Time without executions at its beginning does not belong to a stretch. */
export function stretchesOf(bins: readonly Bin[], sums: Sums, { first, cut, end }: Cut) {
  const stretch = (from: number, to: number) => {
    const oldest = bins.slice(from, to).find(({ good, failed }) => good + failed > 0) ?? bins[from];
    return { ...shareOf(sums, from, to), from: oldest?.from ?? 0, to: bins[to - 1]?.to ?? 0 };
  };
  return { before: stretch(first, cut), after: stretch(cut, end) };
}

/** Finished executions from `at` up to the anchor; negative after the anchor. */
export type Point = { readonly at: number; readonly good: number; readonly failed: number };

/** Every finished execution that started in [from, to), in order. */
export type Executions = {
  readonly from: number;
  readonly to: number;
  readonly starts: readonly { readonly at: number; readonly hasFailed: boolean }[];
};

export type Profile = {
  /** Just after the start of the execution in question, epoch milliseconds. */
  readonly anchor: number;
  /** In order; the last one is now. */
  readonly points: readonly Point[];
  readonly executions: Executions | null;
};

export type Question =
  | { readonly kind: 'counts'; readonly instants: readonly number[] }
  | { readonly kind: 'executions'; readonly from: number; readonly to: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Before the execution in question. Twelve with the anchor leave room in one document for the instants that the caller adds. */
const beforeMs = [
  ...[8 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 30 * hourMs],
  ...[3 * dayMs, 7 * dayMs, 14 * dayMs, 28 * dayMs, 60 * dayMs, 90 * dayMs],
];
const afterMs = [hourMs, 8 * hourMs, 2 * dayMs];

/** The first instants to count from: the anchor, and more and more distant ones. */
export function firstInstants(anchor: number, now: number): readonly number[] {
  const after = afterMs.map((ms) => anchor + ms).filter((at) => at < now);
  return [...beforeMs.map((ms) => anchor - ms).toReversed(), anchor, ...after];
}

/** @param extra instants at which bins of known executions are split, such as those of deployments */
export function binsOf({ points, executions }: Profile, extra: readonly number[] = []): readonly Bin[] {
  const coarse = points.slice(1).flatMap((to, index): readonly Bin[] => {
    const from = points[index] ?? to;
    if (executions !== null && from.at >= executions.from && to.at <= executions.to) return [];
    const [good, failed] = [Math.max(0, from.good - to.good), Math.max(0, from.failed - to.failed)];
    return [{ from: from.at, to: to.at, good, failed, isExact: good + failed === 0 }];
  });
  if (executions === null) return coarse;
  const inside = [...points.map(({ at }) => at), ...extra].filter((at) => at > executions.from && at < executions.to);
  const fine = fineBins(executions, inside);
  return [
    ...coarse.filter(({ to }) => to <= executions.from),
    ...fine,
    ...coarse.filter(({ from }) => from >= executions.to),
  ];
}

function fineBins({ from, to, starts }: Executions, edges: readonly number[]): readonly Bin[] {
  const cuts = [...new Set([from, ...starts.map(({ at }) => at), ...edges, to])].toSorted((one, other) => one - other);
  const byStart = Map.groupBy(starts, ({ at }) => at);
  return cuts.slice(0, -1).map((at, index) => {
    const here = byStart.get(at) ?? [];
    const failed = here.filter(({ hasFailed }) => hasFailed).length;
    return { from: at, to: cuts[index + 1] ?? to, good: here.length - failed, failed, isExact: true };
  });
}

/** @returns the last onset before the execution in question */
export function onsetIn(profile: Profile, bins: readonly Bin[] = binsOf(profile)): Onset | null {
  const until = bins.findIndex(({ from }) => from >= profile.anchor);
  return lastOnset(bins, until === -1 ? bins.length : until);
}

/** Limit for the executions on each side of the rise that are read one by one: together fewer than a page of the service has. */
const sideMax = 45;
/** If fewer are known, the bin behind them is split further. */
const sideMin = 20;
const instantsMax = 14;

/** @returns null if the onset is known to the execution, if there is none, or if nothing more can be learnt */
export function nextQuestion(profile: Profile): Question | null {
  if (profile.executions !== null) return null;
  const bins = binsOf(profile);
  const onset = onsetIn(profile, bins);
  if (onset === null) return null;
  const [left, right] = [sideOf(bins.slice(0, onset.cut).toReversed()), sideOf(bins.slice(onset.cut))];
  const large = [left.large, right.large].filter((bin) => bin !== null);
  const instants = large.flatMap((bin) => within(bin, Math.floor(instantsMax / large.length)));
  if (instants.length > 0) return { kind: 'counts', instants };
  const [first, last] = [bins[onset.cut - left.bins], bins[onset.cut + right.bins - 1]];
  return first === undefined || last === undefined ? null : { kind: 'executions', from: first.from, to: last.to };
}

type Side = {
  /** Number of bins whose executions fit. */
  readonly bins: number;
  /** The bin to split, if too few executions fit. */
  readonly large: Bin | null;
};

/** @param bins from the rise outwards */
function sideOf(bins: readonly Bin[]): Side {
  let [total, taken] = [0, 0];
  for (const bin of bins) {
    const count = bin.good + bin.failed;
    if (total + count > sideMax) return { bins: taken, large: total < sideMin ? bin : null };
    total += count;
    taken += 1;
  }
  return { bins: taken, large: null };
}

function within({ from, to }: Bin, count: number): readonly number[] {
  if (to - from < 2 * count) return [];
  const step = (to - from) / (count + 1);
  return Array.from({ length: count }, (_, index) => Math.round(from + (index + 1) * step));
}
