/** Charts that Slack draws, each with its numbers as text. */
import type { ContextBlock } from '@slack/types';
import type { DataVisualizationBlock, MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { context } from '../blocks/blocks.ts';
import { markup } from '../format/mrkdwn.ts';
import { count } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { zoneName } from '../format/time.ts';
import { type ActivityBucket, binLabel, binsOf, binWords, unitOf } from './activity-bins.ts';
import { dayBars, hourName } from './day-bars.ts';

const { titleUnitsMax, nameUnitsMax, pointsMax, seriesMax } = limits.dataVisualization;
/** Slack advises no chart of fewer. */
const pointsMin = 4;

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

/**
 * @param categories the names of the first and the last are shown
 * @returns the numbers of a chart as small print, such as `Failures per day (UTC), 14 Nov to 16 Nov: 3 · 0 · 12.`
 */
export function chartNumbers(title: string, categories: readonly string[], series: readonly BarSeries[]): ContextBlock {
  const span = [...new Set([categories.at(0), categories.at(-1)])].join(' to ');
  const lines = series.map(
    ({ name, values }) => `${series.length > 1 ? `${name} ` : ''}${values.map(count).join(' · ')}`,
  );
  // Numbers and the bot's own names, which may be longer than a value from outside.
  return context([markup`${title}, ${span}: ${{ mrkdwn: lines.join('; ') }}.`]);
}

/**
 * Bars of all and of failed runs, and the same numbers as text.
 * @param buckets oldest first, at least one @param linesMax of the text, the newest ones
 * @param zone of the names of hours; days are those of UTC, which the service counts
 */
export function activityCharts(
  buckets: readonly ActivityBucket[],
  linesMax: number,
  zone: string,
): readonly MessageBlock[] {
  const bins = binsOf(buckets, pointsMax);
  const title = `Runs ${binWords(bins)} (${zoneName(zone)})`;
  const labels = bins.map((bin) => binLabel(bin, bins, zone));
  const times = bins.map(({ fromMs }) => hourName(new Date(fromMs).toISOString(), zone));
  const series = [
    { name: 'Runs', values: bins.map(({ succeeded, failed }) => succeeded + failed) },
    { name: 'Failed', values: bins.map(({ failed }) => failed) },
  ];
  // Slack demands unique labels: over more than a day, hours need their weekday.
  const chart = barChart(title, new Set(labels).size === labels.length ? labels : times, series);
  // A bar of several days or hours has numbers that no line of the text has.
  const isMerged = bins.length < buckets.length;
  const numbers = chartNumbers(title, unitOf(buckets) === 'hour' ? times : labels, series);
  const text = [...(isMerged ? [numbers] : []), dayBars(buckets, linesMax, zone)];
  return bins.length < pointsMin ? text : [chart, ...text];
}
