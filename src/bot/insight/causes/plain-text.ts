/** An error as one running text: without stack frames, details after an empty line, escape sequences, JSON and mark-up. */
import { readBlobs } from './cause-blob.ts';
import { shortenUrls } from './cause-urls.ts';
import { codeKeys, messageKeys } from './vocabulary.ts';

/**
 * @param unitsMax more is not read: a quarter is the beginning, which says who speaks, the rest the end, which says what is wrong
 * @returns lines that belong together, each ended by a line break
 */
export function plainText(error: string, unitsMax: number): string {
  const printable = bothEnds(error, unitsMax / 4, (3 * unitsMax) / 4)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours are what is to be removed
    .replace(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\[[0-9a-f:]{2,45}\](?::\d{1,5})?/gi, (all) => (all.includes(':') ? '…' : all))
    .replace(/\bcode = (\S{1,60}) desc = /g, '$1: ')
    .replace(/0x[0-9a-f]{2,64}(?:…|\.{2,3})[0-9a-f]{2,64}/gi, '…');
  const read = readBlobs(printable)
    .replace(/\\r?\\n|\\n/g, '\n')
    .replace(/\\(["'])/g, '$1');
  return readPairs(shortenUrls(withoutDetails(withoutMarkup(decodeReverts(read)))));
}

/** @returns the text itself where it is no longer than both */
export function bothEnds(text: string, headUnits: number, tailUnits: number): string {
  if (text.length <= headUnits + tailUnits) return text;
  return `${text.slice(0, headUnits)} … ${text.slice(-tailUnits)}`;
}

const panic = /0x4e487b710{62}([0-9a-f]{2})/gi;
const revertWithText = /0x08c379a0([0-9a-f]{128,4000})/gi;

/** Solidity's `Panic(uint256)`, and its `Error(string)`: ABI-encoded as an offset, a length and the text in 32 bytes each. */
function decodeReverts(text: string): string {
  const named = text.replace(panic, (_all, code: string) => `panic code 0x${code}`);
  return named.replace(revertWithText, (all, hex: string) => {
    const length = Number.parseInt(hex.slice(64, 128), 16);
    const bytes = hex.slice(128, 128 + 2 * Math.min(length, 1_000)).match(/../g) ?? [];
    const said = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
    return said.trim() === '' ? all : `: ${said}`;
  });
}

function withoutMarkup(text: string): string {
  return /<(?:html|head|body|title|h1|center|p|div)\b/i.test(text) ? text.replace(/<[^<>]{1,300}>/g, '\n') : text;
}

const frame =
  /^\s*(?:at\s+\S|from\s+\S{1,200}:\d|File "|\.{3} \d+ (?:more|common)|\d+:\s+0x|#\d+\s|goroutine \d|note:|hint:|help:|for (?:more|further) (?:information|details)|\[[^\]]{0,400}\]$)/i;
const stackHeader = /^\s*(?:traceback|stack ?trace|stack|(?:wasm |stack )?backtrace)\b[^:]{0,40}:?/i;
const saysCause = /^\s*(?:caused? by|cause|reason|traceback|during handling|the above exception|last error|error)\b/i;

/** After an empty line come details, unless the text before announces them or they say that they are the cause. */
function withoutDetails(text: string): string {
  const kept: string[] = [];
  let isInStack = false;
  let isAfterEmpty = false;
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      isAfterEmpty = kept.length > 0;
      continue;
    }
    if (isAfterEmpty && !saysCause.test(line) && !kept.at(-1)?.trimEnd().endsWith(':')) break;
    isAfterEmpty = false;
    isInStack = stackHeader.test(line) || (isInStack && /^\s/.test(line));
    if (!isInStack && (kept.length === 0 || !frame.test(line))) kept.push(line.trim());
  }
  return kept.length > 0 ? kept.join('\n') : text;
}

const pair = /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_.-]{0,40})=("(?:[^"\\]|\\.){0,2000}"|[^\s,;()[\]{}"']{1,200})/gu;

/**
 * `key=value`: a value leaves unless its key announces a code or a message. Three pairs and more, a message among them,
 * are a log line: read as what stands before them and the codes and messages they hold.
 */
function readPairs(text: string): string {
  const said: string[] = [];
  let pairs = 0;
  let hasMessage = false;
  let start = 0;
  const read = text.replace(pair, (all, name: string, value: string, offset: number) => {
    const key = name.toLowerCase().replace(/[^a-z]/g, '');
    const plain = value.replace(/^"|"$/g, '');
    if (pairs === 0) start = offset;
    pairs += 1;
    if (/^(?:null|nil|none|undefined|…|)$/i.test(plain)) return '…';
    if (codeKeys.has(key)) said.push(`code ${plain}`);
    if (codeKeys.has(key)) return `code ${plain}`;
    if (!messageKeys.has(key)) return `${name} …`;
    said.push(plain);
    hasMessage = true;
    return all;
  });
  return pairs >= 3 && hasMessage ? `${text.slice(0, start)}: ${said.join(': ')}` : read;
}
