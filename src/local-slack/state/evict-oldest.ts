/** Bounds the size of a map. */

/** @param kept in the order of arrival, as a Map is; changed in place */
export function evictOldest(kept: Map<string, unknown>, sizeMax: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= sizeMax) return;
    kept.delete(oldest);
  }
}
