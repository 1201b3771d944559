/** Which numbers and words with digits in them are codes of an error, so that they stay. */
import {
  capitalUnits,
  codePattern,
  codeWords,
  httpPhrase,
  labelNouns,
  unitWords,
  weakCodeWords,
} from './vocabulary.ts';

/** Where a word stands. */
export type WordContext = {
  /** The word before, lower case; `…` after a variable, empty at the beginning. */
  readonly previous: string;
  readonly before: string;
  readonly after: string;
  readonly isRevert: boolean;
};

/** A selector alone, or with arguments of 32 bytes each. */
export function isSelector(word: string, { isRevert, previous }: WordContext): boolean {
  return isRevert && !labelNouns.has(previous) && /^0x[0-9a-f]{8,}$/i.test(word) && (word.length - 10) % 64 === 0;
}

export function isNumberCode(word: string, place: WordContext): boolean {
  if (/^-3[12]\d{3}$/.test(word) || isHttpStatus(word, place)) return true;
  const announcer = announcerOf(place);
  const isCounted = /^\s{1,3}(?:of|out of)\b/i.test(place.after) || isUnit(place.after);
  if (isCounted || !codeWords.has(announcer)) return false;
  if (weakCodeWords.has(announcer)) return /^[1-5]\d\d$/.test(word);
  return /^-?\d{1,6}$/.test(word);
}

function announcerOf({ previous }: WordContext): string {
  return /^https?\/\d/.test(previous) ? 'http' : previous.replace(/^.*[^\p{L}]/u, '');
}

/** Before a reason phrase, at the very beginning, after an arrow, or after an address. */
function isHttpStatus(word: string, { previous, before, after }: WordContext): boolean {
  const isLabel = after.startsWith(':') && (labelNouns.has(previous) || previous.endsWith('id'));
  if (!/^[3-5]\d\d$/.test(word) || isLabel) return false;
  if (/(?:->|=>|→)\s?$/.test(before)) return true;
  const isAlone = previous === '' || /[./]/.test(previous);
  return httpPhrase.test(after) || (isAlone && /^\s*(?:$|[,;:.\n)\]])/.test(after));
}

function isUnit(after: string): boolean {
  const unit = /^\s{1,2}(\p{L}{1,8}|%)/u.exec(after)?.[1] ?? '';
  return unitWords.has(unit.toLowerCase()) || capitalUnits.has(unit);
}

/** Of a word of letters and digits. */
export function isWordCode(word: string, place: WordContext): boolean {
  return isCode(word) || isAnnouncedCode(word, place) || isLeadingCode(word, place);
}

/** `e1a2b3` has the look of a code and of an id; a code is longer only as MongoDB's `E11000`. */
function isCode(word: string): boolean {
  return codePattern.test(word) && (!/^[0-9a-f]{6,}$/i.test(word) || /^E\d{5}$/.test(word));
}

function isAnnouncedCode(word: string, place: WordContext): boolean {
  return (
    codeWords.has(announcerOf(place)) && /^(?:[a-z]{1,8}[-_]?\d{1,6}|[0-9a-z]{5})$/i.test(word) && !isLabelled(word)
  );
}

/** A capital prefix and a number that stand alone before a colon: `LEDGER-4021: account closed`. */
function isLeadingCode(word: string, { previous, after }: WordContext): boolean {
  const isAlone = previous === '' || previous.endsWith(':');
  return isAlone && /^[A-Z]{2,10}[-_]\d{3,5}$/.test(word) && after.startsWith(':') && !isLabelled(word);
}

/** Whether it begins with what an id is an id of, as `batch-17` does. */
export function isLabelled(word: string): boolean {
  return labelNouns.has(/^\p{L}*/u.exec(word)?.[0]?.toLowerCase() ?? '');
}
