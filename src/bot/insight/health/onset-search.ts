/** Finds an onset by bisection: decides which counts to ask for next, and when to read the executions around it one by one. */
import { type Bin, lastOnset, type Onset } from './onset.ts';

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
