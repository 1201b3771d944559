/** An error's text without what varies: the key that equal faults share, and a title that people read. */
import { comparableText } from '../../../shared/redaction/redact.ts';
import { readQuotes } from './cause-quotes.ts';
import { type Segment, segmentsOf, wordsOf } from './cause-segments.ts';
import { bothEnds, plainText } from './plain-text.ts';
import { markVariables } from './variables.ts';
import { termPattern } from './vocabulary.ts';

export type NormalisedError = {
  /** Words only; empty when the error has none. */
  readonly key: string;
  readonly title: string;
  /** How much the error says that other errors do not say. */
  readonly weight: number;
};

/** The end of a chain tells a fault from others once it holds a word that they do not share and two common ones. */
const weightOfKey = 1.5;
/** A person wants a little more. */
const weightOfTitle = 3;
const titleUnitsMax = 120;
const separator = ': ';
const wordless = 'an error without words';

/**
 * The title is read from the masked text: what is left of a secret after cutting would no longer look like one. The key
 * is not, so that it stays when masking learns a new shape; it must not be shown.
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

/** Masked with as much around what is read: the longest secret is a private key. */
const secretUnitsMax = 8_000;

function readEnd(error: string, unitsMax: number): NormalisedError {
  const plain = plainText(error, unitsMax);
  const { text, codes: kept } = markVariables(readQuotes(plain));
  const segments = segmentsOf(text);
  const speakers = speakersOf(plain);
  const from = startOfEnd(segments, speakers, weightOfKey);
  const end = segments.slice(from).filter(isTelling);
  const codes = new Set(kept.flatMap(wordsOf));
  const told = end.flatMap(({ words }) => words).filter((word) => !codes.has(word));
  const isTold = new Set(told);
  const context = contextOf(segments.slice(0, from), codes).filter((word) => !isTold.has(word));
  return {
    key: [...new Set(context), '|', ...told].join(' ').replace(/^\|\s?$/, ''),
    title: titleOf(segments, startOfEnd(segments, speakers, weightOfTitle)) || wordless,
    weight: end.reduce((sum, { weight }) => sum + weight, 0),
  };
}

const capability = /(?<![\p{L}\p{N}:_-])(\p{L}[\p{L}\p{N}:_-]{1,60})@v?\d/gu;

/** A chain of calls has a few; each is looked for in each segment. */
const speakersMax = 32;

/** Capabilities speak of what failed; a trigger only of what began. */
function speakersOf(plain: string): readonly string[] {
  if (!plain.includes('@')) return [];
  const names = [...plain.matchAll(capability)].map(([, name = '']) => name).filter((name) => !/trigger/i.test(name));
  return [...new Set(names)].slice(-speakersMax);
}

/**
 * From the end towards the beginning, until enough is said, or until the capability that says it: what stands before
 * that is the workflow's own wrapping. A standard directly before belongs to the end, as in `ERC20: insufficient …`.
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

/** Of what is cut: the last place on the web and the codes, since they are part of the fault. */
function contextOf(cut: readonly Segment[], codes: ReadonlySet<string>): readonly string[] {
  const place = cut.findLast(({ isPlace }) => isPlace);
  return [...(place?.words ?? []), ...codes];
}

/** The end, with the HTTP status and the address directly before it, as far as there is room. */
function titleOf(segments: readonly Segment[], from: number): string {
  let start = from;
  while (start > 0 && (segments[start - 1]?.isPlace || segments[start - 1]?.isStatus)) start -= 1;
  const shown = segments
    .slice(start)
    .filter(isTelling)
    .map(({ text }) => text);
  let first = shown.length - 1;
  let units = shown[first]?.length ?? 0;
  for (; first > 0; first -= 1) {
    units += (shown[first - 1]?.length ?? 0) + separator.length;
    if (units > titleUnitsMax) break;
  }
  return clipped(shown.slice(Math.max(0, first)).join(separator));
}

function clipped(title: string): string {
  const letters = [...title];
  if (letters.length <= titleUnitsMax) return title;
  const cut = letters.slice(0, titleUnitsMax - 1).join('');
  return `${cut.replace(/\s\S{0,30}$/, '').replace(/[\s,;:(…-]{1,10}$/, '')}…`;
}
