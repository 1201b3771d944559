/** Errors as people read them: long digits are shortened, and the end, which holds the reason, is kept. */
import type { RichTextText } from '@slack/types';
import { trusted } from '../blocks/rich-text.ts';
import { outsideError, outsideLine, truncateMiddle } from '../format/outside-text.ts';

/** Encoded data; ids, hashes and addresses are shorter. */
const longHex = /\b(?:0x)?[0-9a-f]{80,}\b/gi;
/** Ids, hashes and addresses. */
const hexId = /\b0x[0-9a-f]{32,}\b/gi;
const endUnits = 8;
/** Data that was sent along; the reason is in the text around it. */
const longJson = /\{"[^{}]{80,}\}/g;
/** Masked and cleaned up to here, then shortened. */
const readUnitsMax = 20_000;

/** @param error from outside, of any length @returns at most `max` units, both ends kept */
export function errorText(error: string, max: number): RichTextText {
  return trusted(truncateMiddle(readable(error), max));
}

/** Where there is little room: ids and addresses are shortened. */
export function briefErrorText(error: string, max: number): RichTextText {
  return trusted(
    truncateMiddle(
      readable(error).replace(hexId, (digits) => `${digits.slice(0, 6)}…${digits.slice(-4)}`),
      max,
    ),
  );
}

/**
 * A cause's title leaves out what varies, which is often what one has to know.
 * @param title as insight gives it @returns the part of the error that the title is about, as it was said; the title itself where it is not found
 */
export function headline(errors: readonly { readonly error: string }[], title: string, max: number): RichTextText {
  const [beginning = ''] = title.split('…');
  const words = beginning.trim().split(/\s+/).slice(0, 6);
  const texts = errors.slice(0, 5).map(({ error }) => readable(error));
  for (let length = words.length; length > 0; length -= 1) {
    const wanted = words
      .slice(0, length)
      .join(' ')
      .replace(/(?<=[\p{L}\p{N}]|^)[^\p{L}\p{N}]+$/u, '');
    if (!/\p{L}{3}/u.test(wanted)) continue;
    const found = texts.find((text) => text.includes(wanted));
    if (found !== undefined) return trusted(truncateMiddle(found.slice(found.lastIndexOf(wanted)), max));
  }
  return trusted(outsideLine(title, max));
}

/** Masked before it is shortened: half of a secret no longer looks like one. */
function readable(error: string): string {
  return outsideError(error, readUnitsMax).replace(longHex, shortened).replace(longJson, '{…}');
}

function shortened(digits: string): string {
  return `${digits.slice(0, endUnits)}…${digits.slice(-endUnits)} (${digits.length} characters)`;
}
