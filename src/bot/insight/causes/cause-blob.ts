/** JSON inside an error: what its own codes and messages say, and nothing of the rest. */
import { codeKeys, messageKeys } from './vocabulary.ts';

/** Where a JSON object or list of objects may begin. */
const opening = /[{[](?=\s{0,40}["{[])/g;

/** Before what was sent, as opposed to what came back. */
const sentPattern =
  /(?<!bad )\b(?:request|payload|params|parameters|input|args|arguments|data|call|tx|transaction)\W{0,3}$/i;

/** @returns the text with each piece of JSON replaced by its codes and messages, or by `…` where it has none; linear */
export function readBlobs(text: string): string {
  let read = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const end = endOfBlob(text, match.index);
    const before = text.slice(Math.max(0, match.index - 30), match.index);
    const said = sentPattern.test(before) ? '' : saidIn(text.slice(match.index, end));
    read += `${text.slice(from, match.index)}${said === '' ? '…' : said}`;
    from = end;
    opening.lastIndex = end;
  }
  return read + text.slice(from);
}

/** A blob that is cut off reaches to the end. */
function endOfBlob(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === '"') at = endOfString(text, at);
    else if (unit === '{' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

const pairPattern = /"((?:[^"\\]|\\.){1,60})"\s{0,8}:\s{0,8}(?:"((?:[^"\\]|\\.){0,4000})"?|(-?\d{1,12})(?![\d.]))/gs;

function saidIn(blob: string): string {
  const codes = new Set<string>();
  const messages = new Set<string>();
  for (const [, name = '', value, number] of blob.matchAll(pairPattern)) {
    const key = name.toLowerCase().replace(/[^a-z]/g, '');
    if (codeKeys.has(key)) codes.add(`code ${number ?? unescapeJson(value ?? '')}`);
    else if (messageKeys.has(key) && value) messages.add(unescapeJson(value));
  }
  return [...codes, ...messages].join(': ');
}

function unescapeJson(value: string): string {
  try {
    return String(JSON.parse(`"${value}"`));
  } catch {
    return value;
  }
}
