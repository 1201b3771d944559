/** Reads untyped JSON, such as Slack's payloads. */

export type JsonRecord = Readonly<Record<string, unknown>>;

const nothing: JsonRecord = {};

/** @returns the value itself if it is an object, otherwise an empty object */
export function readRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : nothing;
}

/** @returns the first non-empty text under these keys */
export function readText(record: JsonRecord, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = record[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
