/** Bars of all and of failed runs per hour, day or week. */
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { barChart, chartAsText } from '../blocks/chart.ts';
import { zonedFields, zoneName } from '../format/time.ts';

/** One bucket from the query service: ISO instants, `to` exclusive; empty buckets are included. */
export type ActivityBucket = {
  readonly from: string;
  readonly to: string;
  readonly successCount: number;
  readonly failureCount: number;
};

const hourMs = 3_600_000;
const barsMax = limits.dataVisualization.pointsMax;
/** Slack advises no chart of fewer. */
const barsMin = 4;
/** Days in one bar: at most 280 are weeks. */
const barSizes = [1, 7, 14];

/**
 * @param buckets hours or days, oldest first, at least one @param zone of their names
 * @returns a bar for each, in two charts if one does not take them; bars of weeks if two do not
 */
export function activityCharts(buckets: readonly ActivityBucket[], zone: string): readonly MessageBlock[] {
  const size = barSizes.find((each) => buckets.length / each <= barsMax * limits.message.chartsMax) ?? 28;
  const bars = chunks(buckets, size);
  const charts = Math.ceil(bars.length / barsMax);
  const unit = size === 1 ? unitOf(buckets) : size === 7 ? 'week' : `${size} days`;
  const halves = chunks(bars, Math.ceil(bars.length / charts)).map((half) => {
    const first = half[0]?.[0]?.from ?? '';
    const from = charts === 1 ? '' : ` from ${unit === 'hour' ? hourName(first, zone) : dayName(first, zone)}`;
    return barChart(`Runs per ${unit}${from} (${zoneName(zone)})`, labelsOf(half, zone), [
      {
        name: 'Runs',
        values: half.map((bar) => failed(bar) + bar.reduce((sum, { successCount }) => sum + successCount, 0)),
      },
      { name: 'Failed', values: half.map(failed) },
    ]);
  });
  return bars.length < barsMin ? halves.map(chartAsText) : halves;
}

type Bar = readonly ActivityBucket[];

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function failed(bar: Bar): number {
  return bar.reduce((sum, { failureCount }) => sum + failureCount, 0);
}

/** Unique: 20 hours are less than a day, and the hour that an autumn night repeats is marked. */
function labelsOf(bars: readonly Bar[], zone: string): readonly string[] {
  const starts = bars.map(([bucket]) => bucket?.from ?? '');
  if (unitOf(bars.flat()) === 'hour') {
    const hours = starts.map((from) => hourName(from, zone).slice(-5));
    return hours.map((hour, at) => (hours.indexOf(hour) < at ? `${hour} again` : hour));
  }
  return starts.map((from) => (bars.length <= 10 ? weekdayName(from, zone) : dayName(from, zone)));
}

/** @returns `hour` if no bucket is longer than one */
export function unitOf(buckets: readonly Pick<ActivityBucket, 'from' | 'to'>[]): 'hour' | 'day' {
  return buckets.every(({ from, to }) => Date.parse(to) - Date.parse(from) <= hourMs) ? 'hour' : 'day';
}

/** @param from ISO 8601 @returns its day, such as `Fri 20` */
export function weekdayName(from: string, zone: string): string {
  const { weekday, day } = zonedFields(Date.parse(from), zone);
  return `${weekday} ${day}`;
}

/** As `weekdayName`, such as `20 Nov`, for ranges in which two months have the same day. */
export function dayName(from: string, zone: string): string {
  const { day, month } = zonedFields(Date.parse(from), zone);
  return `${day} ${month}`;
}

/** @param from ISO 8601 @returns its hour, such as `Fri 14:00` */
export function hourName(from: string, zone: string): string {
  const { weekday, clock } = zonedFields(Date.parse(from), zone);
  return `${weekday} ${clock}`;
}
