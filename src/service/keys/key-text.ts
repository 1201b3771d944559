/** What a key looks like: a prefix that scanners recognise, the id it is found by, 256 secret bits, a checksum. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `wfq_` id `_` secret checksum, in base 36: one word to select, and nothing that a shell or a URL changes. */
const keyPattern = /^wfq_([0-9a-z]{13})_([0-9a-z]{50})([0-9a-z]{7})$/;

export type KeyParts = { readonly id: string; readonly secret: string };

/** @returns a new key's text and parts */
export function makeKeyText(): KeyParts & { readonly text: string } {
  const id = base36(randomBytes(8), 13);
  const secret = base36(randomBytes(32), 50);
  return { id, secret, text: `wfq_${id}_${secret}${checksum(id, secret)}` };
}

/** @returns null for what no key of this service can be: a mistyped one needs no look-up */
export function parseKeyText(text: string): KeyParts | null {
  const [, id, secret, sum] = keyPattern.exec(text) ?? [];
  if (id === undefined || secret === undefined || sum !== checksum(id, secret)) return null;
  return { id, secret };
}

function checksum(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(36).padStart(7, '0');
}

function base36(bytes: Buffer, length: number): string {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(36)
    .padStart(length, '0');
}
