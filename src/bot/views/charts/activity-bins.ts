/** Bins that the activity chart and its alternative text share. */
import { percent } from '../../domain/percent.ts';
import { count, counted } from '../format/number.ts';
import { zonedFields, zoneName } from '../format/time.ts';

/** One bucket from the query service: ISO instants, `to` exclusive; empty buckets are included. */
export type ActivityBucket = {
  readonly from: string;
  readonly to: string;
  readonly successCount: number;
  readonly failureCount: number;
};

export type ActivityPicture = {
  /** Such as the workflow's name; outside text. */
  readonly title: string;
  /** Oldest first and adjacent. */
  readonly buckets: readonly ActivityBucket[];
  /** Zone of the bars' names, if they are hours; days are those of UTC, which the service counts. */
  readonly zone?: string;
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
/** Two hours are one bar if Slack draws the chart: a window of hours has at most 31. */
const mergedHoursMs = 2 * hourMs;
/** Limit of a picture. */
const pictureBinsMax = 31;
/** Numbers of buckets in one bar; with days these are weeks and fortnights. */
const binSizes = [1, 2, 7, 14, 28, 56, 112];

/** @returns at most `binsMax` bars; all but the last have the same number of buckets */
export function binsOf(buckets: readonly ActivityBucket[], binsMax = pictureBinsMax): readonly Bin[] {
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

/** @returns the bar's own name, such as `Fri 20`, `20 Nov`, `14:00` */
export function binLabel({ fromMs }: Bin, bins: readonly Bin[], zone: string): string {
  const { weekday, day, month, clock } = zonedFields(fromMs, zone);
  if (bins.every((bin) => bin.toMs - bin.fromMs <= mergedHoursMs)) return clock;
  return bins.length <= 10 ? `${weekday} ${day}` : `${day} ${month}`;
}

export type ActivitySummary = {
  /** Such as `1,203 succeeded, 31 failed (3 % of 1,234 runs)`. */
  readonly totals: string;
  /** Such as `per day in UTC, 14 Nov 2026 to 20 Nov 2026`; empty without bars. */
  readonly span: string;
};

export function activitySummary(bins: readonly Bin[], zone: string): ActivitySummary {
  const succeeded = bins.reduce((sum, bin) => sum + bin.succeeded, 0);
  const failed = bins.reduce((sum, bin) => sum + bin.failed, 0);
  const total = succeeded + failed;
  const share = total === 0 ? '' : ` (${percent(failed, total)} of ${counted(total, 'run')})`;
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return { totals: 'Nothing was recorded in this time.', span: '' };
  return {
    totals:
      total === 0 ? 'No run ended in this time.' : `${count(succeeded)} succeeded, ${count(failed)} failed${share}`,
    span: `${binWords(bins)} in ${zoneName(zone)}, ${dates(first.fromMs, last.toMs, zone)}`,
  };
}

function dates(fromMs: number, toMs: number, zone: string): string {
  // The end is exclusive: a bar that ends at midnight ends with the day before.
  const name = (at: number) => {
    const { day, month, year } = zonedFields(at, zone);
    return `${day} ${month} ${year}`;
  };
  const [first, last] = [name(fromMs), name(Math.max(fromMs, toMs - 1))];
  return first === last ? first : `${first} to ${last}`;
}
