/**
 * Cleans text from outside and masks its secrets, also in parts of a long text.
 * Masking scans for hints, finds candidates (shapes of keys, values that a name announces, addresses), judges them (public values,
 * words, randomness) and puts a mark in their place. It knows no secret; hashes, addresses and ids stay readable.
 */
import { listFinders } from './key-lists.ts';
import { languageFinders } from './languages.ts';
import { countMarks, type Finder, markOf, type SecretMatch, withheld, withoutEnds } from './marks.ts';
import { nameFinders } from './named-values.ts';
import { phraseFinders } from './phrases.ts';
import { placeFinders } from './protocols.ts';
import { providerFinders } from './providers.ts';
import { tokenFinders } from './tokens.ts';
import { urlFinders } from './urls.ts';
import { skip } from './values.ts';

const finders: readonly Finder[] = [
  ...nameFinders,
  ...tokenFinders,
  ...urlFinders,
  ...providerFinders,
  ...placeFinders,
  ...listFinders,
  ...phraseFinders,
  ...languageFinders,
];

/** Rare in ordinary English prose. */
const parts = { longWord: /(?<![\w-])[\w-]{14}/, otherScript: /[^\n\r\t -~]/, lineBreak: /\n/ };

/** Cleans and masks a text from outside before anything else. Fails closed: text that cannot be masked is withheld. */
export function safeText(text: string): string {
  try {
    return redact(sanitizeText(text));
  } catch {
    return withheld;
  }
}

/** As `safeText`, with the same mark for all values of one kind: for texts that are compared. */
export function comparableText(text: string): string {
  return withoutEnds(safeText(text));
}

/** A mark may complete a new secret; more passes never occur. */
const passesMax = 4;

/** @returns the text with every secret masked; a secret with more than 20 characters keeps its last four */
export function redact(text: string): string {
  let masked = text;
  for (let pass = 0; pass < passesMax; pass++) {
    const found = findSecrets(masked);
    if (found.length === 0) return masked;
    masked = replaced(masked, found);
  }
  return masked;
}

function replaced(text: string, found: readonly SecretMatch[]): string {
  let masked = '';
  let position = 0;
  for (const { kind, start, end } of found) {
    masked += text.slice(position, start) + markOf(kind, text.slice(start, end));
    position = end;
  }
  return masked + text.slice(position);
}

/** @returns the number of values that `safeText` masked. Values with the same end count once; a withheld text counts as one. */
export function maskedCount(safe: string): number {
  return countMarks(safe);
}

/** Returns true if masking would change the text. */
export function holdsSecret(text: string): boolean {
  return findSecrets(text).length > 0;
}

/** @returns matches without overlaps, in order */
function findSecrets(written: string): readonly SecretMatch[] {
  const text = wide.test(written) ? written.replace(wideCharacters, narrow) : written;
  const has = {
    longWord: parts.longWord.test(text),
    otherScript: parts.otherScript.test(text),
    lineBreak: parts.lineBreak.test(text),
  };
  let found: SecretMatch[] | undefined;
  for (let index = 0; index < finders.length; index++) {
    const finder = finders[index];
    if (finder && (finder.needs === undefined || has[finder.needs])) found = collect(finder, text, found);
  }
  return found === undefined ? none : merged(found);
}

const none: readonly SecretMatch[] = [];

/** Full-width letters, digits and signs of East Asian texts, each one unit as in ASCII. */
const wide = /[\uff01-\uff5e\u3000]/;
const wideCharacters = /[\uff01-\uff5e\u3000]/g;
const narrow = (character: string) =>
  character === '\u3000' ? ' ' : String.fromCharCode(character.charCodeAt(0) - 0xfee0);

/** Characters without a blank, quote or delimiter (also an encoded one) between them: one value, even with many names in it. */
const unbroken = /(?:[^\s"'`,;&<>|\\%]|%(?!(?:25){0,3}2[26C])){1,512}/y;
/** Limit of names judged in one value. A query or form has a delimiter after each of its values. */
const hitsInRunMax = 8;

/** Runs one finder over the text. Skips its matches, and does not judge one long value at each of its characters. */
function collect({ hints, find }: Finder, text: string, found: SecretMatch[] | undefined): SecretMatch[] | undefined {
  let all = found;
  let [runEnd, hitsInRun] = [0, 0];
  hints.lastIndex = 0;
  for (let hit = hints.exec(text); hit !== null; hit = hints.exec(text)) {
    if (hit.index >= runEnd) [runEnd, hitsInRun] = [skip(unbroken, text, hit.index), 0];
    hitsInRun += 1;
    if (hitsInRun > hitsInRunMax) continue;
    const matches = find(text, hit);
    if (matches.length === 0) continue;
    all ??= [];
    all.push(...matches);
    hints.lastIndex = Math.max(hints.lastIndex, matches.at(-1)?.end ?? 0);
  }
  return all;
}

/** Merges overlapping matches into one, of the kind that begins first. */
function merged(found: readonly SecretMatch[]): readonly SecretMatch[] {
  const whole: SecretMatch[] = [];
  for (const next of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = whole.at(-1);
    if (!last || next.start >= last.end) whole.push(next);
    else if (next.end > last.end) whole[whole.length - 1] = { ...last, end: next.end };
  }
  return whole;
}

const escapeOrCsi = String.raw`[\u001b\u009b]`;
/** Operating system commands (titles, links) up to their end, then every other sequence of ECMA-48. */
const terminalSequences = new RegExp(
  String.raw`\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)?|${escapeOrCsi}\[?[0-?]{0,32}[ -/]{0,8}[@-~]?`,
  'g',
);
/** Control and format characters except line feed, tab and joiner; and two invisible fillers. */
const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\u115f\u1160\u3164]/gu;
const lineBreaks = /\r\n?|[\u0085\u2028\u2029]/g;
/** Joiners stay between letters of a script that needs them and inside an emoji. */
const loneJoiners = /(?<![\p{Emoji}\p{M}\p{L}])\u200d|\u200d(?![\p{Emoji}\p{L}])|(?<=[a-z0-9])\u200d/giu;
const stackedMarks = /(\p{M}{4})\p{M}+/gu;
/** Characters that are never changed; most texts have no others. */
const harmless = /^[\n\x20-\x7e]*$/;

/**
 * Strips terminal sequences, control, bidirectional and zero-width characters (a joiner inside an emoji or a word stays),
 * marks stacked more than four high and lone surrogates; every kind of line break becomes one `\n`. Idempotent.
 */
export function sanitizeText(text: string): string {
  if (harmless.test(text)) return text;
  return text
    .toWellFormed()
    .replace(lineBreaks, '\n')
    .replace(terminalSequences, '')
    .replace(invisible, '')
    .replace(loneJoiners, '')
    .replace(stackedMarks, '$1')
    .normalize('NFC');
}

/** Length of the longest secret, a private key. A cut may divide one, so this much before the cut is left out. */
const secretUnitsMax = 8192;

/**
 * @param mask `sanitizeText` only cleans, for a workspace whose admins turned masking off
 * @returns the beginning of the text, cleaned and masked, at most `unitsMax` units; linear in `unitsMax`
 */
export function safeBeginning(text: string, unitsMax: number, mask = safeText): string {
  const read = mask(text.slice(0, unitsMax + secretUnitsMax));
  const divided = text.length > unitsMax + secretUnitsMax ? secretUnitsMax : 0;
  return read.slice(0, Math.max(0, Math.min(unitsMax, read.length - divided))).toWellFormed();
}

/** As `safeBeginning`, with the beginning and the end and ` … ` between them if the text is longer than both. */
export function safeEnds(text: string, beginningMax: number, endMax: number, mask = safeText): string {
  if (text.length <= beginningMax + endMax + 2 * secretUnitsMax) {
    const whole = mask(text);
    const isShort = whole.length <= beginningMax + endMax;
    return isShort ? whole : `${whole.slice(0, beginningMax)} … ${whole.slice(-endMax)}`.toWellFormed();
  }
  const read = mask(text.slice(-endMax - secretUnitsMax));
  const end = read.slice(Math.max(secretUnitsMax, read.length - endMax)).toWellFormed();
  return `${safeBeginning(text, beginningMax, mask)} … ${end}`;
}
