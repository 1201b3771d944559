/** Reduces an error's text to a key that equal faults share and a title that people read. */
import { comparableText } from '../../../shared/redaction/redact.ts';
import { isPlaceholder, namedPlaceholders, nameOpening } from './placeholders.ts';
import { bothEnds, plainText } from './plain-text.ts';
import { readQuotes } from './quotes.ts';
import { markVariables } from './variables.ts';
import { commonWords, fillerWords, machineNouns, severityWords, termPattern, wrapperWords } from './vocabulary.ts';

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
const anyPlaceholder = /[…\ue010-\ue018]/;

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

/** The last web address and the codes in the segments that are cut: they are part of the fault. */
function contextOf(cut: readonly Segment[], codes: ReadonlySet<string>): readonly string[] {
  const address = cut.findLast(({ isAddress }) => isAddress);
  return [...(address?.words ?? []), ...codes];
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

export type Segment = {
  readonly text: string;
  /** Lower case, singular, without fillers and variables. */
  readonly words: readonly string[];
  /** 1 for a specific word, a fraction for a common one, 0 for a wrapping one. */
  readonly weight: number;
  readonly isWrapper: boolean;
  /** Contains a web address, as in `POST ledger.example/v2/payouts`. */
  readonly isAddress: boolean;
  /** An HTTP status with its phrase. */
  readonly isStatus: boolean;
};

const commonWeight = 0.25;
/** `NullPointerException` names a fault by itself. */
const classWeight = 1.5;
/** So does an error name of a contract or an SDK, alone or with arguments: `InvalidForwarder(…)`. */
const namesError = /(?:^|[\s:])[A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,8}(?:\(|$)/;
const nameWeight = 0.5;

const boundary =
  /(?:[:：](?=\s(?!\s{0,3}[…\ue010-\ue018]\s{0,3}(?:[,;)]|$|[\p{L}_]{1,40}[:=]|(?:for|in|at|of|to|on|is|was|not)\b))|$|[…\ue010-\ue018])|(?<=^(?:\[[^\]\n]{1,80}\]\s?){1,3})\s|\n|\s(?:->|=>|<-|→|←|—|–|-|\|)\s|\bnested exception is\b|\bcaused by\b:?|\bexception in thread\s(?:[…\ue010-\ue018]|\S{1,80})|\blast error\b:?)/giu;

/** Replaces a colon inside brackets: the text there belongs to the words before the brackets. */
const innerColon = '\ue000';

/** Colons inside closed brackets do not separate segments. Linear. */
function withInnerColons(text: string): string {
  if (!/[([{]/.test(text)) return text;
  const open: number[] = [];
  const hidden = new Uint8Array(text.length);
  const colons: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at] ?? '';
    if ('([{'.includes(unit)) open.push(at);
    else if (')]}'.includes(unit)) hideWithin(open.pop(), colons, hidden);
    else if (unit === ':' && open.length > 0) colons.push(at);
  }
  return text.replace(/:/g, (colon, at: number) => (hidden[at] === 1 ? innerColon : colon));
}

/** Removes each colon from the list once, for the innermost brackets around it. */
function hideWithin(start: number | undefined, colons: number[], hidden: Uint8Array): void {
  while (start !== undefined && (colons.at(-1) ?? -1) > start) hidden[colons.pop() ?? 0] = 1;
}

/** @param marked with a placeholder for each variable */
export function segmentsOf(marked: string): readonly Segment[] {
  const texts = withInnerColons(withoutAsides(marked))
    .split(boundary)
    .map((text) => tidied(text.replaceAll(innerColon, ':')))
    .filter((text) => text !== '');
  const read = texts.map(segmentOf);
  const keys = new Set<string>();
  const distinct = read.reduceRight<Segment[]>((unique, segment) => {
    const key = segment.words.join(' ');
    if (key !== '' && !keys.has(key)) unique.push(segment);
    keys.add(key);
    return unique;
  }, []);
  const ordered = distinct.reverse();
  const lastTelling = ordered.findLastIndex(({ isWrapper }) => !isWrapper);
  return lastTelling < 0 ? ordered : withoutEmptyEnd(ordered, lastTelling);
}

/** A request to somebody, or the result of the fault: neither names it. */
const advice =
  /^(?:please |kindly )?(?:contact (?:your|the|us|our|support|admin\w*|\S{1,60}@)|see (?:https?|the|our|\S{1,60}\/)|refer to|consult|visit |check (?:your|that|the (?:log|doc|server)\w*)|try again|retry (?:later|your|the|in|again)|verify (?:your|that)|make sure|ensure (?:that|the|your)|for (?:more|further) |more info|(?:the |this )?transaction (?:was |has been |is )?(?:rolled back|aborted)|(?:all )?changes (?:were |have been )?rolled back|roll(?:ed|ing) back|rollback|no changes)/i;
const consequence = /^(?:giving up|gave up|retrying|aborting|aborted|stopping|stopped|exiting|will retry)/i;

/** Retry counters and ids at the very end have no meaning; `internal error` there may be the whole message. */
function withoutEmptyEnd(segments: readonly Segment[], lastTelling: number): readonly Segment[] {
  const isEmpty = ({ text, isWrapper }: Segment) =>
    isWrapper && (anyPlaceholder.test(text) || consequence.test(text) || advice.test(text));
  const lastFull = segments.findLastIndex((segment) => !isEmpty(segment));
  return segments.slice(0, Math.max(lastFull, lastTelling) + 1);
}

const aside =
  /(?<=^|\s)[([](?:[^\s()[\]]{1,40}\s{1,2})?(?:[^\s()[\]]{1,80}\s{0,2})?[…\ue010-\ue018](?:\s{0,2}\S{1,3}\s{1,2}[…\ue010-\ue018]|\s{0,2}\S{1,3})?\s{0,2}[)\]]/gmu;
const attempts =
  /[,;]?\s{0,2}\b(?:on |at )?(?:attempt|retry|try|retries)\b\s{0,2}(?:#|no\.?|number)?\s{0,2}[…\ue010-\ue018](?:\s{0,2}(?:of|\/|out of)\s{0,2}[…\ue010-\ue018])?/gi;
const afterAttempts = /\bafter […\ue010-\ue018] (?:more )?(?:attempts?|retries|retry|tries|try|times)\b/gi;
const nextAttempt =
  /[,;]?\s{0,2}\b(?:will )?(?:retry|retrying|retries|next|trying|try)(?: again)?(?: in| after| at)?:? […\ue010-\ue018]/gi;
const named =
  '(?:x[-_ ]?)?(?:request|req|trace|span|correlation|session|execution|invocation|run|job|task|event|operation|host|client|ray|workflow|activity)[-_ ]?(?:id|uuid|ref|number)\\b["\']?\\s{0,2}[:=#]?\\s{0,2}[…\ue010-\ue018]';
const idAfterComma = new RegExp(`[,;|]\\s{0,2}(?:with |for )?${named}`, 'gi');
const ids =
  /(?:[\s.,](?:trace|correlation|request|activity|host)[ _-]?id:? ?[…\ue010-\ue018]|[\s,]timestamp:? ?[…\ue010-\ue018](?: ?[…\ue010-\ue018])?){1,6}(?=\s{0,2}(?:[)\].,;]|$))/gim;
const idAtEnd = new RegExp(`\\s(?:with |for )?${named}(?=\\s{0,2}(?:[)\\].,;]|$))`, 'gim');
const repeated = /(?<![\p{L}…\ue010-\ue018])([…\ue010-\ue018])(?:[\s,/x×.-]{0,3}[…\ue010-\ue018]){1,200}/gu;

/** Brackets with one value and at most one word before it; counters of attempts; ids of the request. */
function withoutAsides(text: string): string {
  if (!anyPlaceholder.test(text)) return text;
  return [aside, attempts, afterAttempts, nextAttempt, ids, idAfterComma, idAtEnd]
    .reduce((left, pattern) => left.replace(pattern, ' '), text)
    .replace(repeated, '$1');
}

function tidied(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/([…\ue010-\ue018]) [%‰]/g, '$1')
    .replace(/ ([,.;:)])/g, '$1')
    .replace(/^[\s.,;:!?|*=/-]{1,20}|[\s.,;:!|*=-]{1,20}$/g, '')
    .trim();
}

function segmentOf(text: string): Segment {
  const all = wordsOf(text);
  const first = all.findIndex((word) => !severityWords.has(word));
  const words = first > 0 ? all.slice(first) : all;
  const distinct = [...new Set(words)];
  const plain = text.replace(/\ue001[^\ue001\ue002]{0,200}\ue002/g, ' ');
  const names = plain === text ? 0 : 1;
  const subject = wordsOf(plain.includes('(') ? plain.replace(/(?<=\s)\([^()]{0,400}\)/g, ' ') : plain);
  const generic = genericNames(plain);
  const sum =
    [...new Set(subject)].reduce((sum, word) => sum + (generic.has(word) ? nameWeight : weightOf(word)), 0) +
    (namesError.test(plain) && generic.size === 0 ? nameWeight : 0) +
    names;
  const weight = isData(text) ? 0 : sum;
  return {
    text,
    words,
    weight,
    isWrapper: distinct.every((word) => wrapperWords.has(word)) || advice.test(text),
    isAddress:
      text.includes('/') && /(?:^|\s)[\p{L}\p{N}…\ue010-\ue018-]+(?:\.[\p{L}…\ue010-\ue018-]+)+\/\S/u.test(text),
    isStatus: /^(?:http\s)?[1-5]\d\d\b/i.test(text),
  };
}

/** `AccessDenied` and `NotFound` name no subject: what was denied or not found is said before. */
function genericNames(text: string): ReadonlySet<string> {
  const names = text.match(/\b[A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,8}\b/g) ?? [];
  const isCommon = (part: string) => commonWords.has(part.toLowerCase()) || wrapperWords.has(part.toLowerCase());
  return new Set(
    names
      .filter((name) => (name.match(/[A-Z][a-z]+/g) ?? []).every(isCommon))
      .map((name) => singular(name.toLowerCase())),
  );
}

const phraseEnd = /[,;] |(?<=[…\ue010-\ue018]) (?=[\p{L}_]{1,40}[:=])/u;
const namedValue = /^(?:[\p{L}_]{1,40}(?:[:=]\s?|\s))?[\p{L}_]{1,80}[:=]?\s?-?[…\ue010-\ue018]\p{L}{0,5}$/u;
const comparison = /[…\ue010-\ue018]\s?(?:[<>]=?|[!=]=|≤|≥)\s?[…\ue010-\ue018]/;

/** Only named values, as in `have …, want …` or `tx: … state: …`, or a comparison: the fault is described before them. */
function isData(text: string): boolean {
  if (comparison.test(text)) return true;
  const phrases = text.split(phraseEnd);
  return phrases.length > 1 && phrases.every((phrase) => namedValue.test(phrase));
}

function weightOf(word: string): number {
  if (wrapperWords.has(word)) return 0;
  if (commonWords.has(word) || /^\d+$/.test(word)) return commonWeight;
  if (/\p{L}(?:exception|error)$/u.test(word)) return classWeight;
  return isUnspaced(word) ? Math.ceil(word.length / 2) : 1;
}

function isUnspaced(word: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(word);
}

/** @returns the words for comparing texts: lower case, singular, without fillers, variables and names of machines */
export function wordsOf(text: string): readonly string[] {
  const steady = text.normalize('NFC').toLowerCase().replace(/['’]/g, '');
  const named = anyPlaceholder.test(steady) ? steady.replace(numbered, withoutMachine) : steady;
  const found: string[] = [];
  for (const [all] of named.matchAll(/\ue001[^\ue001\ue002]*\ue002|[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu)) {
    if (all.startsWith(nameOpening)) found.push(...nameParts(all));
    else if (!fillerWords.has(singular(all))) found.push(singular(all));
  }
  return found;
}

/** All parts of a quoted name: none of them is a filler. */
function nameParts(name: string): readonly string[] {
  return (name.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map(singular);
}

const numbered = /\b(\p{L}{3,12})s?[\s_#-]{0,2}[…\ue010-\ue018]/gu;

function withoutMachine(all: string, noun: string): string {
  return machineNouns.has(noun) ? ' ' : all;
}

function singular(word: string): string {
  return word.length > 3 && /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}
