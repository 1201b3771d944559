/** Generates the words of recovery phrases (BIP-39, English) from @scure/bip39 (MIT). */
import { readFile } from 'node:fs/promises';
import { wordlist } from '@scure/bip39/wordlists/english.js';

const wordsOfRow = 20;

/** @returns the text of src/shared/redaction/generated/recovery-words.ts */
export async function recoveryWords(): Promise<string> {
  const { version } = JSON.parse(await readFile('node_modules/@scure/bip39/package.json', 'utf8'));
  const rows = Array.from({ length: Math.ceil(wordlist.length / wordsOfRow) }, (_, row) =>
    wordlist.slice(row * wordsOfRow, (row + 1) * wordsOfRow).join(' '),
  );
  return `/** Generated from @scure/bip39 ${version} by \`npm run generate\`: the English words of BIP-39. Never edited. */
export const recoveryWords = \`${rows.join('\n')}\`;
`;
}
