/** Finds values by the names that announce them: in JSON, headers, queries, forms, YAML, dumps of structures, after a scheme and in command lines. */
import { announcedValue, authorizationValue, bareWhole, cookieValues, judged, one } from './announced.ts';
import {
  isKeyLike,
  isPasswordLike,
  isRandomToken,
  isSecretValue,
  isTightSecret,
  isUuid,
  type Strength,
} from './judge.ts';
import { type Finder, markEnd, type SecretMatch } from './marks.ts';
import { isHarmlessName, type SecretName, secretName } from './names.ts';
import { bareEnd, readValue, skip } from './values.ts';

/** Every name that the table of names knows contains one of these. */
const nameHints =
  /p(?:ass|wd|sw|hrase)|se(?:cret(?:[ _]id\b)?|ed|nha|ss(?:ion|id|(?![a-z])))|dockerc|salt(?<=(?:signing|auth|hash|in|nonce)[_ ]salt)|key|token|auth|b(?:earer|asic)|co(?:okie|ntrase)|cred(?:ential|s(?![a-z]))|csrf|macaroon|mnemonic|motdepasse|recovery|si(?:d\b|g(?=nature|=|%3d))|jwt|otp|xsrf|identified by|kennwort|saml|assertion|psk|community.string|pw(?![a-z])|licen[sc]e|unseal|sonar.login|honeycomb|pat(?=["'\]]{0,2}\s?[:=])|pat(?= [a-z0-9+/]{24})|code(?:(?<=(?:recovery|backup|access|pass|mfa|auth|authorization|device)[ _-]?code)|(?==)(?<=[?&]code)|(?=_?verifier)|(?==[^\s&]{16,400}&)(?<=(?:[\s"']|^)code))/gi;

const nameUnitsMax = 64;
const isNameUnit: readonly boolean[] = Array.from({ length: 256 }, (_, code) =>
  /[A-Za-z0-9_.ñ-]/.test(String.fromCharCode(code)),
);

/** The end of a name: a quote with any escaping, a bracket of a form or a dump. */
const closing = /(?:\\*["'`]\]?|&quot;|&#3[49];|%2[27]|\\+(?:u00|x)2[27]|\]|\[\d{0,3}\]|%5D|\*{1,2}|[)}])?/iy;
const separator =
  /[ \t]{0,40}(?:::(?=[^\s:()]{20})|: ?&?[A-Za-z][\w.<>[\]?]{2,30}\s=(?=\s?@?["'`])|:=|<-|=>(?:\s{1,40}(?=string\())?|->|::(?=\s)|(?:\|\||[?+]{1,2})?={1,3}|!={1,2}(?=\s?["'`])|\.(?:to(?:Be|Equal|StrictEqual|Match|Contain)|equals?|isEqualTo)\(|:(?![:?])\*{0,2}|%(?:25){0,3}3[AD]|\\+u003[ad]|≔|→|⇒)(?:[ \t]|\\[nt](?=[ \t|>])|%20|\+(?=Bearer|Basic)){0,40}/iy;
const precedingWords = /(?<![A-Za-z])[A-Za-z]{2,12}[ -](?:[A-Za-z]{2,12}[ -])?$/;
const afterName =
  /(?: ?\([^\s()]{2,12}\))?(?: (?:for|of|für|von|pour|du|de|do|da|del|para)(?: [^\s:=]{1,40}){1,3}?)?(?: #?\d{1,2})?(?: (?:provided|used|given|supplied|value|is|was|found|sent|received|header|generated|created|set)){0,2}(?: (?:for|in)(?: [^\s:=]{1,40}){1,3}?)?(?: \([^()\n]{1,60}\))?(?=\s?[:=])/iy;
const elementEnd = /(?:\s[^<>]{0,80})?(?:>|&gt;)\s{0,8}(?:<value>\s{0,8})?(?=<!\[CDATA\[|[^<>]{1,512}(?:<|&lt;))/iy;
const flagBlank = /(?:[ \t]|\\\n)+(?!-)/y;
/** `{"name":"DB_PASSWORD","value":"…"}`, `name="token" content="…"`, `<name>DB_PASSWORD</name><value>…`, a field of a form, a pair in a list. */
const pairedValue =
  /(?:(?:\s|\\[rn]|[,;{]){0,20}|(?:\s[\w-]{1,20}=\\*["'][^"'<>]{0,60}["']){1,4}\s|(?:\s?,\s?\\*["']\w{1,20}\\*["']\s?:\s?\\*["'][^"'\\\n]{0,60}\\*["']){1,3}\s?,\s?)\\*["']?(?:value|val|content|default)\\*["']?\s{0,8}[:=]\s{0,8}|<\/\w{1,20}>\s{0,20}<(?:string|value|val)>| (?:with|and|has|had) (?:the )?value:? (?=\\*["'`])/iy;
/** `"db_password":{"sensitive":true,"value":"…"}`. */
const nestedValue = /:\s{0,4}\{[^{}]{0,100}?["'](?:value|default)\\*["']\s?:\s{0,4}/iy;
const multipartBody = /(?:\r?\n|\\r\\n|\\n){2}/y;
const listedValue = /\s?,\s?(?=\\*["'])/y;
const spokenValue =
  /\s(?:(?:for|of|on|in|für|von|pour|de|do|del|para)(?:\s[^\s:=,;.]{1,40}){1,4}?\s)?(?:(?:(?:was|is|has been)\s)?(?:changed|rotated|reset|set)\s(?:from|to):?\s|(?:is|are|was|to|=|equals|lautet|ist|est|es|è|é)\s(?:now\s)?)/iy;

/** @returns the value that the name around the hint announces; none for other words */
function findNamedValues(text: string, { index: at, 0: hint }: RegExpExecArray): readonly SecretMatch[] {
  const start = nameStart(text, at);
  const end = nameEnd(text, at + hint.length);
  if (isInMark(text, start)) return [];
  if (end - start > nameUnitsMax) return findUnnamed(text, start, end);
  const name = secretName(text.slice(start, end));
  if (isPublicName(text, start, end)) return [];
  const known = spokenName(text, start, end, name) ?? name;
  if (!known) return findUnnamed(text, start, end);
  const after = known.strength === 'strong' ? skip(afterName, text, end) : end;
  return (
    findBeside(text, after, known) ??
    findAfterSeparator(text, start, after, known) ??
    findApart(text, start, end, known) ??
    findBefore(text, start, known) ??
    []
  );
}

/** `{"value":"…","name":"DB_PASSWORD"}`, `SET value='…' WHERE name='api_key'`. */
const reversedPair =
  /\b(?:value|val|content)\\*["']?\s?[:=]\s?\\*["']([^"'\\\n]{6,200})(?=\\*["'](?:\s?,\s?|\s(?:where )?)\\*["']?(?:name|key|id)\\*["']?\s?[:=]\s?\\*["']?$)/i;
/** `opened with abc#1 as password`, `"…" is the API key`. */
const joint = / (?:as|is|was) (?:the |an? |my |our |your )?(?:[a-z]{2,8} )?$/i;
const beforeJoint = /(?<=(?:\s|^)["'`]?)[^\s"'`]{8,100}(?=["'`]?$)/;

/** A value in front of its name. */
function findBefore(text: string, start: number, name: SecretName): readonly SecretMatch[] | undefined {
  const from = Math.max(0, start - 300);
  const before = text.slice(from, start);
  const pair = /["'=]$/.test(before) ? reversedPair.exec(before) : null;
  if (pair?.[1] !== undefined && isSecretValue(pair[1], name.strength, true)) {
    const end = from + pair.index + pair[0].length;
    return one('secret', text, end - pair[1].length, end);
  }
  const until = joint.exec(before.slice(-18))?.[0].length;
  const value = until === undefined ? null : beforeJoint.exec(before.slice(-until - 103, -until));
  if (value === null || until === undefined) return undefined;
  const isSecret = isRandomToken(value[0], 20) || (name.strength === 'strong' && isPasswordLike(value[0]));
  const end = start - until - (/["'`]$/.test(before.slice(0, -until)) ? 1 : 0);
  return isSecret ? one('secret', text, end - value[0].length, end) : undefined;
}

/** `did:key:…`, `master public key 04…`; a flag is none (`start --token …`). */
function isPublicName(text: string, start: number, end: number): boolean {
  const isDid = text[start - 1] === ':' && /\bdid:$/i.test(text.slice(Math.max(0, start - 8), start));
  const before = text[start] === '-' ? '' : wordsBefore(text, start);
  return isDid || isHarmlessName(`${before}${text.slice(start, end)}`);
}

/** @returns one or two words of the sentence in front of a name; after a value (`Name:pay Token:…`) there are none */
function wordsBefore(text: string, start: number): string {
  if (!' -'.includes(text[start - 1] ?? '.')) return '';
  const before = text.slice(Math.max(0, start - 27), start);
  const found = precedingWords.exec(before);
  return found === null || ':=>'.includes(before[found.index - 1] ?? ' ') ? '' : found[0];
}

/** Marks name what they replace. In a dump of PHP (`[password] => …`) or a form (`user[password]=…`) the same text is a key. */
function isInMark(text: string, at: number): boolean {
  const opening = text.slice(Math.max(0, at - 20), at).lastIndexOf('[');
  const end = opening === -1 ? undefined : markEnd(text, Math.max(0, at - 20) + opening);
  return end !== undefined && end > at && !/^ ?=/.test(text.slice(end, end + 2));
}

/** `API key: …`, `Incorrect access token provided: …`, `seed phrase = …`: names of several words. */
function spokenName(text: string, start: number, end: number, name: SecretName | undefined): SecretName | undefined {
  if (name?.strength === 'strong' && name.form !== 'phrase' && name.form !== 'query') return undefined;
  const before = wordsBefore(text, start);
  const spoken = before === '' ? undefined : secretName(`${before}${text.slice(start, end)}`);
  return spoken?.strength === 'strong' ? spoken : undefined;
}

function nameStart(text: string, at: number): number {
  let start = at;
  const limit = Math.max(0, at - nameUnitsMax);
  while (start > limit && isNameUnit[text.charCodeAt(start - 1)]) start -= 1;
  // `\npassword`, `%26token`, `\u0026token`: the rest of an escape is not part of the name.
  if (start > 0 && text[start - 1] === '\\') start += /^u[0-9a-f]{4}/i.test(text.slice(start, start + 5)) ? 5 : 1;
  else if (start > 0 && text[start - 1] === '%')
    start += /^(?:25){0,3}[0-9a-f]{2}/i.exec(text.slice(start, start + 8))?.[0].length ?? 0;
  return Math.min(start, at);
}

function nameEnd(text: string, at: number): number {
  let end = at;
  const limit = Math.min(text.length, at + nameUnitsMax);
  while (end < limit && isNameUnit[text.charCodeAt(end)]) end += 1;
  return end;
}

/** A few words of the sentence between a name and its value: `the key that we got is …`. */
const distantValue = /(?:\s[^\s:=;.]{1,40}){0,7}?(?::|\s(?:is|are|was|still|-)|\s?->)\s{1,4}["'`]?/y;

/** @returns undefined if the name has no separator */
function findAfterSeparator(
  text: string,
  start: number,
  end: number,
  name: SecretName,
): readonly SecretMatch[] | undefined {
  if (name.form === 'query' && !isInQuery(text, start, end)) return [];
  const closed = skip(closing, text, end);
  const separated = Math.max(skip(separator, text, closed), skip(nestedValue, text, closed));
  if (separated > closed)
    return announcedValue(text, separated, name, isTightAt(text, start, end, { closed, separated }));
  if (/(?:[<:]|&lt;)$/.test(text.slice(Math.max(0, start - 4), start))) {
    const element = skip(elementEnd, text, end);
    if (element > end) return announcedValue(text, element, name, true);
  }
  return undefined;
}

const queryStart = /(?:[?&;]|u0026|%26)$/i;

function isInQuery(text: string, start: number, end: number): boolean {
  return (
    queryStart.test(text.slice(Math.max(0, start - 5), start)) ||
    /^(?:x-(?:amz|goog)-|code$)/i.test(text.slice(start, end))
  );
}

/** `name=value` and `"name": value` are data; `name: value` and `secret 'name': value` may be a sentence. */
function isTightAt(text: string, start: number, end: number, after: { closed: number; separated: number }): boolean {
  const isColon = /^:\s/.test(text.slice(after.closed, after.separated));
  if (!isColon || (after.closed > end && !/\p{L}\s["'`]$/u.test(text.slice(Math.max(0, start - 3), start))))
    return true;
  // An identifier (`DB_PASSWORD: …`, `dbPassword: …`) is no word of a sentence.
  const isIdentifier = /[A-Za-z0-9][_.][A-Za-z0-9]|[a-z][A-Z]/.test(text.slice(start, end));
  return isIdentifier && isTightSecret(text.slice(after.separated, bareEnd(text, after.separated)));
}

/** Names whose value follows without a separator. */
function findApart(text: string, start: number, end: number, name: SecretName): readonly SecretMatch[] | undefined {
  if (name.form === 'query') return undefined;
  return findFlag(text, start, end, name) ?? findPair(text, end, name) ?? findSpoken(text, start, end, name);
}

/** `--token abc`, `-Password abc`. */
function findFlag(text: string, start: number, end: number, name: SecretName): readonly SecretMatch[] | undefined {
  if (text[start] !== '-' || !/(?:^|[\s"'`([])$/.test(text.slice(Math.max(0, start - 1), start))) return undefined;
  const at = skip(flagBlank, text, end);
  return at > end ? announcedValue(text, at, name, true) : undefined;
}

/** A name that is a value itself, with its own value beside it. */
function findPair(text: string, end: number, name: SecretName): readonly SecretMatch[] | undefined {
  const closed = skip(closing, text, end);
  const paired = skip(pairedValue, text, closed);
  if (paired > closed) return announcedValue(text, paired, name, true);
  if (closed === end) return undefined;
  const body = skip(multipartBody, text, closed);
  if (body > closed) return announcedValue(text, body, name, true);
  const listed = skip(listedValue, text, closed);
  if (listed === closed) return undefined;
  const value = readValue(text, listed);
  const written = text.slice(value.start, value.end);
  if (name.form === 'authorization')
    return /\s/.test(written) || isRandomToken(written, 16) ? authorizationValue(text, value) : [];
  if (name.form === 'cookies') return cookieValues(text, value);
  return isSecretValue(written, name.strength === 'strong' ? 'weak' : 'weakest', false)
    ? judged(text, value, name, true)
    : [];
}

/** The next cell of a table or column, the text of an element, brackets (`Password(abc#1)`), or a line of its own below the name. */
const gap =
  /[ \t]{0,40}[|│║;~][ \t]{0,40}|["']\s?>|, ?(?=\S)| [–—] |(?: ?\.){2,40}(?: ?:)? |[ \t]{2,40}|\t|\(| ?\[|(?::|\*\*)?[ \t]{0,4}\n(?:[ \t]{0,12}[-=~]{3,40}\n|\n)?[ \t]{0,12}(?:- |```\w{0,12}\n)?(?=[^\s:]{8,200}[ \t]{0,8}(?:\n|$))/y;

function findBeside(text: string, end: number, { strength }: SecretName): readonly SecretMatch[] | undefined {
  const hasGap = strength === 'strong' || (strength === 'weak' && text[end] !== '|');
  const at = hasGap ? skip(gap, text, end) : end;
  if (at === end) return undefined;
  const value = readValue(text, at);
  const written = text.slice(value.start, value.end);
  const isInSentence = strength === 'weak' || /[( ]$|^, /.test(text.slice(end, at).replace(/^[ \t|│║]+/, ''));
  const isSecret = isInSentence
    ? (strength === 'strong' && isPasswordLike(written)) || isSpokenToken(written)
    : isTightSecret(written);
  return isSecret ? one('secret', text, value.start, value.end) : undefined;
}

/** `signer loaded key 0x…`: 32 bytes after such a word are a private key. */
const signerWords = /\b(?:sign(?:er|ing|s|ed)?|wallet|deployer|private)\b[^.;:]{0,30}$/i;

/** `Bearer abc`, `password 'abc'`, `the token is abc`. */
function findSpoken(text: string, start: number, end: number, name: SecretName): readonly SecretMatch[] | undefined {
  const blank = skip(/[ \t]{1,4}(?:(?:hex|base64|b64|value|bytes|\d) )?/y, text, end);
  if (blank === end) return undefined;
  const spoken = skip(spokenValue, text, end);
  const value = readValue(text, Math.max(blank, spoken));
  const written = text.slice(value.start, value.end);
  if (name.form === 'cookies') return cookieValues(text, value);
  const isQuotedValue = value.isQuoted && name.strength === 'strong' && name.form === 'value';
  if (isQuotedValue) return judged(text, value, name, true);
  if (name.form === 'phrase' && value.isQuoted) return announcedValue(text, Math.max(blank, spoken), name, true);
  const isPassword = name.strength === 'strong' || /pass$/i.test(text.slice(start, end));
  if (isPassword && (isPasswordLike(written) || isKeyLike(written) || isUsed(text, start, written)))
    return one('secret', text, value.start, value.end);
  const isSpoken =
    spoken > blank && name.strength === 'strong' && /\d/.test(written) && isSecretValue(written, 'strong', true);
  const isSet = name.strength === 'strong' && /[a-z][A-Z]|_/.test(text.slice(start, end)) && isTightSecret(written);
  const isUuidOfService = /^(?:token|secret[ _]id)$/i.test(text.slice(start, end)) && isUuid(written);
  const isKey = /^(?:(?:0x)?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{87,88})$/.test(written);
  if (
    isKey &&
    (name.strength === 'strong' ||
      /(?:seed|secret|key_?pair)$/i.test(text.slice(start, end)) ||
      signerWords.test(text.slice(Math.max(0, start - 40), start)))
  )
    return one('private key', text, value.start, value.end);
  if (isSpoken || isSet || isUuidOfService || isSpokenToken(written)) return judged(text, value, name, true);
  const distant = skip(distantValue, text, end);
  const last = bareEnd(text, distant);
  const isSecret = distant > end && name.strength !== 'weakest' && isDrawn(text.slice(distant, last), name.strength);
  return isSecret ? one('secret', text, distant, last) : [];
}

/** The part of it that is judged. */
const gluedValue = /[\w.~+/=-]{20,64}/y;
const schemes = /^(?:--?)?(?:bearer|basic|token|api-?key)$/i;

/** A scheme is not a name, but a value follows it; other words may be joined to a value (`acme_token_…`). */
function findUnnamed(text: string, start: number, end: number): readonly SecretMatch[] {
  const written = text.slice(start, end);
  if (schemes.test(written)) return findCredential(text, end, /basic/i.test(written));
  const glued = /^(?:[a-z0-9]{1,12}[_-]){0,3}(?:token|secret|key|pat|auth)[_-]/i.exec(written);
  if (!glued) return [];
  const from = start + glued[0].length;
  const value = text.slice(from, skip(gluedValue, text, from));
  return isRandomToken(value, 20) ? one('secret', text, from, bareWhole(text, from)) : [];
}

const blankAfterScheme = /["']?[,:=]?(?:[ \t]|%20){0,4}["']?/y;

function findCredential(text: string, end: number, isBasic: boolean): readonly SecretMatch[] {
  const at = skip(blankAfterScheme, text, end);
  if (at === end) return [];
  const written = text.slice(at, bareEnd(text, at));
  const isCredential = (isBasic && isUserAndPassword(written)) || isSpokenToken(written);
  return isCredential ? one('credential', text, at, bareWhole(text, at)) : [];
}

/** Base64 of `user:password`. */
function isUserAndPassword(written: string): boolean {
  return (
    /^[A-Za-z0-9+/]{8,}={0,2}$/.test(written) &&
    /^[\x20-\x7e][\x20-\x39\x3b-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(written, 'base64').toString('latin1'))
  );
}

/** `unlock with passphrase …`. */
function isUsed(text: string, start: number, written: string): boolean {
  const hasDigit = written.length >= 8 && /\d/.test(written) && /[a-z]/i.test(written);
  return hasDigit && /\b(?:with|use|using)(?: the)? $/i.test(text.slice(Math.max(0, start - 12), start));
}

/** Returns true if people or programs made the value as a secret, at the end of a sentence about one. */
function isDrawn(written: string, strength: Strength): boolean {
  const isShort = strength === 'strong' && isRandomToken(written, 8);
  return isPasswordLike(written) || isShort || isSpokenToken(written);
}

/** Returns true if the word looks random enough to be a secret without a name. */
function isSpokenToken(written: string): boolean {
  return (isRandomToken(written, 12) && /\d/.test(written)) || isRandomToken(written, 20);
}

export const nameFinders: readonly Finder[] = [{ hints: nameHints, find: findNamedValues }];
