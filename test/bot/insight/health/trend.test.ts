/** Trends: correct words for no runs, few runs and many runs. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Counts, trendOf } from '../../../../src/bot/insight/health/health.ts';
import {
  arrivalsOf,
  createChance,
  type FailureFamily,
  failureFamilies,
  failuresOfStarts,
} from '../../../support/insight/arrivals.ts';

function counts(failure: number, total: number, unfinished = 0): Counts {
  return { total, failure, success: total - failure - unfinished };
}

/** A month in which about one run of two hundred fails, as many each day. */
const steady = Array.from({ length: 28 }, () => ({ successCount: 995, failureCount: 5 }));
const trend = (now: Counts, before: Counts | null) => trendOf(now, before, 'today', steady);

it.each<[Counts, Counts, string, string]>([
  [counts(0, 0), counts(0, 0), 'unclear', 'no runs, nor in the previous window'],
  [counts(0, 0), counts(2, 1_212), 'unclear', 'no runs; 1,212 runs before'],
  [counts(0, 0), counts(0, 1), 'unclear', 'no runs; 1 run before'],
  [counts(0, 1), counts(0, 0), 'unclear', 'no failures in 1 run; no runs in the previous window'],
  [counts(1, 1), counts(0, 0), 'unclear', 'the only run failed; no runs in the previous window'],
  [counts(2, 2), counts(0, 0), 'unclear', 'both runs failed; no runs in the previous window'],
  [counts(0, 40), counts(0, 212), 'same', 'no failures in 40 runs, nor in 212 runs before'],
  [counts(31, 40), counts(0, 212), 'worse', '31 failures in 40 runs, up from 0 in 212'],
  [counts(1, 40), counts(0, 41), 'unclear', '1 failure in 40 runs; before, 0 in 41: no clear difference'],
  [counts(0, 40), counts(31, 40), 'better', 'no failures in 40 runs, down from 31 in 40'],
  [counts(0, 3), counts(3, 3), 'unclear', 'no failures in 3 runs; before, 3 in 3: no clear difference'],
  [counts(0, 12), counts(12, 12), 'better', 'no failures in 12 runs, down from 12 in 12'],
  [counts(80, 80), counts(80, 80), 'same', 'all 80 runs failed; the same share before, all 80 runs failed'],
  [counts(80, 80), counts(0, 212), 'worse', 'all 80 runs failed, up from no failures in 212 runs'],
  [counts(1, 1), counts(0, 1), 'unclear', 'the only run failed; before, no failures in 1 run: no clear difference'],
  [counts(1, 1), counts(1, 1), 'same', 'the only run failed; the same share before, the only run failed'],
  [counts(5, 100), counts(10, 200), 'same', '5 failures in 100 runs; the same share before, 10 in 200'],
  [counts(3, 40), counts(2, 40), 'unclear', '3 failures in 40 runs; before, 2 in 40: no clear difference'],
  [counts(60, 200), counts(20, 200), 'worse', '60 failures in 200 runs (30 %), up from 20 in 200 (10 %)'],
  [counts(600, 2_000), counts(500, 2_000), 'worse', '600 failures in 2,000 runs (30 %), up from 500 in 2,000 (25 %)'],
  [
    counts(500, 2_000),
    counts(600, 2_000),
    'better',
    '500 failures in 2,000 runs (25 %), down from 600 in 2,000 (30 %)',
  ],
  [
    counts(100, 1_000),
    counts(400, 1_000),
    'better',
    '100 failures in 1,000 runs (10 %), down from 400 in 1,000 (40 %)',
  ],
  [counts(1_000, 2_000), counts(1, 2_000), 'worse', '1,000 failures in 2,000 runs (50 %), up from 1 in 2,000 (0.1 %)'],
  [
    counts(1, 2_000),
    counts(1_000, 2_000),
    'better',
    '1 failure in 2,000 runs (0.1 %), down from 1,000 in 2,000 (50 %)',
  ],
  [counts(10, 20), counts(10, 2_000), 'worse', '10 failures in 20 runs (50 %), up from 10 in 2,000 (0.5 %)'],
  [counts(0, 2, 2), counts(1, 9), 'unclear', '2 runs, none finished yet; before, 1 failure in 9 runs'],
  [counts(0, 2), counts(0, 1, 1), 'unclear', 'no failures in 2 runs; before, 1 run, none finished'],
])('%j after %j is %s: %s', (now, before, direction, words) => {
  const made = trend(now, before);
  expect(made.direction).toBe(direction);
  expect(made.words.replace(' today', '') + made.note).toBe(words);
});

it.each([
  [counts(0, 0), null, 'no runs today'],
  [counts(3, 40), null, '3 failures in 40 runs today'],
  [counts(0, 0), counts(0, 3), 'no runs today; 3 runs before'],
  [counts(0, 40), counts(0, 3), 'no failures in 40 runs today, nor in 3 runs before'],
  [counts(0, 2, 2), counts(1, 9), '2 runs today, none finished yet; before, 1 failure in 9 runs'],
])('%j after %j names its window: %s', (now, before, words) => {
  const made = trend(now, before);
  expect(made.words + made.note).toBe(words);
});

const anyCounts = fc
  .tuple(fc.nat(3_000), fc.nat(3_000), fc.nat(3))
  .map(([failure, success, unfinished]) => ({ failure, success, total: failure + success + unfinished }));

it('better one way round is worse the other way round', () => {
  const opposite = { better: 'worse', worse: 'better', same: 'same', unclear: 'unclear' };
  fc.assert(
    fc.property(
      anyCounts,
      anyCounts,
      (now, before) => trend(before, now).direction === opposite[trend(now, before).direction],
    ),
  );
});

it('every sentence is complete, with numbers and failures', () => {
  const property = fc.property(anyCounts, anyCounts, (now, before) => {
    const { words } = trend(now, before);
    expect(words).not.toMatch(/undefined|NaN|Infinity|null| {2}|\.$/);
    if (now.failure > 1 && now.total > 0) expect(words).toContain(now.failure.toLocaleString('en-US'));
  });
  fc.assert(property);
});

/** Windows of a day, of one workflow every five minutes. @returns the number of 200 pairs with a trend word */
function saidOf(family: FailureFamily): number {
  const dayMs = 86_400_000;
  return Array.from({ length: 200 }, (_, seed) => {
    const chance = createChance(seed, 14);
    const span = { from: 0, to: 29 * dayMs };
    const starts = arrivalsOf('Poisson', span, 300_000, chance);
    const failed = failuresOfStarts(family, starts, 0.05, chance);
    const days = Array.from({ length: 29 }, () => ({ successCount: 0, failureCount: 0 }));
    for (const [index, at] of starts.entries()) {
      const day = days[Math.floor(at / dayMs)];
      if (day) day[failed[index] ? 'failureCount' : 'successCount'] += 1;
    }
    const [before, now] = days.slice(-2).map((day) => counts(day.failureCount, day.failureCount + day.successCount));
    return now && before ? trendOf(now, before, 'today', days.slice(0, -1)).direction : 'unclear';
  }).filter((direction) => direction === 'better' || direction === 'worse').length;
}

it.each(failureFamilies)('%s failures without a change have a trend in at most 5 %% of pairs', (family) => {
  expect(saidOf(family)).toBeLessThanOrEqual(10);
});

it('a jump is said if the days before vary little, and not if they vary as much', () => {
  const [now, before] = [counts(60, 288), counts(15, 288)];
  const varied = Array.from({ length: 28 }, (_, day) => ({ successCount: 288, failureCount: day % 3 === 0 ? 60 : 8 }));
  expect(trend(now, before).direction).toBe('worse');
  expect(trendOf(now, before, 'today', varied).direction).toBe('unclear');
});

it('without known days only an overwhelming difference is said', () => {
  const few = steady.slice(0, 4);
  for (const days of [null, few]) {
    expect(trendOf(counts(60, 288), counts(15, 288), 'today', days).direction).toBe('unclear');
    expect(trendOf(counts(280, 288), counts(0, 288), 'today', days).direction).toBe('worse');
  }
});
