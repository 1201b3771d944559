/** Runs per day or hour as bars of text, readable on a phone, in a file and by a screen reader. */
import type { RichTextBlock } from '@slack/types';
import { bold, paragraph, preformatted, rich, trusted } from '../blocks/rich-text.ts';
import { count } from '../format/number.ts';
import { zonedFields, zoneName } from '../format/time.ts';
import { type ActivityBucket, unitOf } from './activity-bins.ts';

const barUnits = 14;
const daysDefaultMax = 14;

/**
 * @param days or hours, oldest first, at least one; the newest 14, or `daysMax`, are shown and the others counted
 * @param zone of the names of hours; days are those of UTC, which the service counts
 */
export function dayBars(days: readonly ActivityBucket[], daysMax = daysDefaultMax, zone = 'UTC'): RichTextBlock {
  const [first] = days;
  if (first && days.every((day) => day.successCount + day.failureCount === 0)) return noBars(first, days.length);
  const shown = days.slice(-daysMax);
  const left = days.length - shown.length;
  const most = Math.max(1, ...shown.map(({ successCount, failureCount }) => successCount + failureCount));
  const earlier = left > 0 ? rich`, ${left} earlier left out` : [];
  const unit = unitOf(days);
  const isLong = shown.length > daysDefaultMax;
  const nameOf = (from: string) =>
    unit === 'hour' ? hourName(from, zone) : isLong ? dayName(from) : weekdayName(from);
  const lines = shown.map((day) => dayLine(day, most, nameOf));
  return preformatted(
    rich`${bold(`Runs per ${unit}`)} (${trusted(zoneName(zone))}${earlier}; █ succeeded, ▒ failed; any failure shows as at least one ▒)`,
    lines,
  );
}

function noBars({ from }: ActivityBucket, length: number): RichTextBlock {
  const days =
    length === 1 ? rich`on ${trusted(dayName(from))}` : rich`in the ${length} days from ${trusted(dayName(from))}`;
  return paragraph(rich`${bold('Runs per day')} (UTC): none ${days}.`);
}

/** @param from ISO 8601 @returns its UTC day, such as `Fri 20` */
function weekdayName(from: string): string {
  const spelled = new Date(from).toUTCString();
  return `${spelled.slice(0, 3)} ${spelled.slice(5, 7)}`;
}

/** As `weekdayName`, such as `20 Nov`, for ranges in which two months have the same day. */
export function dayName(from: string): string {
  return new Date(from).toUTCString().slice(5, 11);
}

/** @param from ISO 8601 @returns its hour, such as `Fri 14:00` */
export function hourName(from: string, zone: string): string {
  const { weekday, clock } = zonedFields(Date.parse(from), zone);
  return `${weekday} ${clock}`;
}

function dayLine(
  { from, successCount, failureCount }: ActivityBucket,
  most: number,
  nameOf: (from: string) => string,
): string {
  const total = successCount + failureCount;
  const filled = total === 0 ? 0 : Math.max(1, Math.round((total / most) * barUnits));
  const failed = failureCount === 0 ? 0 : Math.max(1, Math.round((failureCount / total) * filled));
  const bar = '█'.repeat(Math.max(0, filled - failed)) + '▒'.repeat(failed);
  const failures = failureCount === 0 ? '' : ` · ${count(failureCount)} failed`;
  return `${nameOf(from)} ${bar.padEnd(barUnits)} ${count(total)}${failures}`;
}
