/** Compares two windows a second time, by "Trend in full" in docs/truth.md: no code is shared with the bot. */
import { type RawExecution, type Span, startOf } from './lists.ts';

const dayMs = 86_400_000;

type Share = { readonly failed: number; readonly ended: number };

export type TrendFact = 'better' | 'worse' | 'same' | 'unclear';

export function recountTrend(
  now: Share,
  before: Share,
  executions: readonly RawExecution[],
  { from }: Span,
): TrendFact {
  if (now.ended === 0 || before.ended === 0) return 'unclear';
  if (now.failed * before.ended === before.failed * now.ended) return 'same';
  const days = daysBefore(executions, from);
  if (isHigher(now, before, days)) return 'worse';
  return isHigher(before, now, days) ? 'better' : 'unclear';
}

/** By UTC day; the first begins, and the last ends, with the 28 days before the window. */
function daysBefore(executions: readonly RawExecution[], to: number): readonly Share[] {
  const ended = executions.filter(
    (run) => startOf(run) >= to - 28 * dayMs && startOf(run) < to && ['SUCCESS', 'FAILURE'].includes(run.status),
  );
  return [...Map.groupBy(ended, (run) => Math.floor(startOf(run) / dayMs)).values()].map((runs) => ({
    failed: runs.filter(({ status }) => status === 'FAILURE').length,
    ended: runs.length,
  }));
}

function isHigher(more: Share, less: Share, days: readonly Share[]): boolean {
  const [high, low] = [more, less].map(({ failed, ended }) => failed / ended);
  if (high === undefined || low === undefined || fisher(more, less) > 0.025) return false;
  if (days.length < 5) {
    const least = wilsonLow(more);
    return least >= 0.5 && least >= 20 * low;
  }
  const all = sum(days);
  const usual = all.failed === 0 || all.failed === all.ended ? sum([more, less]) : all;
  const rate = usual.failed / usual.ended;
  const pearson = days.reduce((total, { failed, ended }) => total + (failed - ended * rate) ** 2 / ended, 0);
  const variance = usual === all ? Math.max(rate * (1 - rate), pearson / (days.length - 1)) : rate * (1 - rate);
  const error = Math.sqrt(variance * (1 / more.ended + 1 / less.ended));
  return high - low >= studentQuantile(days.length - 1) * error;
}

function sum(shares: readonly Share[]): Share {
  return shares.reduce((all, { failed, ended }) => ({ failed: all.failed + failed, ended: all.ended + ended }));
}

/** The probability that as many of the failures of both fall to the first, or more: the sum of the hypergeometric terms. */
function fisher(first: Share, second: Share): number {
  const [ended, failed] = [first.ended + second.ended, first.failed + second.failed];
  const logs: number[] = [0];
  for (let number = 1; number <= ended; number += 1) logs.push((logs.at(-1) ?? 0) + Math.log(number));
  const choose = (of: number, chosen: number) => (logs[of] ?? 0) - (logs[chosen] ?? 0) - (logs[of - chosen] ?? 0);
  let chance = 0;
  for (let hits = first.failed; hits <= Math.min(failed, first.ended); hits += 1) {
    if (first.ended - hits > ended - failed) continue;
    chance += Math.exp(choose(failed, hits) + choose(ended - failed, first.ended - hits) - choose(ended, first.ended));
  }
  return chance;
}

/** The lower end of the 95 % score interval: the rate at which the observed share is 1.96 standard errors too high. */
function wilsonLow({ failed, ended }: Share): number {
  let [low, high] = [0, failed / ended];
  for (let step = 0; step < 60; step += 1) {
    const rate = (low + high) / 2;
    const isTooLow = (failed / ended - rate) ** 2 > (1.96 ** 2 * rate * (1 - rate)) / ended;
    if (isTooLow) low = rate;
    else high = rate;
  }
  return low;
}

/** The 99 % quantile of Student's t: its density is summed up to the quantile. */
function studentQuantile(freedom: number): number {
  const density = (x: number) => (1 + x ** 2 / freedom) ** (-(freedom + 1) / 2);
  const step = 0.0005;
  // The density over the whole line; x = tan(angle) maps it to a finite range.
  let half = 0;
  for (let angle = step / 2; angle < Math.PI / 2; angle += step)
    half += (step * density(Math.tan(angle))) / Math.cos(angle) ** 2;
  let [area, x] = [0, 0];
  for (; area < 0.49 * 2 * half; x += step) area += step * density(x + step / 2);
  return x;
}
