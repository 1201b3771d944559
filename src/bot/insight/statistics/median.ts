/** The middle of some numbers. */

/** @returns the middle one, the lower of two; 0 of none */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
