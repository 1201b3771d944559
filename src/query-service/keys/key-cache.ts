/** Cache of key lookups. On PostgreSQL the lookup is one of the two statements of a request. */
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { KeyRecords, KeyRow } from '../records/keys.ts';

/** Time to live, within which a change by another process takes effect. The documented bound is 10 s. */
export const keyCacheTtlMs = 5000;

const keysMax = 10_000;

type Entry = { readonly until: number; row: KeyRow | Promise<KeyRow | null> };

/**
 * Caches lookups of known keys; unknown keys are not cached.
 * @param elapsedMs a monotonic clock
 * @returns the key records with cached lookups
 */
export function cacheKeys(keys: KeyRecords, elapsedMs: () => number): KeyRecords {
  const known = createLruCache<Entry>({ entriesMax: keysMax });
  const lookUp = (id: string) => {
    // Counted from the start of the lookup: its result may be that old.
    const until = elapsedMs() + keyCacheTtlMs;
    const row = keys.key(id);
    if (row === null) return null;
    const entry: Entry = { until, row };
    const forget = () => {
      if (known.get(id) === entry) known.delete(id);
    };
    const take = (found: KeyRow | null) => {
      if (found === null) forget();
      else entry.row = found;
    };
    known.set(id, entry);
    if (row instanceof Promise) row.then(take, forget);
    return row;
  };
  return {
    ...keys,
    key(id) {
      const entry = known.get(id);
      return entry && elapsedMs() < entry.until ? entry.row : lookUp(id);
    },
    async revokeKey(organizationId, id, at) {
      await keys.revokeKey(organizationId, id, at);
      known.delete(id);
    },
    async replaceKey(id, expiresAt, record) {
      const isReplaced = await keys.replaceKey(id, expiresAt, record);
      known.delete(id);
      return isReplaced;
    },
  };
}
