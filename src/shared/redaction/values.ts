/** Reads the value that follows a name: past separators, brackets and quotes of any escaping, up to its own end. */
import { markEnd } from './marks.ts';

export type Value = {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
};

/** The part of a value that is judged; a secret is then read to its end. */
const bareUnitsMax = 256;
const quotedUnitsMax = 4096;

/** A quote: with backslashes, as an entity, percent-encoded, or as a JSON escape. */
const quote = /(\\*)(["'`])|&quot;|&#3[49];|&#x2[27];|%2[27]|\\+(?:u00|x)2[27]/iy;
/** Text in front of a value: typed dumps (`(string) (len=5) "abc"`), constructors, brackets. */
const wrapping =
  /(?:<(?:b|i|code|strong|em|span|td)>|\*\*){0,2}(?:\((?:string|len=\d{1,6}|\*?[\w.]{1,30})\)\s?){0,3}(?:(?:Some|Just|Ok|String|Secret|SecretStr|Value|\[\]string|\[\]byte)(?=[([{])|(?:string|str|bytes)\(\d{1,6}\)\s|[A-Z][A-Za-z.]{2,30}(?=\(\\*["']))?(?:[([{]|<<|<!\[CDATA\[){0,2}(?:[burNL@$]{1,2}(?=\\*["']))?/y;
const bare = /(?:[^\s"'`,;&<>|\\]|&(?![\w.%-]{0,40}(?:=|%5B)|amp;|\s|$)){0,256}/y;
const bareRest = /(?:[^\s"'`,;&<>|\\]|&(?![\w.%-]{0,40}(?:=|%5B)|amp;|\s|$))*/y;
const quotedRest = /[^"'`\n]*/y;

/** @param at index after the separator and its blanks */
export function readValue(text: string, at: number): Value {
  const opened = markEnd(text, at) === undefined ? skip(wrapping, text, at) : at;
  quote.lastIndex = opened;
  const opening = quote.exec(text);
  if (!opening) return { start: opened, end: bareEnd(text, opened), isQuoted: false };
  const start = quote.lastIndex;
  return { start, end: quotedEnd(text, start, opening), isQuoted: true };
}

/** @returns the end of a bare value: a blank, a quote, a delimiter, or a bracket that it did not open */
export function bareEnd(text: string, at: number): number {
  const mark = markEnd(text, at);
  if (mark !== undefined) return mark;
  const end = skip(bare, text, at);
  let depth = 0;
  for (let index = at; index < end; index++) {
    const unit = text[index] ?? '';
    if ('([{'.includes(unit)) depth += 1;
    if (!')]}'.includes(unit)) continue;
    depth -= 1;
    if (depth < 0 && !/[A-Za-z0-9]/.test(text[index + 1] ?? '')) return index;
  }
  return withoutPunctuation(text, at, end);
}

/** A full stop or colon at the end belongs to the sentence. */
function withoutPunctuation(text: string, from: number, end: number): number {
  let last = end;
  while (last > from && '.:?'.includes(text[last - 1] ?? '')) last -= 1;
  return last;
}

/** @returns the index of the closing quote, escaped no deeper than the opening one; the line's end if there is none */
function quotedEnd(text: string, start: number, [whole, slashes = '', mark]: RegExpExecArray): number {
  const limit = Math.min(text.length, start + quotedUnitsMax);
  const closing = mark ?? whole;
  for (let at = text.indexOf(closing, start); at !== -1 && at < limit; at = text.indexOf(closing, at + 1)) {
    const depth = slashesBefore(text, at, start);
    if (slashes.length === 0 ? depth % 2 === 0 : depth <= slashes.length) return at - Math.min(depth, slashes.length);
  }
  return lineEnd(text, start, limit);
}

function slashesBefore(text: string, at: number, from: number): number {
  let count = 0;
  while (at - count > from && text[at - count - 1] === '\\') count += 1;
  return count;
}

/** @returns the index of the next line break, real or escaped, or the limit */
export function lineEnd(text: string, at: number, limit = Math.min(text.length, at + quotedUnitsMax)): number {
  const found = text.slice(at, limit).search(/\n|\\[rn]/);
  return found === -1 ? limit : at + found;
}

/** @returns the end of a value that may be longer than the judged part */
export function wholeEnd(text: string, { start, end, isQuoted }: Value): number {
  if (isQuoted) return end - start < quotedUnitsMax ? end : skip(quotedRest, text, end);
  return end - start < bareUnitsMax ? end : skip(bareRest, text, end);
}

/** @returns the index after the sticky pattern's match; the same index without a match */
export function skip(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
