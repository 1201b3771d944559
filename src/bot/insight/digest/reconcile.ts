/** The service’s own counts by day: compares them with the failures read one by one, and sums them up. */
import { midnight } from '../../domain/point-in-time.ts';

export type DayLike = {
  readonly from: string;
  readonly to: string;
  readonly successCount: number;
  readonly failureCount: number;
};

type CountedDay = {
  /** Its first millisecond. */
  readonly day: number;
  /** Failures read one by one. */
  readonly read: number;
  /** Failures counted by the service. */
  readonly counted: number;
};

export type Reconciliation = {
  /** Number of whole days inside the window; 0 if nothing could be checked. */
  readonly days: number;
  readonly mismatches: readonly CountedDay[];
};

/** The end of a bucket may be its last instant or the first instant after it. */
const edgeMs = 1000;

type Window = { readonly from: number; readonly to: number };
/** A window whose days are those of a time zone. */
export type ZonedWindow = Window & { readonly zone: string };

/** @param startsByDay failures by the day of the zone on which they started */
export function reconcile(
  window: ZonedWindow,
  startsByDay: ReadonlyMap<number, number>,
  buckets: readonly DayLike[] | null,
): Reconciliation {
  const days = (buckets ?? []).flatMap(({ from, to, failureCount }) => {
    const [day, end] = [Date.parse(from), Date.parse(to)];
    const nextDay = midnight(day, window.zone, 1);
    const isWhole = day === midnight(day, window.zone) && Math.abs(end - nextDay) <= edgeMs;
    const isInside = day >= window.from && nextDay <= window.to;
    return isWhole && isInside ? [{ day, read: startsByDay.get(day) ?? 0, counted: failureCount }] : [];
  });
  return { days: days.length, mismatches: days.filter(({ read, counted }) => read !== counted) };
}

/** @returns successes and failures in the window; null if the buckets do not cover it or reach beyond it */
export function countsWithin(
  { from, to }: Window,
  buckets: readonly DayLike[] | null,
): { readonly success: number; readonly failure: number } | null {
  const spans = (buckets ?? []).map((bucket) => ({ from: Date.parse(bucket.from), to: Date.parse(bucket.to) }));
  const isInside = spans.every((span) => span.from >= from && span.to <= to);
  const covered = spans.reduce((sum, span) => sum + span.to - span.from, 0);
  if (buckets === null || !isInside || covered < to - from - spans.length * edgeMs) return null;
  return buckets.reduce(
    (sum, { successCount, failureCount }) => ({
      success: sum.success + successCount,
      failure: sum.failure + failureCount,
    }),
    { success: 0, failure: 0 },
  );
}
