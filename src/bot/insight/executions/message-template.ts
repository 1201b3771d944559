/** Reduces a log message to its template: texts that differ only in numbers and ids share one. */

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
/** Six or more hexadecimal digits with a decimal one among them: a word like `decade` is none. */
const hexadecimal = '(?<![a-z0-9])(?=[a-f]*[0-9])[0-9a-f]{6,}(?![a-z0-9])';
const values = new RegExp(`${uuid}|0x[0-9a-f]+|${hexadecimal}|[0-9]+(?:[.,:][0-9]+)*`, 'gi');

/** The rest of a longer text is compared unchanged. */
const shapedUnitsMax = 32_000;

/** @returns the text with `#` for each number, hexadecimal id and uuid; linear in its length */
export function messageTemplate(text: string): string {
  if (text.length > shapedUnitsMax) return messageTemplate(text.slice(0, shapedUnitsMax)) + text.slice(shapedUnitsMax);
  return text.replace(values, '#');
}
