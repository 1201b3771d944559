/** Cleans, masks and truncates text from outside. The result is literal text for plain_text and rich_text. */
import { isMasking } from '../../../shared/redaction/masking.ts';
import { safeBeginning, safeEnds, safeText, sanitizeText } from '../../../shared/redaction/redact.ts';

/** Bounds the cost of a hostile megabyte. More is read than shown: blanks and masked values become shorter. */
const readUnitsMax = 32_000;

function readUnits(max: number): number {
  return Math.min(readUnitsMax, 4_000 + 8 * max);
}

/** The only place of the views that reads the workspace's choice. */
const mask = () => (isMasking() ? safeText : sanitizeText);

/** @returns one line, at most `max` units; `(empty)` if nothing readable is left */
export function outsideLine(text: string, max: number): string {
  const line = oneLine(safeBeginning(text, readUnits(max), mask()));
  return line === '' ? '(empty)' : truncate(line, max);
}

/** As `outsideLine`, but keeps both ends of a long text: the end of an error has the reason. */
export function outsideError(text: string, max: number): string {
  const line = oneLine(safeEnds(text, readUnits(max) / 2, readUnits(max) / 2, mask()));
  return line === '' ? '(empty)' : truncateMiddle(line, max);
}

/** Words with single spaces between them, as in most texts. */
const spacedLine = /^\S+(?: \S+)*$/;

export function oneLine(text: string): string {
  return spacedLine.test(text) ? text : text.replace(/\s+/gu, ' ').trim();
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** A grapheme longer than this is cut inside. */
const graphemeUnitsMax = 64;

/** @returns at most `max` units, with `…` at the end of a truncated text */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${head(text, max - 1)}…`;
}

/** As `truncate`, after a whole word. */
export function truncateAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const before = head(text, max - 1);
  return `${untilWord(before, text.charAt(before.length))}…`;
}

/** As `truncate`, but keeps both ends: the reason of a nested error is at its end. */
export function truncateMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const headUnits = Math.floor((max - 3) / 3);
  const [before, after] = [head(text, headUnits), tail(text, max - 3 - headUnits)];
  return `${untilWord(before, text.charAt(before.length))} … ${fromWord(after, text.charAt(text.length - after.length - 1))}`;
}

function head(text: string, units: number): string {
  let end = 0;
  for (const { segment } of graphemes.segment(text.slice(0, units + graphemeUnitsMax))) {
    if (end + segment.length > units) break;
    end += segment.length;
  }
  return text.slice(0, end).trimEnd();
}

function tail(text: string, units: number): string {
  const rough = text.slice(Math.max(0, text.length - units - graphemeUnitsMax));
  const surplus = rough.length - units;
  let start = 0;
  for (const { segment } of graphemes.segment(rough)) {
    if (start >= surplus) break;
    start += segment.length;
  }
  return rough.slice(start).trimStart();
}

/** A longer word is cut: it is an id or data, and its ends may matter. */
const wordUnitsMax = 20;
const inWord = /[\p{L}\p{N}]/u;

/** @param next the character after the text @returns the text up to its last whole word */
function untilWord(text: string, next: string): string {
  if (!inWord.test(next) || !inWord.test(text.slice(-1))) return text;
  const space = text.slice(-wordUnitsMax).search(/\s\S*$/);
  return space === -1 ? text : text.slice(0, Math.max(0, text.length - wordUnitsMax) + space);
}

/** @param before the character before the text @returns the text from its first whole word on */
function fromWord(text: string, before: string): string {
  if (!inWord.test(before) || !inWord.test(text.charAt(0))) return text;
  const space = text.slice(0, wordUnitsMax).search(/\s/);
  return space === -1 ? text : text.slice(space + 1);
}

const shortIdUnits = 8;

/** @returns the first eight characters of an execution's id, which finds it again; of its uuid if the id is not a 64-digit one */
export function shortExecutionId({ id, uuid }: { readonly id: string; readonly uuid: string }): string {
  const [, digits = uuid] = /^(?:0x)?([0-9a-f]{64})$/i.exec(id) ?? [];
  return digits.slice(0, shortIdUnits).toLowerCase();
}
