/** Reduces an error to running text: without stack frames, details after an empty line, escape sequences, JSON, quotes, URLs and markup. */
import { codeKeys, codeWords, letterIdPattern, messageKeys, termPattern } from './vocabulary.ts';

/**
 * @param unitsMax units that are read: a quarter from the beginning, which names the source, the rest from the end, which names the fault
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

/** @returns the text itself if it is no longer than both */
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
    const reason = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
    return reason.trim() === '' ? all : `: ${reason}`;
  });
}

function withoutMarkup(text: string): string {
  return /<(?:html|head|body|title|h1|center|p|div)\b/i.test(text) ? text.replace(/<[^<>]{1,300}>/g, '\n') : text;
}

const frame =
  /^\s*(?:at\s+\S|from\s+\S{1,200}:\d|File "|\.{3} \d+ (?:more|common)|\d+:\s+0x|#\d+\s|goroutine \d|note:|hint:|help:|for (?:more|further) (?:information|details)|\[[^\]]{0,400}\]$)/i;
const stackHeader = /^\s*(?:traceback|stack ?trace|stack|(?:wasm |stack )?backtrace)\b[^:]{0,40}:?/i;
const causeLine = /^\s*(?:caused? by|cause|reason|traceback|during handling|the above exception|last error|error)\b/i;

/** Drops the details after an empty line, unless the text before announces them or they name the cause. */
function withoutDetails(text: string): string {
  const lines: string[] = [];
  let isInStack = false;
  let isAfterEmpty = false;
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      isAfterEmpty = lines.length > 0;
      continue;
    }
    if (isAfterEmpty && !causeLine.test(line) && !lines.at(-1)?.trimEnd().endsWith(':')) break;
    isAfterEmpty = false;
    isInStack = stackHeader.test(line) || (isInStack && /^\s/.test(line));
    if (!isInStack && (lines.length === 0 || !frame.test(line))) lines.push(line.trim());
  }
  return lines.length > 0 ? lines.join('\n') : text;
}

const pair = /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_.-]{0,40})=("(?:[^"\\]|\\.){0,2000}"|[^\s,;()[\]{}"']{1,200})/gu;

/**
 * `key=value`: drops a value unless its key announces a code or a message. Three or more pairs with a message among them
 * are a log line, reduced to the text before them and to their codes and messages.
 */
function readPairs(text: string): string {
  const found: string[] = [];
  let pairs = 0;
  let hasMessage = false;
  let start = 0;
  const read = text.replace(pair, (all, name: string, value: string, offset: number) => {
    const key = name.toLowerCase().replace(/[^a-z]/g, '');
    const plain = value.replace(/^"|"$/g, '');
    if (pairs === 0) start = offset;
    pairs += 1;
    if (/^(?:null|nil|none|undefined|…|)$/i.test(plain)) return '…';
    if (codeKeys.has(key)) found.push(`code ${plain}`);
    if (codeKeys.has(key)) return `code ${plain}`;
    if (!messageKeys.has(key)) return `${name} …`;
    found.push(plain);
    hasMessage = true;
    return all;
  });
  return pairs >= 3 && hasMessage ? `${text.slice(0, start)}: ${found.join(': ')}` : read;
}

const urlPattern = /[a-z][a-z0-9+.-]{1,12}:\/\/([^\s"'<>`)\]}|…]{1,2000})/gi;
/** A query after a path; searched at each question mark, so that a path without one is read once. */
const queryPattern = /\?(?<=\/[\w.%~/-]{1,300}\?)[^\s"'<>`)\]}]{0,2000}/g;

/** @returns the text with urls as `host/path/…`: no scheme, user, port, query or fragment */
export function shortenUrls(text: string): string {
  const shortened = text.includes('://') ? text.replace(urlPattern, (_all, rest: string) => shortenUrl(rest)) : text;
  return shortened.includes('?') ? shortened.replace(queryPattern, '') : shortened;
}

function shortenUrl(rest: string): string {
  const ended = /[.,:;!]{1,3}$/.exec(rest)?.[0] ?? '';
  const plain = rest.slice(0, rest.length - ended.length).replace(/[?#].*/s, '');
  const [authority = '', ...path] = plain.split('/');
  const host = (authority.split('@').at(-1) ?? '').replace(/:\d+$/, '');
  const labels = host.split('.').map(steady);
  const shownHost = labels.every((label) => label === '…') ? '…' : labels.join('.');
  return [shownHost, ...path.map(steady)].join('/') + ended;
}

function steady(label: string): string {
  if (letterIdPattern.test(label)) return '…';
  return !/\d|%/.test(label) || termPattern.test(label) || /^v\d{1,3}$/i.test(label) ? label : '…';
}

/** The possible start of a JSON object or list of objects. */
const blobOpening = /[{[](?=\s{0,40}["{[])/g;

/** Precedes data that was sent, as opposed to received. */
const sentPattern =
  /(?<!bad )\b(?:request|payload|params|parameters|input|args|arguments|data|call|tx|transaction)\W{0,3}$/i;

/** @returns the text with each piece of JSON replaced by its codes and messages, or by `…` if it has none; linear */
export function readBlobs(text: string): string {
  let read = '';
  let from = 0;
  blobOpening.lastIndex = 0;
  for (let match = blobOpening.exec(text); match !== null; match = blobOpening.exec(text)) {
    const end = endOfBlob(text, match.index);
    const before = text.slice(Math.max(0, match.index - 30), match.index);
    const found = sentPattern.test(before) ? '' : codesAndMessages(text.slice(match.index, end));
    read += `${text.slice(from, match.index)}${found === '' ? '…' : found}`;
    from = end;
    blobOpening.lastIndex = end;
  }
  return read + text.slice(from);
}

/** A truncated blob reaches to the end. */
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

function codesAndMessages(blob: string): string {
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

const depthMax = 3;
const quoteOpening = /["“«`'‘]/g;

/** @returns the text with quoted values as `…` and quoted messages without their quotes, also nested ones; linear */
export function readQuotes(text: string, depth = 0): string {
  const endOf = createEnds(text);
  let read = '';
  let from = 0;
  quoteOpening.lastIndex = 0;
  for (let match = quoteOpening.exec(text); match !== null; match = quoteOpening.exec(text)) {
    const start = match.index;
    const end = endOf(start);
    if (end === null) continue;
    const content = text.slice(start + 1, end);
    const isLaidOpen = isMessage(content, text.slice(Math.max(0, start - 40), start));
    read += `${text.slice(from, start)}${isLaidOpen ? (depth < depthMax ? readQuotes(content, depth + 1) : content) : '…'}`;
    from = end + 1;
    quoteOpening.lastIndex = from;
  }
  return read + text.slice(from);
}

/** Longer texts between quotes are not quotations. */
const unitsMax = { '"': 1500, '“': 1500, '«': 1500, '`': 400, "`'": 200, "'": 800 } as const;

/**
 * Finds the end of the quotation that opens at an index, on the same line; null if it does not close. Each kind of end is
 * searched once, however many quotes stay open: called with ascending indexes, the cost is linear in the text.
 */
function createEnds(text: string): (start: number) => number | null {
  const lineEnd = createNext(text, /\n/g);
  const double = createNext(text, /"/g);
  const curly = createNext(text, /”/g);
  const angle = createNext(text, /»/g);
  const backtick = createNext(text, /`/g);
  const tick = createNext(text, /'/g);
  /** Between letters it is an apostrophe; before a number nothing is quoted. */
  const single = createNext(text, /['’](?!\p{L})/gu);
  const within = (start: number, end: number, max: number) =>
    end - start - 1 <= max && end < lineEnd(start + 1) ? end : null;
  const ofSingle = (start: number) => {
    const end = within(start, single(start + 1), unitsMax["'"]);
    return end === null || isWord(text, end + 1) || isWordBefore(text, start) ? null : end;
  };
  return (start) => {
    switch (text[start]) {
      case '"':
        return within(start, double(start + 1), unitsMax['"']);
      case '“':
        return within(start, curly(start + 1), unitsMax['“']);
      case '«':
        return within(start, angle(start + 1), unitsMax['«']);
      case '`': {
        const end = backtick(start + 1);
        const other = tick(start + 1);
        return within(start, end, unitsMax['`']) ?? (other < end ? within(start, other, unitsMax["`'"]) : null);
      }
      default:
        return ofSingle(start);
    }
  };
}

/** @returns the next index of a pattern at or after an index, `Infinity` for none; indexes must not decrease */
function createNext(text: string, pattern: RegExp): (from: number) => number {
  let known = -1;
  return (from) => {
    if (known >= from) return known;
    pattern.lastIndex = from;
    known = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    return known;
  };
}

const wordAt = /[\p{L}\p{N}]/uy;
const wordBefore = /[\p{L}\p{N}]$/u;

function isWord(text: string, at: number): boolean {
  wordAt.lastIndex = at;
  return wordAt.test(text);
}

function isWordBefore(text: string, at: number): boolean {
  return wordBefore.test(text.slice(Math.max(0, at - 2), at));
}

/** Quoted names have fewer words. */
const sentenceWords = 5;

/** A message is announced by a word such as `reason`, or follows a colon, or is long enough for a sentence. */
function isMessage(content: string, before: string): boolean {
  const announcer = /([\p{L}_]{1,30})\W{0,3}$/u.exec(before)?.[1]?.toLowerCase().replace(/_/g, '') ?? '';
  if (messageKeys.has(announcer) || codeWords.has(announcer)) return /\p{L}{2}/u.test(content);
  const words = content.match(/\p{L}{2,}/gu)?.length ?? 0;
  return words >= sentenceWords || (/(?:^|[:=,(["”])\s{0,3}$/.test(before) && words >= 3);
}
