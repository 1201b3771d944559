/** A bar chart that Slack draws, and its numbers as text for where Slack draws none. */
import type { ContextBlock } from '@slack/types';
import type { DataVisualizationBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { markup } from '../format/mrkdwn.ts';
import { count } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { context } from './blocks.ts';

const { titleUnitsMax, nameUnitsMax, pointsMax, seriesMax } = limits.dataVisualization;

export type BarSeries = { readonly name: string; readonly values: readonly number[] };

/** @param categories unique, at most 20 @param series at most 12, a value for each category */
export function barChart(
  title: string,
  categories: readonly string[],
  series: readonly BarSeries[],
): DataVisualizationBlock {
  const labels = categories.slice(0, pointsMax).map((label) => outsideLine(label, nameUnitsMax));
  return {
    type: 'data_visualization',
    title: outsideLine(title, titleUnitsMax),
    chart: {
      type: 'bar',
      series: series.slice(0, seriesMax).map(({ name, values }) => ({
        name: outsideLine(name, nameUnitsMax),
        data: labels.map((label, at) => ({ label, value: values[at] ?? 0 })),
      })),
      axis_config: { categories: labels },
    },
  };
}

/** @returns small print such as `Failures per day (UTC), 14 Nov to 16 Nov: 3 · 0 · 12.` */
export function chartAsText({ title, chart }: DataVisualizationBlock): ContextBlock {
  const { categories } = chart.axis_config;
  const span = [...new Set([categories.at(0), categories.at(-1)])].join(' to ');
  const lines = chart.series.map(({ name, data }) => {
    const numbers = data.every(({ value }) => value === 0) ? 'none' : data.map(({ value }) => count(value)).join(' · ');
    return chart.series.length > 1 ? `${name} ${numbers}` : numbers;
  });
  // Numbers and the bot's own names, which may be longer than a value from outside.
  return context([markup`${title}, ${span}: ${{ mrkdwn: lines.join('; ') }}.`]);
}
