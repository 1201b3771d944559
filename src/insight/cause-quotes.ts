/** Quoted text inside an error: a value leaves, a message stays without its quotes. */
import { codeWords, messageKeys } from './cause-words.ts';

const quoted =
  /"([^"\n]{0,1500})"|“([^”\n]{0,1500})”|«([^»\n]{0,1500})»|`([^`\n]{0,400})`|`([^`'\n]{0,200})'|(?<![\p{L}\p{N}])['‘]((?:[^'’\n]|['’](?=\p{L})){0,800})['’](?![\p{L}\p{N}])/gu;

const depthMax = 3;

/** @returns the text with quoted values as `…` and quoted messages laid open, those inside them too */
export function readQuotes(text: string, depth = 0): string {
  return text.replace(quoted, (...found) => {
    const content = found.slice(1, 7).find((part): part is string => typeof part === 'string') ?? '';
    const offset = found[7];
    const before = typeof offset === 'number' ? text.slice(Math.max(0, offset - 40), offset) : '';
    if (!isMessage(content, before)) return '…';
    return depth < depthMax ? readQuotes(content, depth + 1) : content;
  });
}

/** Names are shorter. */
const sentenceWords = 5;

/** A message is announced by a word such as `reason`, or stands after a colon, or is long enough for a sentence. */
function isMessage(content: string, before: string): boolean {
  const announcer = /([\p{L}_]{1,30})\W{0,3}$/u.exec(before)?.[1]?.toLowerCase().replace(/_/g, '') ?? '';
  if (messageKeys.has(announcer) || codeWords.has(announcer)) return /\p{L}{2}/u.test(content);
  const words = content.match(/\p{L}{2,}/gu)?.length ?? 0;
  return words >= sentenceWords || (/(?:^|[:=,(["”])\s{0,3}$/.test(before) && words >= 3);
}
