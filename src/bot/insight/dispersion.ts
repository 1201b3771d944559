/** Tests if two failure rates differ by more than they usually vary from day to day. */
import { failureRate, logChanceOfMore, type Share } from './statistics.ts';

/** The executions of one day, or of a part of it. */
export type DayCounts = { readonly successCount: number; readonly failureCount: number };

/** The days that show the usual variation: those of so long before the window. */
export const variationMs = 28 * 86_400_000;

/** A difference that independent failures produce more often than this is not reported. */
const logChanceMax = Math.log(0.025);
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
  if (logChanceOfMore(less, more) > logChanceMax) return false;
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
