/** Format and checksum of the query service's API keys. Keys of other services may have any format. */
import { crc32 } from 'node:zlib';

/** `wfq_` id `_` secret checksum, in base 36: one word to select, without characters that a shell or a URL changes. */
const keyPattern = /^wfq_([0-9a-z]{13})_([0-9a-z]{50})([0-9a-z]{7})$/;

export type ApiKeyFields = { readonly id: string; readonly secret: string };

/** @returns null for a text that is not such a key; a mistyped key needs no look-up */
export function parseKeyText(text: string): ApiKeyFields | null {
  const [, id, secret, sum] = keyPattern.exec(text) ?? [];
  if (id === undefined || secret === undefined || sum !== keyChecksum(id, secret)) return null;
  return { id, secret };
}

/** @returns true if the text is a truncated or changed key of the query service */
export function isDamagedKey(text: string): boolean {
  return text.startsWith('wfq_') && parseKeyText(text) === null;
}

export function keyChecksum(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(36).padStart(7, '0');
}
