/** Bounds the size of a map. */

/** @param map in the order of arrival, as a Map is; changed in place */
export function evictOldest(map: Map<string, unknown>, sizeMax: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= sizeMax) return;
    map.delete(oldest);
  }
}
