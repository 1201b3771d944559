/** Judges the value that a name announces, by the way such values are written: one word, a scheme and a key, cookies, a phrase. */
import { cookieValues } from './cookies.ts';
import type { Finding } from './finding.ts';
import { isPassphrase, isPlaceholder, isSecretValue, type Strength } from './judge.ts';
import { markEnd } from './marks.ts';
import { type SecretName, secretName } from './names.ts';
import { bareEnd, lineEnd, readValue, skip, type Value, wholeEnd } from './values.ts';

/** YAML puts a long value below its name. */
const blockScalar = /[|>][+-]?[ \t]*(?:\n|\\n)[ \t]*/y;
const scheme = /(?:Bearer|Basic|Token|Api-?Key|Negotiate|NTLM|GenieKey|SSWS)(?:\s|%20|\+|=){1,4}/iy;
const otherScheme = /[A-Z][A-Za-z0-9-]{2,20}\s(?=[^\s=]{12})/y;
const parameters =
  /(?:AWS4-HMAC-SHA256|AWS4-ECDSA\S*|Digest|OAuth|Hawk|Signature|SharedKey\w*|TC3-HMAC-SHA256|GOOG4-RSA-SHA256|MAC|Credential)\s|[A-Z][\w-]{1,30}\s(?=[\w-]{1,30}=\\*")/iy;

/** @param isTight as `isSecretValue` takes it @returns what of the value at this place is secret */
export function announcedValue(text: string, at: number, name: SecretName, isTight: boolean): readonly Finding[] {
  const from = skip(blockScalar, text, at);
  const value = readValue(text, from);
  if (name.form === 'cookies') return cookieValues(text, value);
  if (name.form === 'authorization') return authorizationValue(text, value);
  if (name.form === 'phrase') return phraseValue(text, value);
  if (name.form === 'query' && value.end - value.start < 16) return [];
  return judged(text, value, name, isTight || value.isQuoted || from > at);
}

export function judged(text: string, value: Value, name: SecretName, isTight: boolean): readonly Finding[] {
  const written = text.slice(value.start, value.end);
  if (markEnd(text, value.start) === value.end || startsSentence(text, value, isTight, name.strength)) return [];
  if (isName(written)) return [];
  const inner = skip(scheme, text, value.start);
  if (inner > value.start && !value.isQuoted) return one('credential', text, inner, bareWhole(text, inner));
  const strength = name.form === 'query' ? 'strong' : name.strength;
  return isSecretValue(written, strength, isTight) ? one('secret', text, value.start, wholeEnd(text, value)) : [];
}

/** `password: "password"`, `token: authToken`. */
function isName(written: string): boolean {
  return /^[A-Za-z]+(?:[_.-][A-Za-z]+){0,2}$/.test(written) && secretName(written) !== undefined;
}

/** A bare word before another: `secret: context deadline exceeded`. After a strong name a word with a hyphen is a value. */
function startsSentence(text: string, value: Value, isTight: boolean, strength: Strength = 'weak'): boolean {
  if (value.isQuoted || isTight) return false;
  const word = strength === 'strong' ? /^[A-Za-z'’]+[,:]?$/ : /^[A-Za-z'’-]+[,:]?$/;
  return (
    word.test(text.slice(value.start, value.end)) && /^[,:]?\s[\p{L}("'\d]/u.test(text.slice(value.end, value.end + 3))
  );
}

export function authorizationValue(text: string, value: Value): readonly Finding[] {
  const { start, end, isQuoted } = value;
  if (skip(parameters, text, start) > start)
    return one('credential', text, skip(parameters, text, start), isQuoted ? end : lineEnd(text, start));
  const known = skip(scheme, text, start);
  const inner = known > start ? known : skip(otherScheme, text, start);
  const last = isQuoted ? wholeEnd(text, value) : bareWhole(text, inner);
  const written = text.slice(inner, last);
  if (isPlaceholder(written) || startsSentence(text, { start: inner, end: last, isQuoted }, false)) return [];
  const isWord = /^[a-z]{1,15}$/i.test(written) && inner === start && !isQuoted;
  const isSentence = isQuoted && /^[a-z]+(?: [a-z]+)+$/i.test(written);
  return isWord || isSentence || written.length < 6 ? [] : one('credential', text, inner, last);
}

/** Eight to 25 words, in whatever way a list is written. */
const phrase = /[a-z]{3,12}(?:(?:[ \t]{1,2}|,\s?|\\*["'],\s?\\*["'])[a-z]{3,12}){7,24}/y;
const restOfLine = /[^\n\r\\"',;(){}[\]]{0,200}/y;

function phraseValue(text: string, value: Value): readonly Finding[] {
  const words = phraseAt(text, value.start, 8);
  if (words.length > 0) return words;
  const line = value.isQuoted ? value.end : skip(restOfLine, text, value.start);
  if (isPassphrase(text.slice(value.start, line), 4)) return one('recovery phrase', text, value.start, line);
  const isSecret = isSecretValue(text.slice(value.start, value.end), 'strong', value.isQuoted);
  return isSecret && !startsSentence(text, value, false) ? one('recovery phrase', text, value.start, value.end) : [];
}

export function phraseAt(text: string, at: number, wordsMin: number): readonly Finding[] {
  const end = skip(phrase, text, at);
  return isPassphrase(text.slice(at, end), wordsMin) ? one('recovery phrase', text, at, end) : [];
}

/** @returns the end of the bare value at this place, however long */
export function bareWhole(text: string, start: number): number {
  return wholeEnd(text, { start, end: bareEnd(text, start), isQuoted: false });
}

export function one(kind: Finding['kind'], text: string, start: number, end: number): readonly Finding[] {
  return end > start && markEnd(text, start) !== end ? [{ kind, start, end }] : [];
}
