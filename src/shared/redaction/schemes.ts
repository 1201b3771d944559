/** Finds what follows a scheme (`Bearer …`, `Basic …`) without a header, and keys that a name is glued to (`acme_token_…`). */
import { bareWhole, one } from './announced.ts';
import type { Finding } from './finding.ts';
import { isRandomToken } from './judge.ts';
import { bareEnd, skip } from './values.ts';

/** As much of it as has to be judged. */
const gluedValue = /[\w.~+/=-]{20,64}/y;
const schemes = /^(?:bearer|basic|token|api-?key)$/i;

/** A scheme is no name of a value, but what follows it is one; other words may be glued to one (`acme_token_…`). */
export function findUnnamed(text: string, start: number, end: number): readonly Finding[] {
  const written = text.slice(start, end);
  if (schemes.test(written)) return findCredential(text, end, /basic/i.test(written));
  const glued = /^(?:[a-z0-9]{1,12}[_-]){0,3}(?:token|secret|key|pat|auth)[_-]/i.exec(written);
  if (!glued) return [];
  const from = start + glued[0].length;
  const value = text.slice(from, skip(gluedValue, text, from));
  return isRandomToken(value, 20) ? one('secret', text, from, bareWhole(text, from)) : [];
}

const blankAfterScheme = /(?:[ \t]|%20){1,4}/y;

function findCredential(text: string, end: number, isBasic: boolean): readonly Finding[] {
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

/** Looks random enough to be a secret without a name. */
export function isSpokenToken(written: string): boolean {
  return (isRandomToken(written, 12) && /\d/.test(written)) || isRandomToken(written, 20);
}
