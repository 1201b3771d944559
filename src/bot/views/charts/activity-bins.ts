/** Bars of the activity chart: days or hours, or several together. */
import { zonedFields } from '../format/time.ts';

/** One bucket from the query service: ISO instants, `to` exclusive; empty buckets are included. */
export type ActivityBucket = {
  readonly from: string;
  readonly to: string;
  readonly successCount: number;
  readonly failureCount: number;
};

/** One bar; times in epoch milliseconds. */
export type Bin = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly succeeded: number;
  readonly failed: number;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Slack draws 20 bars, and a window of hours has at most 31: two hours are one bar then. */
const mergedHoursMs = 2 * hourMs;
/** Numbers of buckets in one bar; with days these are weeks and fortnights. */
const binSizes = [1, 2, 7, 14, 28, 56, 112];

/** @returns at most `binsMax` bars; all but the last have the same number of buckets */
export function binsOf(buckets: readonly ActivityBucket[], binsMax: number): readonly Bin[] {
  const size = binSizes.find((each) => buckets.length / each <= binsMax) ?? Math.ceil(buckets.length / binsMax);
  const binned: Bin[] = [];
  for (let start = 0; start < buckets.length; start += size) {
    const bin = buckets.slice(start, start + size);
    binned.push({
      fromMs: instant(bin[0]?.from),
      toMs: instant(bin.at(-1)?.to),
      succeeded: bin.reduce((sum, { successCount }) => sum + successCount, 0),
      failed: bin.reduce((sum, { failureCount }) => sum + failureCount, 0),
    });
  }
  return binned;
}

/** @returns `hour` if no bucket is longer than one */
export function unitOf(buckets: readonly Pick<ActivityBucket, 'from' | 'to'>[]): 'hour' | 'day' {
  return buckets.every(({ from, to }) => instant(to) - instant(from) <= hourMs) ? 'hour' : 'day';
}

/** An unreadable instant becomes the epoch, so that its bar is still drawn. */
function instant(iso = ''): number {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? 0 : ms;
}

/** @returns such as `per day`, `per 2 hours`, `per week`, `per 14 days`, for the longest bar: bars at a window's ends are shorter */
export function binWords(bins: readonly Bin[]): string {
  const lengthMs = bins.reduce((most, { fromMs, toMs }) => Math.max(most, toMs - fromMs), 0);
  if (lengthMs < 1.5 * hourMs)
    return lengthMs > 0.9 * hourMs ? 'per hour' : `per ${Math.max(1, Math.round(lengthMs / 60_000))} min`;
  if (lengthMs < mergedHoursMs + hourMs / 2) return `per ${Math.round(lengthMs / hourMs)} hours`;
  const days = Math.round(lengthMs / dayMs);
  if (days <= 1) return 'per day';
  return days === 7 ? 'per week' : `per ${days} days`;
}

/** @param zone of the names of hours @returns the bar's own name, such as `Fri 20`, `20 Nov`, `14:00` */
export function binLabel({ fromMs }: Bin, bins: readonly Bin[], zone: string): string {
  const { weekday, day, month, clock } = zonedFields(fromMs, zone);
  if (bins.every((bin) => bin.toMs - bin.fromMs <= mergedHoursMs)) return clock;
  return bins.length <= 10 ? `${weekday} ${day}` : `${day} ${month}`;
}
