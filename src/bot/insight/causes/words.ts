/** The words of a text as they are compared, and how specific each is. */
import { nameOpening } from './placeholders.ts';
import { commonWords, fillerWords, wrapperWords } from './vocabulary.ts';

/** `NullPointerException` names a fault by itself. */
export const classWeight = 1.5;
const commonWeight = 0.25;

/** @returns 1 for a specific word, a fraction for a common one, 0 for a wrapping one */
export function weightOf(word: string): number {
  if (wrapperWords.has(word)) return 0;
  if (commonWords.has(word) || /^\d+$/.test(word)) return commonWeight;
  if (/\p{L}(?:exception|error)$/u.test(word)) return classWeight;
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(word) ? Math.ceil(word.length / 2) : 1;
}

/** @returns how specific a text is: the sum over its distinct words */
export function weightOfText(text: string): number {
  return [...new Set(wordsOf(text))].reduce((sum, word) => sum + weightOf(word), 0);
}

/** @returns the words for comparing texts: lower case, singular, without fillers, variables and names of machines */
export function wordsOf(text: string): readonly string[] {
  const steady = text.normalize('NFC').toLowerCase().replace(/['’]/g, '');
  const found: string[] = [];
  for (const [all] of steady.matchAll(/\ue001[^\ue001\ue002]*\ue002|[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu)) {
    if (all.startsWith(nameOpening)) found.push(...nameParts(all));
    else if (!fillerWords.has(all) && !fillerWords.has(singular(all))) found.push(singular(all));
  }
  return found;
}

/** All parts of a quoted name: none of them is a filler. */
export function nameParts(name: string): readonly string[] {
  return name.match(/[\p{L}\p{N}\p{M}]+/gu)?.map(singular) ?? [name.slice(2, -1)];
}

export function singular(word: string): string {
  return word.length > 3 && /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}
