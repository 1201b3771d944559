/** Failures per UTC day: those of the days before a window, and of the window itself. */
import type { DayLike } from './reconcile.ts';

export type DailyFailures = {
  /** First millisecond of the day. */
  readonly day: number;
  readonly failed: number;
};

const dayMs = 86_400_000;

/**
 * @param before days before the window, oldest first; null if they are not known, as `within`
 * @returns the newest days, oldest first; the last one ends with the window
 */
export function dailyFailures(
  before: readonly DayLike[] | null,
  within: readonly DayLike[] | null,
  daysMax: number,
): readonly DailyFailures[] | null {
  if (before === null || within === null) return null;
  const failures = new Map<number, number>();
  for (const { from, failureCount } of [...before, ...within]) {
    // A window cuts a day in two.
    const day = Math.floor(Date.parse(from) / dayMs) * dayMs;
    if (Number.isNaN(day)) continue;
    failures.set(day, (failures.get(day) ?? 0) + failureCount);
  }
  return [...failures].map(([day, failed]) => ({ day, failed })).slice(-daysMax);
}
