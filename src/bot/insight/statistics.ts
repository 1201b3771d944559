/** Statistics of counts: medians, failure rates with their intervals, and the probability that two of them differ by chance. */

/** A share of executions that failed, and the 95 % interval of the rate behind it. */
export type FailureRate = {
  readonly failed: number;
  readonly total: number;
  /** From 0 to 1. */
  readonly low: number;
  readonly high: number;
};

export type Share = { readonly failed: number; readonly total: number };

/** The standard normal distribution's 97.5 % quantile. */
const z = 1.96;

/** Wilson's score interval (E. B. Wilson, 1927), which holds for few executions and for rates near 0 and 1. */
export function failureRate({ failed, total }: Share): FailureRate {
  if (total === 0) return { failed, total, low: 0, high: 1 };
  const share = failed / total;
  const scale = 1 + z ** 2 / total;
  const middle = (share + z ** 2 / (2 * total)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  return {
    failed,
    total,
    low: failed === 0 ? 0 : Math.max(0, middle - reach),
    high: failed === total ? 1 : Math.min(1, middle + reach),
  };
}

/**
 * Fisher's exact test, one-sided.
 * @returns the natural logarithm of the chance that `after` has as many failures as it has or more, were all failures dealt out at
 *   random; 0 if it cannot be surprising
 */
export function logChanceOfMore(before: Share, after: Share): number {
  const failed = before.failed + after.failed;
  const most = Math.min(failed, after.total);
  const ways = logChoose(before.total + after.total, after.total);
  const terms: number[] = [];
  for (let inAfter = after.failed; inAfter <= most; inAfter += 1) {
    const term =
      logChoose(failed, inAfter) + logChoose(before.total + after.total - failed, after.total - inAfter) - ways;
    terms.push(term);
    const [first = term] = terms;
    if (term < first - negligible) break;
  }
  return Math.min(0, logSum(terms));
}

/** Terms smaller than the first by this factor's logarithm add nothing to it. */
const negligible = 40;

/** @returns the chance of `hits` or more in `tries`, each hitting at `rate` */
export function chanceOfAtLeast(hits: number, tries: number, rate: number): number {
  if (hits <= 0) return 1;
  if (rate <= 0) return 0;
  if (rate >= 1) return 1;
  const terms = Array.from({ length: Math.max(0, tries - hits + 1) }, (_, index) => {
    const count = hits + index;
    return logChoose(tries, count) + count * Math.log(rate) + (tries - count) * Math.log1p(-rate);
  });
  return Math.min(1, Math.exp(logSum(terms)));
}

function logSum(logs: readonly number[]): number {
  const most = logs.reduce((largest, log) => Math.max(largest, log), Number.NEGATIVE_INFINITY);
  if (most === Number.NEGATIVE_INFINITY) return most;
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}

function logChoose(of: number, chosen: number): number {
  if (chosen < 0 || chosen > of) return Number.NEGATIVE_INFINITY;
  return logFactorial(of) - logFactorial(chosen) - logFactorial(of - chosen);
}

const smallFactorials = [0, 0, Math.log(2), Math.log(6), Math.log(24), Math.log(120), Math.log(720), Math.log(5040)];

/** Stirling's series, good to ten digits from 8 on. */
function logFactorial(n: number): number {
  const small = smallFactorials[n];
  if (small !== undefined) return small;
  const inverse = 1 / n;
  const series = inverse / 12 - inverse ** 3 / 360 + inverse ** 5 / 1_260;
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + series;
}

/** @returns the middle one, the lower of two; 0 of none */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The executions of one day, or of a part of it. */
export type DayCounts = { readonly successCount: number; readonly failureCount: number };

/** The days that show the usual variation: those of so long before the window. */
export const historyMs = 28 * 86_400_000;

/** A difference that independent failures produce more often than this is not reported. */
export const chanceMax = 0.025;
/** Fewer days with executions show no variation. */
export const daysMin = 5;
/** Without known days, only such a rate is reported, this many times larger than the other. */
const overwhelming = { rateMin: 0.5, factor: 20 } as const;

/**
 * Quasi-binomial test: failures come together, so the variance of a rate is a multiple of that of independent failures. The multiple is
 * Pearson's chi-squared over the days, divided by its degrees of freedom.
 * @param days before the window; null if they are not known
 * @returns true if `more` has a higher rate than `less`, beyond chance and beyond the variation of the days
 */
export function isClearlyHigher(more: Share, less: Share, days: readonly DayCounts[] | null): boolean {
  if (logChanceOfMore(less, more) > Math.log(chanceMax)) return false;
  const shares = withRuns(days ?? []);
  if (shares.length < daysMin) return isOverwhelming(more, less);
  const variance = varianceOf(shares, sumOf([more, less])) * (1 / more.total + 1 / less.total);
  const difference = more.failed / more.total - less.failed / less.total;
  return difference >= quantileOf(shares.length - 1) * Math.sqrt(variance);
}

/** @returns the days with executions */
export function withRuns(days: readonly DayCounts[]): readonly Share[] {
  return days
    .map(({ successCount, failureCount }) => ({ failed: failureCount, total: successCount + failureCount }))
    .filter(({ total }) => total > 0);
}

/** @param both windows, for days that all failed or all succeeded @returns the variance of a rate, for one execution */
function varianceOf(days: readonly Share[], both: Share): number {
  const { failed, total } = sumOf(days);
  const rate = failed / total;
  if (failed === 0 || failed === total) return binomial(both.failed / both.total);
  const dispersion = days.reduce((sum, day) => sum + (day.failed - day.total * rate) ** 2 / day.total, 0);
  return Math.max(binomial(rate), dispersion / (days.length - 1));
}

function binomial(rate: number): number {
  return rate * (1 - rate);
}

function isOverwhelming(more: Share, less: Share): boolean {
  const { low } = failureRate(more);
  return low >= overwhelming.rateMin && low >= overwhelming.factor * (less.failed / less.total);
}

function sumOf(shares: readonly Share[]): Share {
  return shares.reduce((sum, { failed, total }) => ({ failed: sum.failed + failed, total: sum.total + total }), {
    failed: 0,
    total: 0,
  });
}

/** The 99 % quantile of Student's t distribution, for four degrees of freedom or more (Cornish and Fisher, 1937). */
function quantileOf(freedom: number): number {
  const z = 2.326348;
  const [z3, z5, z7] = [z ** 3, z ** 5, z ** 7];
  const second = (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom ** 2);
  return z + (z3 + z) / (4 * freedom) + second + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom ** 3);
}
