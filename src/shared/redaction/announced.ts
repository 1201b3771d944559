/** Judges the value that a name announces. Such a value is one word, a scheme and a key, cookies, or a phrase. */
import {
  englishness,
  isPassphrase,
  isPlaceholder,
  isRandomToken,
  isSecretValue,
  isTightSecret,
  type Strength,
} from './judge.ts';
import { markEnd, type SecretMatch } from './marks.ts';
import { type SecretName, secretName } from './names.ts';
import { bareEnd, lineEnd, readValue, skip, type Value, wholeEnd } from './values.ts';

/** YAML puts a long value below its name. */
const blockScalar = /[|>][+-]?[ \t]*(?:\n|\\n)[ \t]*/y;
const scheme = /(?:Bearer|Basic|Token|Api-?Key|Negotiate|NTLM|GenieKey|SSWS)(?:\s|%20|\+|=){1,4}/iy;
const otherScheme = /[A-Z][A-Za-z0-9-]{2,20}\s(?=[^\s=]{12})/y;
const parameters =
  /(?:AWS4-HMAC-SHA256|AWS4-ECDSA\S*|Digest|OAuth|Hawk|Signature|SharedKey\w*|TC3-HMAC-SHA256|GOOG4-RSA-SHA256|MAC|Credential)\s|[A-Z][\w-]{1,30}\s(?=[\w-]{1,30}=\\*")/iy;

/** @param isTight as in `isSecretValue` @returns the secret parts of the value at this index */
export function announcedValue(text: string, at: number, name: SecretName, isTight: boolean): readonly SecretMatch[] {
  const from = skip(blockScalar, text, at);
  const value = readValue(text, from);
  if (name.form === 'cookies') return cookieValues(text, value);
  if (name.form === 'authorization') return authorizationValue(text, value);
  if (name.form === 'phrase') return phraseValue(text, value, isTight);
  if (name.form === 'query' && !isDrawn(text.slice(value.start, value.end))) return [];
  return judged(text, value, name, isTight || value.isQuoted || from > at);
}

/** A signature or a code: words have no digits. */
function isDrawn(written: string): boolean {
  return written.length >= 16 && /\d/.test(written);
}

export function judged(text: string, value: Value, name: SecretName, isTight: boolean): readonly SecretMatch[] {
  const groups = skip(appPassword, text, value.start);
  if (name.strength === 'strong' && groups > value.start && englishness(text.slice(value.start, groups)) < 0.5)
    return one('secret', text, value.start, groups);
  const written = text.slice(value.start, value.end);
  if (markEnd(text, value.start) === value.end || startsSentence(text, value, isTight, name.strength)) return [];
  if (isName(written)) return [];
  const inner = skip(scheme, text, value.start);
  if (inner > value.start && !value.isQuoted) return one('credential', text, inner, bareWhole(text, inner));
  const withCommas = (end: number) => (name.strength === 'strong' && !value.isQuoted ? commaEnd(text, end) : end);
  const last = withCommas(value.end);
  const isSecret =
    isSecretValue(written, name.strength, isTight) ||
    (last > value.end && isTightSecret(text.slice(value.start, last)));
  // Only a secret is read to its end: other values may hold hints of their own.
  if (!isSecret) return [];
  const end = withCommas(wholeEnd(text, value));
  return [...one('secret', text, value.start, end), ...furtherValues(text, end, value)];
}

/** Four groups of four letters, as Google prints a password for one program. */
const appPassword = /[a-z]{4}(?: [a-z]{4}){3}(?![\w ])/y;

const nextValue = /["'`]?(?:,\s{0,3}|\s{1,3})(?:(?:and|or|\d{1,2}[.)]|-) )?["'`]?/y;
const furtherMax = 20;

/** More values of the same length behind a secret: `recovery codes: 7eec5-527df, 1f455-a0ad7`. */
function furtherValues(text: string, end: number, { start }: Value): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  const units = end - start;
  let from = skip(nextValue, text, end);
  for (let at = end; from > at && found.length < furtherMax; from = skip(nextValue, text, at)) {
    at = from + units;
    const written = text.slice(from, at);
    if (/[\s"'`,;]/.test(written) || /[\w-]/.test(text[at] ?? '') || !isTightSecret(written)) break;
    found.push(...one('secret', text, from, at));
  }
  return found;
}

/** Parts of a password after its commas; `,user=` is another value. */
const commaPart = /,[^\s"'`,;&<>|\\=:[\]()]{1,64}(?=[\s"'`,;]|$)/y;
const commaPartsMax = 8;

function commaEnd(text: string, start: number): number {
  let end = start;
  for (let part = 0; part < commaPartsMax; part++) end = skip(commaPart, text, end);
  return end;
}

/** `password: "password"`, `token: authToken`; a password may end with `pw`. */
function isName(written: string): boolean {
  return /^[A-Za-z]+(?:[_.-][A-Za-z]+){0,2}(?<!pw)$/i.test(written) && secretName(written) !== undefined;
}

/** A bare word before another: `secret: context deadline exceeded`. After a strong name a word with a hyphen is a value. */
function startsSentence(text: string, value: Value, isTight: boolean, strength: Strength = 'weak'): boolean {
  if (value.isQuoted || isTight) return false;
  const word = strength === 'strong' ? /^[A-Za-z'’]+[,:]?$/ : /^[A-Za-z'’-]+[,:]?$/;
  return (
    word.test(text.slice(value.start, value.end)) && /^[,:]?\s[\p{L}("'\d]/u.test(text.slice(value.end, value.end + 3))
  );
}

export function authorizationValue(text: string, value: Value): readonly SecretMatch[] {
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

/** Eight to 25 words, separated as in any list format. */
const phrase = /[a-z]{3,12}(?:(?:[ \t]{1,2}|,\s?|\\*["'],\s?\\*["'])[a-z]{3,12}){7,24}/y;
const restOfLine = /[^\n\r\\"',;(){}[\]]{0,200}/y;

function phraseValue(text: string, value: Value, isTight: boolean): readonly SecretMatch[] {
  const words = phraseAt(text, value.start, 8);
  if (words.length > 0) return words;
  const line = value.isQuoted ? value.end : skip(restOfLine, text, value.start);
  if (isPassphrase(text.slice(value.start, line), 4)) return one('recovery phrase', text, value.start, line);
  const isSecret = isSecretValue(text.slice(value.start, value.end), 'strong', value.isQuoted || isTight);
  return isSecret && !startsSentence(text, value, isTight) ? one('recovery phrase', text, value.start, value.end) : [];
}

function phraseAt(text: string, at: number, wordsMin: number): readonly SecretMatch[] {
  const end = skip(phrase, text, at);
  return isPassphrase(text.slice(at, end), wordsMin) ? one('recovery phrase', text, at, end) : [];
}

/** @returns the end of the bare value at this index, of any length */
export function bareWhole(text: string, start: number): number {
  return wholeEnd(text, { start, end: bareEnd(text, start), isQuoted: false });
}

export function one(kind: SecretMatch['kind'], text: string, start: number, end: number): readonly SecretMatch[] {
  return end > start && markEnd(text, start) !== end ? [{ kind, start, end }] : [];
}

const pair = /[ \t;,]{0,8}([^\s=;,"':(){}<>@?/]{1,100})=("?)((?:\[[^\]\n]{1,40}\]|[^\s;,"'\\])*)/y;
const attribute = /[ \t;,]{0,8}(?:HttpOnly|Secure|Partitioned)\b/iy;
const attributes = /^(?:path|domain|expires|max-age|samesite|priority|version|comment)$/i;
/** Dates contain blanks and a comma. */
const date = /[^;"'\\\n]*/y;
/** Shorter values are preferences, such as a language. */
const valueUnitsMin = 6;

/** Browsers send at most this many to one site. */
const pairsMax = 180;

export function cookieValues(text: string, value: Value): readonly SecretMatch[] {
  const limit = value.isQuoted ? value.end : text.length;
  const found: SecretMatch[] = [];
  for (let at = value.start, pairs = 0; at < limit && pairs < pairsMax; pairs++) {
    pair.lastIndex = at;
    const match = pair.exec(text);
    if (!match || pair.lastIndex > limit) {
      attribute.lastIndex = at;
      if (!attribute.test(text)) break;
      at = attribute.lastIndex;
      continue;
    }
    const [, name = '', , written = ''] = match;
    const end = pair.lastIndex;
    at = end;
    if (/^expires$/i.test(name)) {
      date.lastIndex = end;
      at = date.test(text) ? Math.max(end, date.lastIndex) : end;
    } else if (isSecret(name, written) && markEnd(text, end - written.length) !== end) {
      found.push({ kind: 'cookie', start: end - written.length, end });
    }
    if (text[at] === '"') at += 1;
  }
  // A value without a name: `session cookie 5fK2…`.
  if (found.length === 0 && isRandomToken(text.slice(value.start, value.end), 16))
    return one('cookie', text, value.start, value.end);
  return found;
}

function isSecret(name: string, written: string): boolean {
  return written.length >= valueUnitsMin && !attributes.test(name) && !isPlaceholder(written);
}
