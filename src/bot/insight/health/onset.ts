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
export function lastOnset(bins: readonly Bin[], until: number): Onset | null {
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
