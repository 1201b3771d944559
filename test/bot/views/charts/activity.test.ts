/** The activity chart: every bucket visible, whole numbers, many buckets combined with a note. */
import { describe, expect, it } from 'vitest';
import { createRasteriser } from '../../../../src/bot/rendering/rasterise.ts';
import { activitySvg } from '../../../../src/bot/views/charts/activity.ts';
import { countTicks } from '../../../../src/bot/views/charts/axis.ts';
import { expectEvery } from '../../../support/every.ts';
import { hostileStrings } from '../../../support/hostile.ts';
import { drawnDays, sizeOf, skeletonOf, textsOf } from '../../../support/pictures.ts';

const title = 'payout-batch';
const rasterise = createRasteriser();
const repeated = (days: number) =>
  drawnDays(...Array.from({ length: days }, (_, index) => [10 + index, index % 5] as const));
const bars = (svg: string) =>
  svg.match(/<rect [^>]*y="[^"]*" width="[^"]*" height="[^"]*" fill="(?:#009e73|url)/g)?.length ?? 0;

describe('the activity chart', () => {
  it.each([0, 1, 7, 14, 31, 32, 62, 90, 217, 366])(
    'is well-formed and 800 pixels wide with %d buckets',
    async (days) => {
      const svg = activitySvg({ title, buckets: repeated(days) });
      const { width, height } = sizeOf(await rasterise(svg));
      expect(width).toBe(800);
      expect(height).toBe(Number(/height="(\d+)"/.exec(svg)?.[1]));
    },
  );

  it('writes both numbers over each bar, and a day without runs as 0', () => {
    const texts = textsOf(activitySvg({ title, buckets: drawnDays([12, 3], [0, 0], [7, 0]) }));
    expect(texts.slice(0, 3)).toEqual([
      title,
      '19 succeeded, 3 failed (14 % of 22 runs)',
      'per day in UTC, 18 Nov 2026 to 20 Nov 2026',
    ]);
    expect(texts).toEqual(expect.arrayContaining(['12', '×3', '0', '7', 'Wed 18', 'Thu 19', 'Fri 20']));
  });

  it('stacks striped failures under successes, and shows one failure among thousands', () => {
    const svg = activitySvg({ title, buckets: drawnDays([90_000, 1]) });
    const heights = [...svg.matchAll(/height="([\d.]+)" fill="url\(#failed\)"/g)].map(([, height]) => Number(height));
    expect(heights.at(-1)).toBeGreaterThanOrEqual(5);
    expect(bars(svg)).toBe(4);
  });

  it('combines many buckets in bars of equal length, and states the length', () => {
    expect(textsOf(activitySvg({ title, buckets: repeated(90) }))[2]).toBe(
      'per week in UTC, 23 Aug 2026 to 20 Nov 2026',
    );
    expect(textsOf(activitySvg({ title, buckets: repeated(366) }))[2]).toMatch(/^per 14 days in UTC/);
    expect(textsOf(activitySvg({ title, buckets: repeated(31) }))[2]).toMatch(/^per day in UTC/);
  });

  it('keeps the totals when buckets are combined', () => {
    const buckets = repeated(366);
    const [, totals] = textsOf(activitySvg({ title, buckets }));
    const failed = buckets.reduce((sum, { failureCount }) => sum + failureCount, 0);
    expect(totals).toContain(`${failed} failed`);
  });

  it.each([0, 1, 2, 3, 7, 10, 99, 1234, 98_765_432])('counts in whole numbers up to %d', (most) => {
    const ticks = countTicks(most, 5);
    expectEvery(ticks, Number.isInteger);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
  });

  it('says that nothing ran, or that nothing was recorded', () => {
    expect(textsOf(activitySvg({ title, buckets: drawnDays([0, 0]) }))).toContain('No run ended in this time.');
    expect(textsOf(activitySvg({ title, buckets: [] }))).toContain('Nothing was recorded in this time.');
  });

  it.each(hostileStrings('text'))('takes the title %s as text', async (_id, name) => {
    const buckets = drawnDays([3, 1], [0, 0]);
    const svg = activitySvg({ title: name, buckets });
    expect(skeletonOf(svg)).toBe(skeletonOf(activitySvg({ title, buckets })));
    expect(sizeOf(await rasterise(svg)).width).toBe(800);
  });
});
