/** Per-workspace cache that serves the last known value while the store is down. */

import { AppError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import { withTimeout } from '../time/timeout.ts';
import { createLruCache } from './lru-cache.ts';

export type StaleWhileErrorCache<Value> = {
  /**
   * @returns the value, at most `lifetimeMs` old, or the last known one while it cannot be read; without I/O if it is
   *   cached. Rejects with AppError `unavailable` if no value is known
   */
  readonly of: (teamId: string) => Promise<Value>;
  /** Drops the cached value after a change. */
  readonly forget: (teamId: string) => void;
};

export type StaleWhileErrorDeps<Value> = {
  readonly read: (teamId: string) => Promise<Value>;
  readonly lifetimeMs: number;
  readonly clock: Clock;
  readonly onFailure: (teamId: string, cause: unknown) => void;
  /** Sentence for the person if no value is known. */
  readonly sentence: string;
};

/** A store that is down is not asked again during this time. */
const pauseMs = 5_000;
/** A person waits three seconds at most, and the read is only a part of the work. */
const readTimeoutMs = 1_000;
const workspacesMax = 5_000;

type Entry<Value> = { readonly value: Promise<Value>; until: number };

export function createStaleWhileErrorCache<Value>(deps: StaleWhileErrorDeps<Value>): StaleWhileErrorCache<Value> {
  const { clock, lifetimeMs } = deps;
  const entries = createLruCache<Entry<Value>>({ entriesMax: workspacesMax });
  const read = async (teamId: string, earlier: Entry<Value> | undefined, onRead: () => void): Promise<Value> => {
    try {
      const value = await withTimeout(readTimeoutMs, deps.read(teamId), 'The database did not answer in time.');
      onRead();
      return value;
    } catch (cause) {
      deps.onFailure(teamId, cause);
      if (earlier) return earlier.value;
      throw new AppError('unavailable', deps.sentence, { hint: 'Try again in a minute.', isRetryable: true, cause });
    }
  };
  return {
    of: (teamId) => {
      const earlier = entries.get(teamId);
      const now = clock();
      if (earlier && now < earlier.until) return earlier.value;
      const onRead = () => {
        entry.until = now + lifetimeMs;
      };
      const entry: Entry<Value> = { value: read(teamId, earlier, onRead), until: now + Math.min(pauseMs, lifetimeMs) };
      entries.set(teamId, entry);
      return entry.value;
    },
    forget: entries.delete,
  };
}
