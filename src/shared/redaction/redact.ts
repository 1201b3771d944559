/**
 * Masks secrets in outside text: scan for hints, find candidates (shapes of keys, values that a name announces, addresses), judge
 * them (public values, words, randomness), put a mark in their place. Knows no secret; hashes, addresses and ids stay readable.
 */
import { sanitizeText } from '../sanitize-text.ts';
import { countMarks, markOf, type SecretMatch, withheld, withoutEnds } from './marks.ts';
import { findInCommand, findNamedValues, flagHints, nameHints } from './named-values.ts';
import { infixHints } from './shapes.ts';
import { escapedTokenHints, findInfix, findPrivateKey, findToken, privateKeyHints, tokenHints } from './tokens.ts';
import { findInUrl, urlHints } from './urls.ts';
import { skip } from './values.ts';

type Finder = {
  readonly hints: RegExp;
  readonly find: (text: string, hit: RegExpExecArray) => readonly SecretMatch[];
};

/** Who looks closer at each place that a pattern finds. */
const finders: readonly Finder[] = [
  { hints: nameHints, find: findNamedValues },
  { hints: tokenHints, find: findToken },
  { hints: escapedTokenHints, find: findToken },
  { hints: infixHints, find: findInfix },
  { hints: urlHints, find: findInUrl },
  { hints: privateKeyHints, find: findPrivateKey },
  { hints: flagHints, find: findInCommand },
];

/** Cleaned and masked, the first thing that happens to a text from outside. Fails closed: text that cannot be masked is withheld. */
export function safeText(text: string): string {
  try {
    return redact(sanitizeText(text));
  } catch {
    return withheld;
  }
}

/** As `safeText`, one value masked as any other of its kind: for texts that are compared. */
export function comparableText(text: string): string {
  return withoutEnds(safeText(text));
}

/** A mark may complete what only then looks like a secret; more than this is never seen. */
const passesMax = 4;

/** @returns the text with every secret masked; the last four characters stay where there are more than 20 */
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

/** How many values in the text were masked by `safeText`: one that is there twice is one, as far as its end tells. A text that was withheld is one. */
export function maskedCount(safe: string): number {
  return countMarks(safe);
}

/** Whether masking would change the text. */
export function holdsSecret(text: string): boolean {
  return findSecrets(text).length > 0;
}

/** @returns without overlaps, in the text's order */
function findSecrets(text: string): readonly SecretMatch[] {
  let found: SecretMatch[] | undefined;
  for (let index = 0; index < finders.length; index++) {
    const finder = finders[index];
    if (finder) found = collect(finder, text, found);
  }
  return found === undefined ? none : merged(found);
}

const none: readonly SecretMatch[] = [];

/** Characters without a blank, quote or delimiter between them: one value, however many names it seems to hold. */
const unbroken = /[^\s"'`,;&<>|\\]{1,512}/y;
/** Names in one value; the next ones are not judged again. A query or form has a delimiter after each of its values. */
const hitsInRunMax = 24;

/** Runs one finder over the text. Skips what was found, and does not judge one long value at each of its characters. */
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

/** Merges findings that overlap into one secret, of the kind that began first. */
function merged(found: readonly SecretMatch[]): readonly SecretMatch[] {
  const whole: SecretMatch[] = [];
  for (const next of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = whole.at(-1);
    if (!last || next.start >= last.end) whole.push(next);
    else if (next.end > last.end) whole[whole.length - 1] = { ...last, end: next.end };
  }
  return whole;
}
