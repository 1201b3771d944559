/** Charts that Slack draws: within its limits for any window, with unique labels, and with their numbers as text. */
import { describe, expect, it } from 'vitest';
import { type BarSeries, barChart, chartAsText } from '../../../../src/bot/views/blocks/chart.ts';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import { activityCharts } from '../../../../src/bot/views/charts/activity-chart.ts';
import type { DataVisualizationBlock, MessageBlock } from '../../../../src/shared/block-kit/data-visualization.ts';
import { validateBlocks } from '../../../../src/shared/block-kit/validate.ts';
import { expectNumbersAsText } from '../../../support/insight/message-rules.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 10, 20, 10, 20);

/** Adjacent buckets that end at whole hours or days; the first and the last are cut. */
function bucketsOf(length: number, stepMs: number) {
  const edges = Array.from({ length: length + 1 }, (_, at) =>
    at === 0 ? start : Math.floor(start / stepMs) * stepMs + at * stepMs,
  );
  return edges.slice(1).map((to, at) => ({
    from: new Date(edges[at] ?? 0).toISOString(),
    to: new Date(to).toISOString(),
    successCount: 1000 + at,
    failureCount: at % 5,
  }));
}

function chartsIn(blocks: readonly MessageBlock[]): readonly DataVisualizationBlock[] {
  return blocks.filter((block) => block.type === 'data_visualization');
}

/** The sum of each series over all charts. */
function sumsOf(charts: readonly DataVisualizationBlock[]) {
  const points = charts.flatMap(({ chart }) =>
    chart.series.flatMap(({ name, data }) => data.map((one) => ({ name, ...one }))),
  );
  const sumOf = (one: string) => points.reduce((sum, { name, value }) => sum + (name === one ? value : 0), 0);
  return { runs: sumOf('Runs'), failed: sumOf('Failed') };
}

describe('a chart of activity', () => {
  it.each([1, 2, 3])('of %i points is text only, as Slack advises', (length) => {
    const blocks = activityCharts(bucketsOf(length, hourMs), 'UTC');
    expect(blocks.map(({ type }) => type)).toEqual(['context']);
  });

  it('marks the hour that an autumn night repeats', () => {
    const from = Date.UTC(2026, 9, 24, 23);
    const buckets = [0, 1, 2, 3].map((at) => ({
      from: new Date(from + at * hourMs).toISOString(),
      to: new Date(from + (at + 1) * hourMs).toISOString(),
      ...{ successCount: 1, failureCount: 0 },
    }));
    const charts = chartsIn(activityCharts(buckets, 'Europe/Berlin'));
    const labels = charts.map(({ chart }) => chart.series[0]?.data.map(({ label }) => label));
    expect(labels).toEqual([['01:00', '02:00', '02:00 again', '03:00']]);
  });

  it.each([
    ['four hours', 5, hourMs, ['Runs per hour (UTC)'], [5], '10:20'],
    [
      'a day of hours',
      24,
      hourMs,
      ['Runs per hour from Fri 10:20 (UTC)', 'Runs per hour from Fri 22:00 (UTC)'],
      [12, 12],
      '22:00',
    ],
    [
      'thirty hours',
      31,
      hourMs,
      ['Runs per hour from Fri 10:20 (UTC)', 'Runs per hour from Sat 02:00 (UTC)'],
      [16, 15],
      '02:00',
    ],
    ['three days', 4, 24 * hourMs, ['Runs per day (UTC)'], [4], 'Fri 20'],
    ['a week', 8, 24 * hourMs, ['Runs per day (UTC)'], [8], 'Fri 20'],
    [
      'a month',
      31,
      24 * hourMs,
      ['Runs per day from 20 Nov (UTC)', 'Runs per day from 6 Dec (UTC)'],
      [16, 15],
      '6 Dec',
    ],
    ['a quarter', 91, 24 * hourMs, ['Runs per week (UTC)'], [13], '20 Nov'],
    [
      'a year',
      367,
      24 * hourMs,
      ['Runs per 14 days from 20 Nov (UTC)', 'Runs per 14 days from 4 Jun (UTC)'],
      [14, 13],
      '4 Jun',
    ],
  ])('of %s fits Slack, has every run once, and its numbers as text', (_, length, stepMs, titles, bars, label) => {
    const buckets = bucketsOf(length, stepMs);
    const blocks = activityCharts(buckets, 'UTC');
    const charts = chartsIn(blocks);
    expect(validateBlocks(blocks, 'message')).toEqual([]);
    expect(charts.map(({ title }) => title)).toEqual(titles);
    const categories = charts.map(({ chart }) => chart.axis_config.categories);
    expect(categories.map((names) => names.length)).toEqual(bars);
    expect(categories.at(-1)?.[0]).toBe(label);
    const failed = buckets.reduce((sum, { failureCount }) => sum + failureCount, 0);
    const runs = buckets.reduce((sum, { successCount }) => sum + successCount, failed);
    expect(sumsOf(charts)).toEqual({ runs, failed });
    expectNumbersAsText(message(blocks));
  });
});

describe('a bar chart', () => {
  it('cuts what is too long or too much for Slack', () => {
    const many = Array.from({ length: 30 }, (_, at) => `${at} ${'x'.repeat(40)}`);
    const series = many.map((name) => ({ name, values: many.map((_, at) => at) }));
    expect(validateBlocks([barChart('t'.repeat(80), many, series)], 'message')).toEqual([]);
  });

  it('has the numbers of one series and of several as small print', () => {
    const days = ['14 Nov', '15 Nov'];
    const failed = { name: 'Failed', values: [1234, 0] };
    const textOf = (...series: readonly BarSeries[]) =>
      message([chartAsText(barChart('Per day (UTC)', days, series))]).text;
    expect(textOf(failed)).toBe('Per day (UTC), 14 Nov to 15 Nov: 1,234 · 0.');
    expect(textOf({ name: 'Runs', values: [2000, 7] }, failed)).toBe(
      'Per day (UTC), 14 Nov to 15 Nov: Runs 2,000 · 7; Failed 1,234 · 0.',
    );
  });
});
