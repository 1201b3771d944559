/** Converts windows to the service's inputs and to cache keys, splits them into hours or days, and groups activity by UTC days. */
import { midnight } from '../domain/point-in-time.ts';
import { isRolling, type Window } from '../domain/window.ts';
import type { ActivityBucket } from './results.ts';

/** @param at epoch milliseconds @returns ISO 8601, UTC */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

/** `to` is inclusive. A moving window has no `to`: the service's clock may be ahead. */
export function spanOf({ from, to, isMoving }: Window): { readonly from: string; readonly to?: string } {
  return { from: instant(from), ...(!isMoving && { to: instant(to - 1) }) };
}

/** @param startedAt ISO 8601 */
export function isWithin({ from, to, isMoving }: Window, startedAt: string): boolean {
  const at = Date.parse(startedAt);
  return at >= from && (isMoving || at < to);
}

/** The key of a rolling window contains no instant; otherwise no cached answer would be found again. */
export function windowKey(window: Window): readonly (string | number)[] {
  if (isRolling(window)) return [window.label];
  return [window.label, window.from, window.isMoving ? 'until now' : window.to];
}

type Windowed = { readonly window: Window; readonly takesOtherWindow?: boolean };

/** @param others what the answer depends on besides its window @returns the parameters of an operation */
export function windowedBy({ window, takesOtherWindow = false }: Windowed, ...others: readonly (string | number)[]) {
  return { parameters: [...others, ...windowKey(window)], ...(takesOtherWindow && { windowed: { window, others } }) };
}

const dayMs = 86_400_000;

/** @param at epoch milliseconds @returns the start of its UTC day */
export function startOfDay(at: number): number {
  return at - (((at % dayMs) + dayMs) % dayMs);
}

const hourMs = 3_600_000;
/** At most 31 hours, as the first and the last are cut. */
const hourlyMaxMs = 30 * hourMs;
/** As many bars as two charts have. */
const daysMax = 40;

/**
 * @param zone of the days
 * @returns the hours of a short window, or the days of a longer one, oldest first, the first and the last cut to it;
 *   undefined if its days are those of UTC, which a service counts by itself, and for more than 40 days
 */
export function partsOf(window: Window, zone: string): readonly Window[] | undefined {
  const isShort = window.to - window.from <= hourlyMaxMs;
  const parts: Window[] = [];
  for (let from = window.from; from < window.to && parts.length <= daysMax; ) {
    const end = isShort ? (Math.floor(from / hourMs) + 1) * hourMs : midnight(from, zone, 1);
    const to = Math.min(window.to, end);
    parts.push({ ...window, from, to, isMoving: false });
    from = to;
  }
  const isUtc = parts.every(({ to }) => to === window.to || to === startOfDay(to));
  return isShort || (parts.length <= daysMax && !isUtc) ? parts : undefined;
}

/** Merges buckets that begin on the same UTC day, whatever their length; a bucket longer than a day stays whole. */
export function byDay(buckets: readonly ActivityBucket[]): readonly ActivityBucket[] {
  const days = new Map<number, ActivityBucket>();
  for (const bucket of buckets.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
    const day = startOfDay(Date.parse(bucket.from));
    const before = days.get(day);
    days.set(day, before ? merged(before, bucket) : bucket);
  }
  return [...days.values()];
}

function merged(a: ActivityBucket, b: ActivityBucket): ActivityBucket {
  return {
    from: a.from,
    to: Date.parse(a.to) > Date.parse(b.to) ? a.to : b.to,
    successCount: a.successCount + b.successCount,
    failureCount: a.failureCount + b.failureCount,
  };
}
