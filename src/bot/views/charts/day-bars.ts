/** Runs per day as bars of text, readable on a phone, in a file and by a screen reader. */
import type { RichTextBlock } from '@slack/types';
import { bold, paragraph, preformatted, rich, trusted } from '../blocks/rich-text.ts';
import { count, counted } from '../format/number.ts';
import { zoneName } from '../format/time.ts';
import { type ActivityBucket, dayName, weekdayName } from './activity-chart.ts';

const barUnits = 14;
const daysMax = 14;

/** @param days oldest first, at least one; the newest 14 are shown and the others counted @param zone of their names */
export function dayBars(days: readonly ActivityBucket[], zone: string): RichTextBlock {
  const [first] = days;
  if (first && days.every((day) => day.successCount + day.failureCount === 0)) return noBars(first, days.length, zone);
  const shown = days.slice(-daysMax);
  const left = days.length - shown.length;
  const most = Math.max(1, ...shown.map(({ successCount, failureCount }) => successCount + failureCount));
  const earlier = left > 0 ? rich`, ${trusted(counted(left, 'earlier day'))} left out` : [];
  return preformatted(
    rich`${bold('Runs per day')} (${trusted(zoneName(zone))}${earlier}; █ succeeded, ▒ failed; any failure shows as at least one ▒)`,
    shown.map((day) => dayLine(day, most, zone)),
  );
}

function noBars({ from }: ActivityBucket, length: number, zone: string): RichTextBlock {
  const name = trusted(dayName(from, zone));
  const days = length === 1 ? rich`on ${name}` : rich`in the ${length} days from ${name}`;
  return paragraph(rich`${bold('Runs per day')} (${trusted(zoneName(zone))}): none ${days}.`);
}

function dayLine({ from, successCount, failureCount }: ActivityBucket, most: number, zone: string): string {
  const total = successCount + failureCount;
  const filled = total === 0 ? 0 : Math.max(1, Math.round((total / most) * barUnits));
  const failed = failureCount === 0 ? 0 : Math.max(1, Math.round((failureCount / total) * filled));
  const bar = '█'.repeat(Math.max(0, filled - failed)) + '▒'.repeat(failed);
  const failures = failureCount === 0 ? '' : ` · ${count(failureCount)} failed`;
  return `${weekdayName(from, zone).padEnd(6)} ${bar.padEnd(barUnits)} ${count(total)}${failures}`;
}
