/** Reduces an error's text to a key that equal faults share and a title that people read. */

import { createLruCache, type LruCache } from '../../../shared/cache/lru-cache.ts';
import { comparableText } from '../../../shared/redaction/redact.ts';
import { namedPlaceholders } from './placeholders.ts';
import { bothEnds, plainText } from './plain-text.ts';
import { readQuotes } from './quotes.ts';
import { type Segment, segmentsOf } from './segments.ts';
import { markVariables } from './variables.ts';
import { serverErrorCodes, squashed, termPattern } from './vocabulary.ts';
import { wordsOf } from './words.ts';

export type NormalisedError = {
  /** Words only; empty when the error has none. */
  readonly key: string;
  readonly title: string;
  /** How specific the error is. */
  readonly weight: number;
};

/** The end of a chain identifies a fault once it contains one specific word and two common ones. */
const weightOfKey = 1.5;
/** One specific word is enough if only the caller is named before: an action, a method, the class of the error. */
const weightAfterCaller = 1;
/** A title needs a little more than a key. */
const weightOfTitle = 3;
/** Words of a long message that are compared: its end may have been cut. */
const wordsMax = 14;
const wordless = 'an error without words';

/**
 * The title is read from the masked text: a part of a secret no longer looks like one. The key is read from the original text,
 * so that it does not change with the masking rules; it must not be shown.
 *
 * @param unitsMax how much of the error is read @param readings errors alike are read once
 * @returns what equal faults share; linear in the text's length, never throws
 */
export function normaliseError(error: string, unitsMax: number, readings = createReadings()): NormalisedError {
  const read = readEnd(error, unitsMax, readings);
  const near = bothEnds(error, unitsMax + secretUnitsMax, unitsMax + secretUnitsMax);
  const safe = comparableText(near);
  return safe === near ? read : { ...read, title: readEnd(safe, unitsMax, readings).title };
}

/** Text around the part that is read, masked with it: the longest secret is a private key. */
const secretUnitsMax = 8_000;

function readEnd(error: string, unitsMax: number, readings: Readings): NormalisedError {
  const plain = plainText(error, unitsMax);
  const bare = plain.replace(sqlState, '').replace(detailsAtEnd, '');
  if (bare === plain) return readPlain(plain, readings);
  const read = readPlain(bare, readings);
  if (read.weight < weightOfKey) return readPlain(plain, readings);
  const details = detailsAtEnd.exec(plain)?.[0].slice(detailsLabel.length) ?? '';
  return { ...read, title: titleWith(read.title, details, readings) };
}

/** Drivers add the state and the number of an SQL error, or leave them out: they matter only where the message is vague. */
const sqlState = /\s?\(SQLSTATE [\dA-Z]{5}\)|\bError \d{4} \([\dA-Z]{5}\):\s/g;
/** The node's own words below the library's: they matter only where the library's are vague. */
const detailsAtEnd = /\nDetails: [^\n]{0,4000}(?:\n[^\n]{0,400}){0,8}$/;

const detailsLabel = '\nDetails: ';

/** A key leaves the node's own words out; a title has them where both fit and differ. */
function titleWith(title: string, details: string, readings: Readings): string {
  const said = readPlain(details.split('\n')[0] ?? '', readings).title;
  const isSaid = said === wordless || squashed(title).includes(squashed(said));
  return isSaid || title.length + said.length + 2 > titleUnitsMax ? title : `${title}: ${said}`;
}

/** Errors that were read. Those of one cause are alike once their variables are marked, so most of them are read once. */
export type Readings = LruCache<NormalisedError>;

export function createReadings(): Readings {
  return createLruCache<NormalisedError>({ entriesMax: 500 });
}

function readPlain(plain: string, readings: Readings): NormalisedError {
  const { text, codes } = markVariables(readQuotes(plain));
  const key = JSON.stringify([text, codes]);
  const known = readings.get(key);
  if (known) return known;
  const read = readMarked(text, codes);
  readings.set(key, read);
  return read;
}

function readMarked(text: string, codeTexts: readonly string[]): NormalisedError {
  const segments = segmentsOf(text);
  const from = startOfEnd(segments, weightOfKey);
  const end = segments.slice(from).filter(isTelling);
  const weight = end.reduce((sum, { weight }) => sum + weight, 0);
  const codes = new Set(codeTexts.flatMap(wordsOf));
  const ending = withoutCallers(end)
    .filter((segment, index, read) => !isBesideFault(segment, weight, read[index + 1]))
    .flatMap(({ words }) => words);
  const inEnding = new Set(ending);
  const isVague = weight < weightAfterCaller || inEnding.size < 2;
  const context = contextOf(segments.slice(0, from), codes, isVague).filter((word) => !inEnding.has(word));
  return {
    key: [...new Set(context), '|', ...ending.slice(0, wordsMax)].join(' ').replace(/^\|\s?$/, ''),
    title: titleOf(segments, startOfEnd(segments, weightOfTitle)) || wordless,
    weight,
  };
}

/** A message of two common words is compared without its callers: `price step`, `load markets`. */
const weightOfMessage = 0.25;
/** An action says more than a place of the workflow: it stays longer. */
const weightAfterAction = 0.75;

function withoutCallers(end: readonly Segment[]): readonly Segment[] {
  const weightAfter = (index: number) => end.slice(index + 1).reduce((sum, { weight }) => sum + weight, 0);
  const first = end.findIndex(
    ({ isPlace, isAction }, index) =>
      !(isPlace || isAction) || weightAfter(index) < (isPlace ? weightOfMessage : weightAfterAction),
  );
  return first > 0 ? end.slice(first) : end;
}

/** Values, codes and actions beside a fault that is described. */
function isBesideFault({ isData, isPlainAction, text }: Segment, weight: number, next: Segment | undefined): boolean {
  return (
    (isData || (isPlainAction && next?.isData === false)) && weight >= (/\d/.test(text) ? weightAfterCaller : 0.25)
  );
}

/**
 * Walks from the end to the beginning until the text is specific enough, or a capability's own message begins: the text before
 * that is the workflow's wrapping. A standard directly before it belongs to the end, as in `ERC20: insufficient …`.
 */
function startOfEnd(segments: readonly Segment[], weightEnough: number): number {
  let weight = 0;
  let from = segments.length;
  while (from > 0 && weight < weightEnough && !(weight > 0 && segments[from]?.isOfCapability)) {
    from -= 1;
    const segment = segments[from];
    if (segment === undefined) break;
    const isLastRequest = from === segments.length - 1 && segment.isAddress;
    weight += isLastRequest ? 0 : segment.weight;
    if (
      weightEnough === weightOfKey &&
      !isLastRequest &&
      segment.weight >= weightAfterCaller &&
      isCalled(segments, from)
    )
      break;
  }
  while (from < segments.length - 1 && segments[from]?.isWrapper) from += 1;
  return termPattern.test(segments[from - 1]?.words.join(' ') ?? '') ? from - 1 : from;
}

const callersMax = 4;

/** Returns true if only the caller is named before a segment. */
function isCalled(segments: readonly Segment[], from: number): boolean {
  const before = segments.slice(Math.max(0, from - callersMax), from);
  return before.findLast(({ isData, isWrapper }) => !isData && !isWrapper)?.isCaller ?? false;
}

const genericCodes: ReadonlySet<string> = new Set(serverErrorCodes.flatMap(wordsOf));

/**
 * The names directly before the end, unless an action was about them and the end says what went wrong. If the end is vague, the codes too: a specific message has one code, which some
 * clients add and others leave out; a code in brackets at the beginning belongs to it.
 */
function contextOf(cut: readonly Segment[], codes: ReadonlySet<string>, isVague: boolean): readonly string[] {
  const labels = cut.filter(({ text }) => /^\[(?!http )[^\]]{1,20}\]$/i.test(text)).flatMap(({ words }) => words);
  const isKnown = (code: string) =>
    !genericCodes.has(code) && (isVague || labels.includes(code) || /^0x[0-9a-f]{8}$/.test(code));
  const nearest = cut.findLast(({ isWrapper }) => !isWrapper);
  const isBesides = !isVague && nearest?.isAction === true && /^\p{Ll}/u.test(nearest.text);
  return [...(isBesides ? [] : (nearest?.names ?? [])), ...[...codes].filter(isKnown)];
}

const titleUnitsMax = 120;
/** Before the first segment no separator is shown, of which the shortest is `: `. */
const separatorUnits = 2;

/** The end, and as much as fits: first what says something, then codes and addresses before it, values, and what was done. */
export function titleOf(segments: readonly Segment[], from: number): string {
  const end = segments.slice(from).filter(isTelling).toReversed();
  const before = segments.slice(0, from).toReversed();
  const shown = new Map<Segment, string>();
  let unitsLeft = titleUnitsMax + separatorUnits;
  const show = (segment: Segment, unitsMin = Number.POSITIVE_INFINITY) => {
    const text = shownText(segment);
    const units = unitsLeft - segment.joint.length;
    const head = text.length <= units ? text : cutAt(text, Math.max(1, units));
    if (shown.has(segment) || (head !== text && head.length < unitsMin)) return shown.has(segment);
    unitsLeft = units - head.length;
    shown.set(segment, head);
    return true;
  };
  const telling = end.some(({ weight }) => weight > 0) ? end.filter(({ weight }) => weight > 0) : end;
  const [last] = telling;
  const named = until(before, (one) => !isShownBefore(one) && !isException.test(one.text)).filter(({ text }) =>
    tellingClass.test(text),
  );
  const [longest] = named.toSorted((one, other) => other.text.length - one.text.length);
  if (last && longest && shownText(last).length > titleUnitsMax - 60) show(longest);
  const unfit = telling.find((segment) => !show(segment));
  if (unfit && unfit === last) show(unfit, 0);
  for (const segment of until(before, (one) => !isShownBefore(one))) show(segment);
  for (const segment of end) if (!telling.includes(segment)) show(segment);
  if (unfit) show(unfit, headUnitsMin);
  else if (!end.some(isOfCapability))
    for (const segment of until(before, isOfCapability)) if (isTold(segment)) show(segment);
  return segments
    .filter((segment) => shown.has(segment))
    .map((segment, index) => `${index > 0 ? segment.joint : ''}${shown.get(segment)}`)
    .join('');
}

function isOfCapability(segment: Segment): boolean {
  return segment.isOfCapability;
}

function until(segments: readonly Segment[], isOver: (segment: Segment) => boolean): readonly Segment[] {
  const end = segments.findIndex(isOver);
  return end < 0 ? segments : segments.slice(0, end);
}

/** Keeps the beginning of a segment of the end if at least this much of it fits. */
const headUnitsMin = 24;

function isTold({ isWrapper, weight, text, words }: Segment): boolean {
  return (
    !isWrapper &&
    weight > 0 &&
    !/[\ue010-\ue018] reverted$/.test(text) &&
    (words.length > 1 || /^[\p{Lu}\p{Lo}]/u.test(text)) &&
    !/^(?:\w+ )?error -?\d+/i.test(text)
  );
}

/** An HTTP status, an address, or a code alone, as in `NoSuchKey:` and `AADSTS700016:`. */
function isShownBefore({ isAddress, isStatus, text }: Segment): boolean {
  return (
    isAddress ||
    isStatus ||
    /^code \S{1,60}$|^[A-Z][A-Z\d_]{3,40}$|^[A-Z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,6}$/.test(text)
  );
}

/** `RecordTooLargeException` says more than the end of a long message. */
const tellingClass =
  /(?:^|\.)(?:[A-Z][a-z]{1,40}){2,8}(?:Exception|Error)$|^code [A-Za-z]{2,20}(?:_[A-Za-z]{2,20}){1,6}$/;
/** A class of exceptions; a title has it without its package. */
const isException = /^(?:[a-zA-Z]\w{0,40}\.){0,8}[A-Z]\w{1,80}(?:Exception|Error)$/;

function shownText({ text }: Segment): string {
  return isException.test(text) ? text.slice(text.lastIndexOf('.') + 1) : namedPlaceholders(text);
}

/** @returns the beginning, at the end of a word */
function cutAt(text: string, unitsMax: number): string {
  const cut = [...text].slice(0, unitsMax - 1).join('');
  return `${cut.replace(/\s\S{0,30}$/, '').replace(/[\s,;:(…\ue010-\ue018-]{1,10}$/, '')}…`;
}

/** Returns false for wrapping text, unless it is the last. */
function isTelling({ isWrapper }: Segment, index: number, all: readonly Segment[]): boolean {
  return !isWrapper || index === all.length - 1;
}
