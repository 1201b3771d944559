/** Finds recovery phrases without a name: twelve and more words of BIP-39 in a row, most of them different, in any kind of list. */
import { recoveryWords } from './generated/recovery-words.ts';
import type { Finder, SecretMatch } from './marks.ts';

const known = new Set(recoveryWords.split(/\s/));
const wordsMin = 12;
const wordsMax = 24;
const wordUnits = { min: 3, max: 8 };
/** Between words: blanks, commas, quotes, numbers of a list, line breaks. */
const gapMax = 14;

/** One hit: the text is read once. */
const phraseHints = /^[\s\S]/g;

function findPhrases(text: string): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  let [runStart, runEnd, count] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    if (!isLetter(text.charCodeAt(at))) continue;
    const start = isEscape(text, at) ? at + 1 : at;
    while (isLetter(text.charCodeAt(at + 1))) at += 1;
    const units = at + 1 - start;
    const isShort = units >= wordUnits.min && units <= wordUnits.max;
    if (!isShort || start - runEnd > gapMax) {
      if (count >= wordsMin) found.push(...phrasesIn(text, runStart, runEnd));
      count = 0;
    }
    if (!isShort) continue;
    if (count === 0) runStart = start;
    runEnd = at + 1;
    count += 1;
  }
  if (count >= wordsMin) found.push(...phrasesIn(text, runStart, runEnd));
  return found;
}

/** @returns the phrases among short words that follow each other */
function phrasesIn(text: string, from: number, until: number): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  let [start, end, count] = [0, 0, 0];
  const distinct = new Set<string>();
  const close = () => {
    if (count >= wordsMin && distinct.size > count / 2) found.push({ kind: 'recovery phrase', start, end });
    count = 0;
    distinct.clear();
  };
  for (const { 0: word, index } of text
    .slice(from, until)
    .matchAll(/(?<!\\)[A-Za-z]{3,8}|(?<=\\[nrt])[A-Za-z]{3,8}/g)) {
    const lower = word.toLowerCase();
    if (count === wordsMax || !known.has(lower)) close();
    if (!known.has(lower)) continue;
    distinct.add(lower);
    if (count === 0) start = from + index;
    end = from + index + word.length;
    count += 1;
  }
  close();
  return found;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** The letter of an escaped line break: `\n`. */
function isEscape(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) === 92 && 'nrt'.includes(text[at] ?? '');
}

export const phraseFinders: readonly Finder[] = [{ hints: phraseHints, find: findPhrases }];
