/** Format and checksum of the query service's own API keys; keys of other services have any format. */
import { crc32 } from 'node:zlib';

/** `wfq_` id `_` secret checksum, in base 36: one word to select, and nothing that a shell or a URL changes. */
const keyPattern = /^wfq_([0-9a-z]{13})_([0-9a-z]{50})([0-9a-z]{7})$/;

export type ApiKeyFields = { readonly id: string; readonly secret: string };

/** @returns null for what no key of ours can be: a mistyped one needs no look-up */
export function parseKeyText(text: string): ApiKeyFields | null {
  const [, id, secret, sum] = keyPattern.exec(text) ?? [];
  if (id === undefined || secret === undefined || sum !== keyChecksum(id, secret)) return null;
  return { id, secret };
}

/** @returns whether it was to be a key of ours, and a part of it was lost or changed on the way */
export function isDamagedKey(text: string): boolean {
  return text.startsWith('wfq_') && parseKeyText(text) === null;
}

export function keyChecksum(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(36).padStart(7, '0');
}
