/** Reads JSON from outside. */

export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns undefined for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the field if it is a string that is not empty */
export function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** @returns true for Slack's forms of true: `true`, `"true"`, `1` and `"1"` */
export function flagField(fields: Fields, name: string): boolean {
  return [true, 'true', 1, '1'].some((yes) => fields[name] === yes);
}
