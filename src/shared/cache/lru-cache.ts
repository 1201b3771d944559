/** A bounded cache: evicts the least recently used entry, and drops an entry when its time to live is over. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../time/clock.ts';

export type LruCache<Value> = {
  /** Marks the entry as used; its time to live does not start again. */
  readonly get: (key: string) => Value | undefined;
  /** Starts the entry's time to live. */
  readonly set: (key: string, value: Value) => void;
  readonly delete: (key: string) => void;
  /** Keys and values, without those whose time to live is over. */
  readonly entries: () => Iterable<readonly [string, Value]>;
};

export type LruCacheOptions = {
  readonly entriesMax: number;
} & (
  | { readonly ttlMs: number; readonly clock: Clock }
  /** An entry stays until it is evicted or deleted. */
  | { readonly ttlMs?: undefined; readonly clock?: undefined }
);

export function createLruCache<Value extends NonNullable<unknown>>({
  entriesMax,
  ttlMs,
  clock,
}: LruCacheOptions): LruCache<Value> {
  const cache = new LRUCache<string, Value>({
    // Bounded by size, each entry 1: with `max` the library allocates its arrays in full, 10 ms and 2 MB for 50,000.
    maxSize: entriesMax,
    sizeCalculation: () => 1,
    // The library never expires an entry that is set at time 0.
    ...(ttlMs !== undefined && { ttl: ttlMs, ttlResolution: 0, perf: { now: () => clock() || 1 } }),
  });
  return {
    get: (key) => cache.get(key),
    set: (key, value) => void cache.set(key, value),
    delete: (key) => void cache.delete(key),
    entries: () => cache.entries(),
  };
}
