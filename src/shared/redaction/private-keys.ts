/** Finds private keys in PEM, real or escaped. */
import type { Finding } from './finding.ts';

export const privateKeyHints = /-----BEGIN /g;

const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key without its end is masked to the end of the text: the rest is the key. */
export function findPrivateKey(text: string, { index: at }: RegExpExecArray): readonly Finding[] {
  header.lastIndex = at;
  if (!header.test(text)) return [];
  footer.lastIndex = header.lastIndex;
  const end = footer.test(text) ? footer.lastIndex : text.length;
  return [{ kind: 'private key', start: at, end }];
}
