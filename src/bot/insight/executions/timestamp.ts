/** Parses a timestamp: ISO 8601 text or epoch milliseconds. */

/** Epoch milliseconds, or ISO 8601 as the query service writes it. */
export type Timestamp = number | string;

/** @returns epoch milliseconds; null for text that is no time */
export function parseTimestamp(moment: Timestamp): number | null {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  return Number.isFinite(ms) ? ms : null;
}
