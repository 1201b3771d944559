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

/** Text before or after a value that is read. */
const labelUnits = 24;
/** Follows a length of time. */
const timeUnit =
  /^\s?(?:[nuµμm]?s|(?:nano|micro|milli)?sec(?:ond)?s?|mins?|minutes?|h|hours?)(?![a-z0-9])|^[hm](?=\d+(?:\.\d+)?[ms])/i;
const timeOfDay = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?$/;
/** A connection's own end: ports from 32768 on are given out by the operating system. */
const ownAddress = /^\d{1,3}(?:\.\d{1,3}){3}:(?:3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[4-6]\d{4})$/;
/** Precedes a value that each node has of its own: a measurement, a moment, or an id of its own connection or request. */
const ownLabel =
  /(?:took|elapsed|duration|latency|lag|uptime|delay|rtt|time(?:stamp)?|ts|heap|mem(?:ory)?|rss|cpu|pid|thread|goroutine|port|peer|conn(?:ection)?|session|trace|span|request|req)(?:[ _-]?(?:id|in use|used|usage))?(?:_?ms)?["']?\s?[=:#]?\s?["']?$/i;

/**
 * @returns the text with `#` for each value that nodes do not share: a length of time, a time of day, memory in use, an id of a node's own
 *   request. An amount, a price or a hash stays: another one is a difference
 */
export function withoutOwnValues(text: string): string {
  if (text.length > shapedUnitsMax) return withoutOwnValues(text.slice(0, shapedUnitsMax)) + text.slice(shapedUnitsMax);
  return text.replace(values, (value: string, index: number) => (isOwn(value, index, text) ? '#' : value));
}

function isOwn(value: string, index: number, text: string): boolean {
  const end = index + value.length;
  if (timeOfDay.test(value) || ownAddress.test(value) || timeUnit.test(text.slice(end, end + labelUnits))) return true;
  const before = text.slice(Math.max(0, index - labelUnits), index);
  const label = ownLabel.exec(before);
  return label !== null && isWordStart(before, label.index);
}

/** Not the end of another word: `report 5` is no port. `elapsedTime` has two words. */
function isWordStart(text: string, at: number): boolean {
  const [before, first] = [text.charAt(at - 1), text.charAt(at)];
  return !letter.test(before) || (lowerCase.test(before) && !lowerCase.test(first));
}

const letter = /[a-z]/i;
const lowerCase = /[a-z]/;
