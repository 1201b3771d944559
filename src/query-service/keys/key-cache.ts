/** Keys that were looked up a moment ago are not looked up again: on a server that is one of the two statements of a request. */
import type { KeyRecords, KeyRow } from '../records/keys.ts';

/** What is changed by another process is seen within this time, and within 10 s is promised. */
export const keyCacheTtlMs = 5000;

const keysMax = 10_000;

/** @param elapsedMs a clock that never jumps @returns the same keys; those that are not there are looked up each time */
export function cacheKeys(keys: KeyRecords, elapsedMs: () => number): KeyRecords {
  const known = new Map<string, { readonly until: number; readonly row: Promise<KeyRow | null> }>();
  const lookUp = (id: string) => {
    if (known.size >= keysMax) known.clear();
    // From the beginning of the look-up: its answer may be as old as that.
    const entry = { until: elapsedMs() + keyCacheTtlMs, row: keys.key(id) };
    const forget = () => {
      if (known.get(id) === entry) known.delete(id);
    };
    known.set(id, entry);
    entry.row.then((row) => row ?? forget(), forget);
    return entry.row;
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
