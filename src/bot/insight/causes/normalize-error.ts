/** Reduces an error's text to a key that equal faults share and a title that people read. */
import { comparableText } from '../../../shared/redaction/redact.ts';
import { isPlaceholder, namedPlaceholders } from './placeholders.ts';
import { bothEnds, plainText } from './plain-text.ts';
import { readQuotes } from './quotes.ts';
import { type Segment, segmentsOf, wordsOf } from './segments.ts';
import { markVariables } from './variables.ts';
import { termPattern } from './vocabulary.ts';

export type NormalisedError = {
  /** Words only; empty when the error has none. */
  readonly key: string;
  readonly title: string;
  /** How specific the error is. */
  readonly weight: number;
};

/** The end of a chain identifies a fault once it contains one specific word and two common ones. */
const weightOfKey = 1.5;
/** A title needs a little more than a key. */
const weightOfTitle = 3;
const titleUnitsMax = 120;
const separator = ': ';
const wordless = 'an error without words';

/**
 * The title is read from the masked text: a part of a secret no longer looks like one. The key is read from the original text,
 * so that it does not change with the masking rules; it must not be shown.
 *
 * @param unitsMax how much of the error is read
 * @returns what equal faults share; linear in the text's length, never throws
 */
export function normaliseError(error: string, unitsMax: number): NormalisedError {
  const read = readEnd(error, unitsMax);
  const near = bothEnds(error, unitsMax + secretUnitsMax, unitsMax + secretUnitsMax);
  const safe = comparableText(near);
  return safe === near ? read : { ...read, title: readEnd(safe, unitsMax).title };
}

/** Text around the part that is read, masked with it: the longest secret is a private key. */
const secretUnitsMax = 8_000;

function readEnd(error: string, unitsMax: number): NormalisedError {
  const plain = plainText(error, unitsMax);
  const bare = plain.replace(sqlState, '');
  if (bare === plain) return readPlain(plain);
  const read = readPlain(bare);
  return read.weight >= weightOfKey ? read : readPlain(plain);
}

/** Drivers add the state and the number of an SQL error, or leave them out: they matter only where the message is vague. */
const sqlState = /\s?\(SQLSTATE [\dA-Z]{5}\)|\bError \d{4} \([\dA-Z]{5}\):\s/g;

function readPlain(plain: string): NormalisedError {
  const { text, codes: codeTexts } = markVariables(readQuotes(plain));
  const segments = segmentsOf(text);
  const speakers = speakersOf(plain);
  const from = startOfEnd(segments, speakers, weightOfKey);
  const end = segments.slice(from).filter(isTelling);
  const codes = new Set(codeTexts.flatMap(wordsOf));
  const ending = end.flatMap(({ words }) => words).filter((word) => !codes.has(word));
  const inEnding = new Set(ending);
  const context = contextOf(segments.slice(0, from), codes).filter((word) => !inEnding.has(word));
  return {
    key: [...new Set(context), '|', ...ending].join(' ').replace(/^\|\s?$/, ''),
    title: titleOf(segments, startOfEnd(segments, speakers, weightOfTitle)) || wordless,
    weight: end.reduce((sum, { weight }) => sum + weight, 0),
  };
}

const capability = /(?<![\p{L}\p{N}:_-])(\p{L}[\p{L}\p{N}:_-]{1,60})@v?\d/gu;

/** Every name is searched in every segment, so their number is bounded; a chain of calls has a few. */
const speakersMax = 32;

/** Capabilities that can fail: a trigger only starts an execution. */
function speakersOf(plain: string): readonly string[] {
  if (!plain.includes('@')) return [];
  const names = [...plain.matchAll(capability)].map(([, name = '']) => name).filter((name) => !/trigger/i.test(name));
  return [...new Set(names)].slice(-speakersMax);
}

/**
 * Walks from the end to the beginning until the text is specific enough, or a capability's own message begins: the text before
 * that is the workflow's wrapping. A standard directly before it belongs to the end, as in `ERC20: insufficient …`.
 */
function startOfEnd(segments: readonly Segment[], speakers: readonly string[], weightEnough: number): number {
  let weight = 0;
  let from = segments.length;
  let isSpoken = false;
  while (from > 0 && weight < weightEnough && !(isSpoken && weight > 0)) {
    from -= 1;
    const { text, weight: ownWeight } = segments[from] ?? { text: '', weight: 0 };
    weight += ownWeight;
    isSpoken = speakers.some((name) => text.startsWith(name));
  }
  while (from < segments.length - 1 && segments[from]?.isWrapper) from += 1;
  return termPattern.test(segments[from - 1]?.words.join(' ') ?? '') ? from - 1 : from;
}

function isTelling({ isWrapper }: Segment, index: number, all: readonly Segment[]): boolean {
  return !isWrapper || index === all.length - 1;
}

/** The last web address, the names directly before the end and the codes in the segments that are cut: they are part of the fault. */
function contextOf(cut: readonly Segment[], codes: ReadonlySet<string>): readonly string[] {
  const address = cut.findLast(({ isAddress }) => isAddress);
  return [...(address?.words ?? []), ...(cut.at(-1)?.names ?? []), ...codes];
}

/** The end, with the HTTP status and the address directly before it if they fit. */
function titleOf(segments: readonly Segment[], from: number): string {
  let start = from;
  while (start > 0 && isShownBefore(segments[start - 1])) start -= 1;
  const end = segments.slice(start).filter(isTelling);
  const telling = end.filter(({ weight }) => weight > 0);
  const isLong = unitsOf(end) > titleUnitsMax && telling.length > 0;
  const shown = (isLong ? telling : end).map(shownText);
  let first = shown.length - 1;
  let units = shown[first]?.length ?? 0;
  for (; first > 0; first -= 1) {
    units += (shown[first - 1]?.length ?? 0) + separator.length;
    if (units > titleUnitsMax) break;
  }
  return clipped(shown.slice(Math.max(0, first)).join(separator));
}

/** An HTTP status, an address, or a code alone, as in `NoSuchKey:` and `AADSTS700016:`. */
function isShownBefore(segment: Segment | undefined): boolean {
  if (segment === undefined) return false;
  return (
    segment.isAddress ||
    segment.isStatus ||
    /^[A-Z][A-Z\d_]{3,40}$|^[A-Z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,6}$/.test(segment.text)
  );
}

function shownText({ text }: Segment): string {
  return namedPlaceholders(withoutEndingList(text));
}

function unitsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + shownText(segment).length + separator.length, 0);
}

/** A list of values at the end says no more than its first. */
function withoutEndingList(text: string): string {
  let end = text.length;
  for (let at = text.length - 1; at >= 0 && /[…\ue010-\ue018\s,;|/-]/.test(text[at] ?? ''); at -= 1) {
    if (isPlaceholder(text[at] ?? '')) end = at + 1;
  }
  return text.slice(0, end);
}

function clipped(title: string): string {
  const letters = [...title];
  if (letters.length <= titleUnitsMax) return title;
  const cut = letters.slice(0, titleUnitsMax - 1).join('');
  return `${cut.replace(/\s\S{0,30}$/, '').replace(/[\s,;:(…\ue010-\ue018-]{1,10}$/, '')}…`;
}
