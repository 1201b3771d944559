/** Reads JSON from outside, such as Slack's payloads. */

export type JsonRecord = Readonly<Record<string, unknown>>;

const nothing: JsonRecord = {};

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** @returns undefined for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
