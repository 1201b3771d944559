/** Token buckets in memory, one per key. Tokens are requests, or milliseconds of database time. */
import { createLruCache } from '../../shared/cache/lru-cache.ts';

export type RateLimit = {
  /** Tokens that a key gets back each second. */
  readonly perSecond: number;
  /** Maximum number of tokens of a key, and their number at the start. */
  readonly burst: number;
};

/** Above this number, the least recently used buckets are evicted. An evicted bucket is full again. */
const bucketsMax = 10_000;

/** The time at which it is full again, which is its whole state. */
type Bucket = { fullAt: number };

/** @param clock monotonic milliseconds: a wall clock may stop or go back */
export function createRateLimiter({ perSecond, burst }: RateLimit, clock: () => number) {
  const tokenMs = 1000 / perSecond;
  const buckets = createLruCache<Bucket>({ entriesMax: bucketsMax });
  const addBucket = (keyId: string): Bucket => {
    const bucket = { fullAt: 0 };
    buckets.set(keyId, bucket);
    return bucket;
  };
  const charge = (keyId: string, tokens: number) => {
    const bucket = buckets.get(keyId) ?? addBucket(keyId);
    bucket.fullAt = Math.max(bucket.fullAt, clock()) + tokens * tokenMs;
  };
  /** @param tokens negative for a debt @returns 0 if the key has that many tokens, otherwise the whole seconds until it has */
  const secondsUntil = (keyId: string, tokens: number) => {
    const missingMs = (buckets.get(keyId)?.fullAt ?? 0) - clock() - (burst - tokens) * tokenMs;
    return missingMs > 0 ? Math.ceil(missingMs / 1000) : 0;
  };
  /** Takes one token. @returns 0 on success, otherwise the whole seconds until the key has a token */
  const acquire = (keyId: string): number => {
    const seconds = secondsUntil(keyId, 1);
    if (seconds === 0) charge(keyId, 1);
    return seconds;
  };
  return { acquire, charge, secondsUntil };
}
