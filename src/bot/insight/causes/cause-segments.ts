/** The links of an error's wrapping chain, and how much each says. */
import { commonWords, fillerWords, machineNouns, severityWords, wrapperWords } from './vocabulary.ts';

export type Segment = {
  readonly text: string;
  /** Folded, without fillers and variables. */
  readonly words: readonly string[];
  /** A word that other faults do not share is 1, a common one a little, a wrapping one nothing. */
  readonly weight: number;
  readonly isWrapper: boolean;
  /** Names a place on the web, as in `POST ledger.example/v2/payouts`. */
  readonly isPlace: boolean;
  /** An HTTP status with its phrase. */
  readonly isStatus: boolean;
};

const commonWeight = 0.25;
/** `NullPointerException` names a fault by itself. */
const classWeight = 1.5;
/** So does a name as contracts and SDKs give their errors, alone or with arguments: `InvalidForwarder(…)`. */
const namesError = /(?:^|[\s:])[A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,8}(?:\(|$)/;
const nameWeight = 0.5;

const boundary =
  /(?:[:：](?=\s(?!\s{0,3}…\s{0,3}(?:[,;)]|$))|$|…)|(?<=^(?:\[[^\]\n]{1,80}\]\s?){1,3})\s|\n|\s(?:->|=>|<-|→|←|—|–|-|\|)\s|\bnested exception is\b|\bcaused by\b:?|\bexception in thread\s(?:…|\S{1,80})|\blast error\b:?)/gi;

/** Stands for a colon inside brackets: what is said there belongs to the words before the brackets. */
const innerColon = '\ue000';

/** Colons between brackets that close again divide nothing; linear. */
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

/** Each colon is taken off the list once, by the innermost brackets around it. */
function hideWithin(start: number | undefined, colons: number[], hidden: Uint8Array): void {
  while (start !== undefined && (colons.at(-1) ?? -1) > start) hidden[colons.pop() ?? 0] = 1;
}

/** @param marked with each variable as `…` */
export function segmentsOf(marked: string): readonly Segment[] {
  const texts = withInnerColons(withoutAsides(marked))
    .split(boundary)
    .map((text) => tidied(text.replaceAll(innerColon, ':')))
    .filter((text) => text !== '');
  const read = texts.map(segmentOf);
  const seen = new Set<string>();
  const distinct = read.reduceRight<Segment[]>((kept, segment) => {
    const key = segment.words.join(' ');
    if (key !== '' && !seen.has(key)) kept.push(segment);
    seen.add(key);
    return kept;
  }, []);
  const ordered = distinct.reverse();
  const lastTelling = ordered.findLastIndex(({ isWrapper }) => !isWrapper);
  return lastTelling < 0 ? ordered : withoutEmptyEnd(ordered, lastTelling);
}

const consequence = /^(?:giving up|gave up|retrying|aborting|aborted|stopping|stopped|exiting|will retry)/i;

/** Retry counters and ids at the very end say nothing; `internal error` there may be all that is said. */
function withoutEmptyEnd(segments: readonly Segment[], lastTelling: number): readonly Segment[] {
  const isEmpty = ({ text, isWrapper }: Segment) => isWrapper && (text.includes('…') || consequence.test(text));
  const lastFull = segments.findLastIndex((segment) => !isEmpty(segment));
  return segments.slice(0, Math.max(lastFull, lastTelling) + 1);
}

const aside =
  /(?<=^|\s)[([](?:[^\s()[\]]{1,40}\s{1,2})?(?:[^\s()[\]]{1,80}\s{0,2})?…(?:\s{0,2}\S{1,3}\s{1,2}…|\s{0,2}\S{1,3})?\s{0,2}[)\]]/gmu;
const attempts =
  /[,;]?\s{0,2}\b(?:on |at )?(?:attempt|retry|try|retries)\b\s{0,2}(?:#|no\.?|number)?\s{0,2}…(?:\s{0,2}(?:of|\/|out of)\s{0,2}…)?/gi;
const afterAttempts = /\bafter … (?:more )?(?:attempts?|retries|retry|tries|try|times)\b/gi;
const nextAttempt =
  /[,;]?\s{0,2}\b(?:will )?(?:retry|retrying|retries|next|trying|try)(?: again)?(?: in| after| at)?:? …/gi;
const named =
  '(?:x[-_ ]?)?(?:request|req|trace|span|correlation|session|execution|invocation|run|job|task|event|operation|host|client|ray|workflow|activity)[-_ ]?(?:id|uuid|ref|number)\\b["\']?\\s{0,2}[:=#]?\\s{0,2}…';
const idAfterComma = new RegExp(`[,;|]\\s{0,2}(?:with |for )?${named}`, 'gi');
const idAtEnd = new RegExp(`\\s(?:with |for )?${named}(?=\\s{0,2}(?:[)\\].,;]|$))`, 'gim');
const repeated = /(?<![\p{L}…])…(?:[\s,/x×.-]{0,3}…){1,200}/gu;

/** Asides in brackets with one value and at most one word before it; counters of attempts; ids of the request. */
function withoutAsides(text: string): string {
  if (!text.includes('…')) return text;
  return [aside, attempts, afterAttempts, nextAttempt, idAfterComma, idAtEnd]
    .reduce((left, pattern) => left.replace(pattern, ' '), text)
    .replace(repeated, '…');
}

function tidied(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/… [%‰]/g, '…')
    .replace(/ ([,.;:)])/g, '$1')
    .replace(/^[\s.,;:!?|*=/-]{1,20}|[\s.,;:!|*=-]{1,20}$/g, '')
    .trim();
}

function segmentOf(text: string): Segment {
  const all = wordsOf(text);
  const first = all.findIndex((word) => !severityWords.has(word));
  const words = first > 0 ? all.slice(first) : all;
  const distinct = [...new Set(words)];
  const subject = text.includes('(') ? wordsOf(text.replace(/(?<=\s)\([^()]{0,400}\)/g, ' ')) : all;
  const said =
    [...new Set(subject)].reduce((sum, word) => sum + weightOf(word), 0) + (namesError.test(text) ? nameWeight : 0);
  const weight = isData(text) ? 0 : said;
  return {
    text,
    words,
    weight,
    isWrapper: distinct.every((word) => wrapperWords.has(word)),
    isPlace: text.includes('/') && /(?:^|\s)[\p{L}\p{N}…-]+(?:\.[\p{L}…-]+)+\/\S/u.test(text),
    isStatus: /^(?:http\s)?[1-5]\d\d\b/i.test(text),
  };
}

/** Nothing but named values, as in `have …, want …` or `address …, baseFee: …`: what is wrong stands before them. */
function isData(text: string): boolean {
  const parts = text.split(/[,;] /);
  return (
    parts.length > 1 &&
    parts.every((part) => /^(?:[\p{L}_]{1,40}(?:[:=]\s?|\s))?[\p{L}_]{1,80}[:=]?\s?-?…\p{L}{0,5}$/u.test(part))
  );
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

/** @returns the words by which texts are compared: lower case, singular, without fillers, variables and machines' names */
export function wordsOf(text: string): readonly string[] {
  const steady = text.normalize('NFC').toLowerCase().replace(/['’]/g, '');
  const named = steady.includes('…') ? steady.replace(numbered, withoutMachine) : steady;
  return (named.match(/[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu) ?? [])
    .map(singular)
    .filter((word) => !fillerWords.has(word));
}

const numbered = /\b(\p{L}{3,12})s?[\s_#-]{0,2}…/gu;

function withoutMachine(all: string, noun: string): string {
  return machineNouns.has(noun) ? ' ' : all;
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
