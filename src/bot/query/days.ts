/** Groups activity by whole UTC days, whatever the length of the service's buckets. */
import type { ActivityBucket } from './results.ts';

const dayMs = 86_400_000;

/** @param at epoch milliseconds @returns when its UTC day began */
export function startOfDay(at: number): number {
  return at - (((at % dayMs) + dayMs) % dayMs);
}

/** Buckets that begin on the same day become one, in order; a bucket longer than a day stays whole. */
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
