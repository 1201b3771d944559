/** What happened a short while ago, by key: looked up and forgotten in constant time, however much there is of it. */
import type { Clock } from '../time/clock.ts';

export type LruCache<Value> = {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly delete: (key: string) => void;
};

export type LruCacheOptions = {
  readonly clock: Clock;
  /** A value is kept for at least as long, and for twice as long at the most. */
  readonly forMs: number;
  /** Beyond so many within that time the older ones go early; twice as many are kept at the most. */
  readonly keysMax: number;
};

/**
 * Two generations, of which the older is dropped whole: a map from which the oldest is taken one by one is searched
 * through everything that was taken before.
 */
export function createLruCache<Value>({ clock, forMs, keysMax }: LruCacheOptions): LruCache<Value> {
  let newer = new Map<string, Value>();
  let older = newer;
  let turnsAt = 0;
  const turn = () => {
    const now = clock();
    if (now < turnsAt && newer.size < keysMax) return;
    older = now < turnsAt + forMs ? newer : new Map();
    newer = new Map();
    turnsAt = now + forMs;
  };
  return {
    get: (key) => {
      turn();
      return newer.get(key) ?? older.get(key);
    },
    set: (key, value) => {
      turn();
      newer.set(key, value);
    },
    delete: (key) => {
      newer.delete(key);
      older.delete(key);
    },
  };
}
