/** Masks a part of a text that is too long to be read whole. Half of a secret no longer looks like one, so what a cut could divide is left out. */

import { isMasking } from './redaction/masking.ts';
import { safeText } from './redaction/redact.ts';
import { sanitizeText } from './sanitize-text.ts';

/** The longest secret is a private key; what announces a secret is nearer. */
const secretUnitsMax = 8192;

/** @returns cleaned and masked text, at most `unitsMax` units of it; time in proportion to `unitsMax` */
export function safeBeginning(text: string, unitsMax: number): string {
  return beginning(text, unitsMax, safeText);
}

/** As `safeBeginning`, the beginning and the end with ` … ` between them where the text is longer than both. */
export function safeEnds(text: string, beginningMax: number, endMax: number): string {
  return ends(text, beginningMax, endMax, safeText);
}

/** As `safeBeginning`, for what a workspace sees: cleaned alone where its admins turned masking off. */
export function shownBeginning(text: string, unitsMax: number): string {
  return beginning(text, unitsMax, isMasking() ? safeText : sanitizeText);
}

/** As `safeEnds`, for what a workspace sees. */
export function shownEnds(text: string, beginningMax: number, endMax: number): string {
  return ends(text, beginningMax, endMax, isMasking() ? safeText : sanitizeText);
}

type Mask = (text: string) => string;

function beginning(text: string, unitsMax: number, mask: Mask): string {
  const read = mask(text.slice(0, unitsMax + secretUnitsMax));
  const divided = text.length > unitsMax + secretUnitsMax ? secretUnitsMax : 0;
  return read.slice(0, Math.max(0, Math.min(unitsMax, read.length - divided))).toWellFormed();
}

function ends(text: string, beginningMax: number, endMax: number, mask: Mask): string {
  if (text.length <= beginningMax + endMax + 2 * secretUnitsMax) {
    const whole = mask(text);
    const isShort = whole.length <= beginningMax + endMax;
    return isShort ? whole : `${whole.slice(0, beginningMax)} … ${whole.slice(-endMax)}`.toWellFormed();
  }
  const read = mask(text.slice(-endMax - secretUnitsMax));
  const end = read.slice(Math.max(secretUnitsMax, read.length - endMax)).toWellFormed();
  return `${beginning(text, beginningMax, mask)} … ${end}`;
}
