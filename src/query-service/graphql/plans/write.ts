/** Writes values as JSON text, as GraphQL serializes them. */
import { printCredits, printInstant } from '../../scalar-text.ts';

export type WriteValue = (value: unknown) => string;

/** Text without a quotation mark, a backslash, a control character or half a surrogate pair is its own JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

export const text: WriteValue = (value) => (typeof value === 'string' ? quoted(value) : refuse());

/** A value that is stored in the form of the contract. */
export const literal: WriteValue = (value) => (typeof value === 'string' ? quoted(value) : JSON.stringify(value));

export const time: WriteValue = (value) =>
  Number.isSafeInteger(value) ? `"${printInstant(Number(value))}"` : refuse();

export const credits: WriteValue = (value) =>
  Number.isSafeInteger(value) ? `"${printCredits(Number(value))}"` : refuse();

/** Databases have no type for booleans in common. */
export const flag: WriteValue = (value) => {
  if (value === 1 || value === true) return 'true';
  return value === 0 || value === false ? 'false' : refuse();
};

export const integer: WriteValue = (value) =>
  typeof value === 'number' && (value | 0) === value ? String(value) : refuse();

export function oneOf(values: readonly string[]): WriteValue {
  const texts = new Map<unknown, string>(values.map((value) => [value, `"${value}"`]));
  return (value) => texts.get(value) ?? refuse();
}

export function nullable(write: WriteValue): WriteValue {
  return (value) => (value === null || value === undefined ? 'null' : write(value));
}

function refuse(): never {
  throw new Error('A stored value is not in the contract.');
}
