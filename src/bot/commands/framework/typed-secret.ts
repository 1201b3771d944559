/** Detects keys and other random text among typed words, so that they are neither parsed, repeated nor passed on. */
import { holdsSecret } from '../../../shared/redaction/redact.ts';

/** Ids that people paste on purpose: uuids, chain addresses and hashes; a bare hash is a workflow's or an execution's. */
const ids =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{1,128}(?![0-9a-z])|(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const run = /[A-Za-z0-9+/_=-]+/g;
const runUnitsMin = 20;
/** Smallest number of different characters. */
const kindsMin = 8;
/** A letter beside a digit, or a capital after a small letter. */
const change = /[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])|[a-z](?=[A-Z])/g;
/** Changes per character: 0.1 in names, 0.4 in random text of letters and digits. Names of many short parts reach more. */
const changeRateMin = { inOnePart: 0.2, inShortParts: 0.35 };
const longPart = /[A-Za-z0-9+/=]{12}/;
const oneCase = /^(?:[a-z]+|[A-Z]+)$/;
const unspeakable = /[b-df-hj-np-tv-xz]{5}/i;
/** Capitals where no word begins. */
const scatteredCapitals = /[a-z][A-Z][a-z][A-Z]|[A-Z][a-z][A-Z]{2}[a-z]|[a-z][A-Z]{2}[a-z][A-Z]/;

/** @returns whether a line of these words holds a key by its shape, or a long random text */
export function hasTypedSecret(words: readonly string[]): boolean {
  return words.some((word) => holdsSecret(word) || looksRandom(word)) || holdsSecret(words.join(' '));
}

/** @returns whether a part of 20 characters or more changes between capitals, small letters and digits as no name does */
function looksRandom(word: string): boolean {
  const runs = word.replace(ids, ' ').match(run) ?? [];
  return runs.some((text) => {
    if (text.length < runUnitsMin || new Set(text).size < kindsMin) return false;
    if (oneCase.test(text)) return unspeakable.test(text);
    if (/^[A-Za-z]+$/.test(text)) return scatteredCapitals.test(text);
    const rateMin = longPart.test(text) ? changeRateMin.inOnePart : changeRateMin.inShortParts;
    return (text.match(change) ?? []).length >= text.length * rateMin;
  });
}

/** Longer words are not repeated; every command name is shorter. */
const repeatedUnitsMax = 20;

/** @returns whether an unknown word is safe to repeat: short and without digits, so not a key */
export function mayRepeat(word: string): boolean {
  return word.length <= repeatedUnitsMax && !/\d/.test(word);
}
