/** Makes a key: a prefix that scanners recognise, the id it is found by, 256 secret bits, a checksum. */
import { randomBytes } from 'node:crypto';
import { type KeyParts, keyChecksum } from '../../shared/key-shape.ts';

/** @returns a new key's text and parts */
export function makeKeyText(): KeyParts & { readonly text: string } {
  const id = base36(randomBytes(8), 13);
  const secret = base36(randomBytes(32), 50);
  return { id, secret, text: `wfq_${id}_${secret}${keyChecksum(id, secret)}` };
}

function base36(bytes: Buffer, length: number): string {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(36)
    .padStart(length, '0');
}
