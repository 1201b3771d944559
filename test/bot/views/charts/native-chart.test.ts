/** Charts that Slack draws: within its limits for any window, with unique labels, and with their numbers as text. */
import { describe, expect, it } from 'vitest';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import {
  activityCharts,
  type BarSeries,
  barChart,
  chartNumbers,
} from '../../../../src/bot/views/charts/native-chart.ts';
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

function chartIn(blocks: readonly MessageBlock[]): DataVisualizationBlock {
  const chart = blocks.find((block) => block.type === 'data_visualization');
  if (chart?.type !== 'data_visualization') throw new Error('There is no chart.');
  return chart;
}

/** The sum of each series. */
function sumsOf({ chart }: DataVisualizationBlock) {
  return chart.series.map(({ name, data }) => [name, data.reduce((sum, { value }) => sum + value, 0)]);
}

describe('a chart of activity', () => {
  it.each([1, 2, 3])('of %i points is text only, as Slack advises', (length) => {
    const blocks = activityCharts(bucketsOf(length, hourMs), 31, 'UTC');
    expect(blocks.map(({ type }) => type)).toEqual(['rich_text']);
  });

  it.each([
    ['four hours', 5, hourMs, 'Runs per hour (UTC)', '10:20'],
    ['a day of hours', 25, hourMs, 'Runs per 2 hours (UTC)', '10:20'],
    ['thirty hours', 31, hourMs, 'Runs per 2 hours (UTC)', 'Fri 10:20'],
    ['three days', 4, 24 * hourMs, 'Runs per day (UTC)', 'Fri 20'],
    ['a week', 8, 24 * hourMs, 'Runs per day (UTC)', 'Fri 20'],
    ['a month', 31, 24 * hourMs, 'Runs per 2 days (UTC)', '20 Nov'],
    ['a quarter', 91, 24 * hourMs, 'Runs per week (UTC)', '20 Nov'],
    ['a year', 367, 24 * hourMs, 'Runs per 28 days (UTC)', '20 Nov'],
  ])('of %s fits Slack, has every run once, and its numbers as text', (_, length, stepMs, title, label) => {
    const buckets = bucketsOf(length, stepMs);
    const blocks = activityCharts(buckets, 31, 'UTC');
    const chart = chartIn(blocks);
    expect(validateBlocks(blocks, 'message')).toEqual([]);
    expect(chart.title).toBe(title);
    expect(chart).toMatchObject({ chart: { axis_config: { categories: expect.arrayContaining([label]) } } });
    const failed = buckets.reduce((sum, { failureCount }) => sum + failureCount, 0);
    const runs = buckets.reduce((sum, { successCount }) => sum + successCount, failed);
    expect(sumsOf(chart)).toEqual([
      ['Runs', runs],
      ['Failed', failed],
    ]);
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
    const textOf = (...series: readonly BarSeries[]) => message([chartNumbers('Per day (UTC)', days, series)]).text;
    expect(textOf(failed)).toBe('Per day (UTC), 14 Nov to 15 Nov: 1,234 · 0.');
    expect(textOf({ name: 'Runs', values: [2000, 7] }, failed)).toBe(
      'Per day (UTC), 14 Nov to 15 Nov: Runs 2,000 · 7; Failed 1,234 · 0.',
    );
  });
});
