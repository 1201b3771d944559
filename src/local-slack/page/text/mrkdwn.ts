/** Parses Slack's mrkdwn: https://docs.slack.dev/messaging/formatting-message-text */
import { emojiCharacter } from './emoji.ts';
import { type Inline, type Style, styled, type TextBlock, textNode } from './inline.ts';
import { safeUrl } from './url.ts';

const fence = /```([\s\S]+?)```/g;
const quoted = /^(?:&gt;|>) ?/;
const quotedRest = /^(?:&gt;|>){3} ?/;

/** Parses a mrkdwn text object or a message's text. Never fails: anything that is not markup is text. */
export function parseMrkdwn(source: string, { linksUrls }: { readonly linksUrls: boolean }): readonly TextBlock[] {
  // `verbatim` prevents that addresses in plain text become links.
  const beginnings = linksUrls ? '<`*_~:hH' : '<`*_~:';
  const blocks: TextBlock[] = [];
  let end = 0;
  for (const match of source.matchAll(fence)) {
    blocks.push(...parseLines(source.slice(end, match.index), beginnings));
    blocks.push({ kind: 'pre', children: parseInline((match[1] ?? '').replace(/^\n|\n$/g, ''), inCode) });
    end = match.index + match[0].length;
  }
  blocks.push(...parseLines(source.slice(end), beginnings));
  return blocks;
}

/** Parses a plain_text object: only emoji codes, if its flag allows them. */
export function parsePlainText(source: string, hasEmoji: boolean): readonly Inline[] {
  return parseInline(source, hasEmoji ? ':' : '');
}

/** Quoted lines become quotes, the lines between them paragraphs. */
function parseLines(source: string, beginnings: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  const lines = source.split('\n');
  let start = 0;
  while (start < lines.length) {
    const isQuote = quoted.test(lines[start] ?? '');
    const takesRest = quotedRest.test(lines[start] ?? '');
    const next = lines.findIndex((line, index) => index > start && quoted.test(line) !== isQuote);
    const stop = takesRest || next === -1 ? lines.length : next;
    const run = lines.slice(start, stop);
    blocks.push(...(isQuote ? quote(run, takesRest, beginnings) : paragraph(run.join('\n'), beginnings)));
    start = stop;
  }
  return blocks;
}

function quote(lines: readonly string[], takesRest: boolean, beginnings: string): readonly TextBlock[] {
  const [first = '', ...others] = lines;
  const inner = takesRest ? [first.replace(quotedRest, ''), ...others] : lines.map((line) => line.replace(quoted, ''));
  return [{ kind: 'quote', children: [{ kind: 'paragraph', children: parseInline(inner.join('\n'), beginnings) }] }];
}

/** Removes the line breaks between a paragraph and a quote or fence. */
function paragraph(text: string, beginnings: string): readonly TextBlock[] {
  const inner = text.replace(/^\n|\n$/g, '');
  return inner === '' ? [] : [{ kind: 'paragraph', children: parseInline(inner, beginnings) }];
}

type ParsedSpan = { readonly nodes: readonly Inline[]; readonly end: number };
type Reading = { readonly source: string; readonly beginnings: string; readonly hopeless: Map<string, number> };

const marks: Readonly<Record<string, Style>> = { '*': 'bold', _: 'italic', '~': 'strike' };
const wordBefore = /[\p{L}\p{N}]$/u;
const wordAfter = /^[\p{L}\p{N}]/u;
const token = /<([^<>\n]+)>/y;
const code = /`([^`\n]+)`/y;
const emoji = /:([a-z0-9_+'-]{1,60}(?:::skin-tone-[2-6])?):/iy;
const address = /https?:\/\/(?:(?!&[lg]t;)[^\s<>|"`])+/iy;
/** Characters at which markup may begin. */
const special = /[<`*_~:h]/gi;

/** In code, only tokens are markup. */
const inCode = '<';

/**
 * @param source a paragraph; it may contain line breaks, which formatting does not cross
 * @param beginnings the characters at which markup may begin
 */
function parseInline(source: string, beginnings: string): readonly Inline[] {
  const reading: Reading = { source, beginnings, hopeless: new Map() };
  const nodes: Inline[] = [];
  let start = 0;
  for (const { index } of source.matchAll(special)) {
    const found = index < start || !beginnings.includes(source[index] ?? '') ? null : readAt(reading, index);
    if (!found) continue;
    if (index > start) nodes.push(textNode(decodeEntities(source.slice(start, index))));
    nodes.push(...found.nodes);
    start = found.end;
  }
  if (start < source.length) nodes.push(textNode(decodeEntities(source.slice(start))));
  return nodes;
}

function readAt(reading: Reading, at: number): ParsedSpan | null {
  const { source } = reading;
  switch (source[at]) {
    case '<':
      return readToken(source, at);
    case '`':
      return readCode(source, at);
    case ':':
      return readEmoji(source, at);
    case 'h':
    case 'H':
      return readAddress(source, at);
    default:
      return readMark(reading, at);
  }
}

function readToken(source: string, at: number): ParsedSpan | null {
  const match = matchAt(token, source, at);
  return match && { nodes: [parseToken(match[1] ?? '')], end: at + match[0].length };
}

function readCode(source: string, at: number): ParsedSpan | null {
  const match = matchAt(code, source, at);
  if (!match || !isEdge(source, at, at + match[0].length)) return null;
  return { nodes: styled('code', parseInline(match[1] ?? '', inCode)), end: at + match[0].length };
}

function readEmoji(source: string, at: number): ParsedSpan | null {
  const match = matchAt(emoji, source, at);
  const name = match?.[1] ?? '';
  if (!match || emojiCharacter(name) === undefined) return null;
  return { nodes: [{ kind: 'emoji', name }], end: at + match[0].length };
}

/** Reads an address without the punctuation that ends the sentence. */
function readAddress(source: string, at: number): ParsedSpan | null {
  if (wordBefore.test(source.slice(Math.max(0, at - 2), at))) return null;
  const typed = matchAt(address, source, at)?.[0].replace(/(?<![.,;:!?'*_~)\]}])[.,;:!?'*_~)\]}]+$/, '');
  const url = typed === undefined ? null : safeUrl(decodeEntities(typed));
  if (typed === undefined || url === null) return null;
  return { nodes: [{ kind: 'link', url, children: [textNode(decodeEntities(typed))] }], end: at + typed.length };
}

/** A pair of marks formats the text between them if both are at a word boundary, on one line. */
function readMark(reading: Reading, at: number): ParsedSpan | null {
  const { source, beginnings, hopeless } = reading;
  const mark = source[at] ?? '';
  const style = marks[mark];
  const after = source[at + 1] ?? '';
  if (!style || after === mark || /^\s?$/.test(after) || wordBefore.test(source.slice(Math.max(0, at - 2), at)))
    return null;
  if (at < (hopeless.get(mark) ?? 0)) return null;
  const close = findClose(source, mark, at + 1);
  if (close.at === -1) {
    hopeless.set(mark, close.lineEnd);
    return null;
  }
  return { nodes: styled(style, parseInline(source.slice(at + 1, close.at), beginnings)), end: close.at + 1 };
}

/** Skips tokens and code between the marks, since a mark in them closes nothing. */
function findClose(source: string, mark: string, from: number): { readonly at: number; readonly lineEnd: number } {
  const newline = source.indexOf('\n', from);
  const lineEnd = newline === -1 ? source.length : newline;
  let at = from;
  while (at < lineEnd) {
    const skipped = source[at] === '<' ? matchAt(token, source, at) : matchAt(code, source, at);
    if (skipped) at += skipped[0].length;
    else if (source[at] === mark && closes(source, at, from)) return { at, lineEnd };
    else at += 1;
  }
  return { at: -1, lineEnd };
}

function closes(source: string, at: number, from: number): boolean {
  return at > from && !/\s/.test(source[at - 1] ?? '') && !wordAfter.test(source.slice(at + 1, at + 3));
}

function isEdge(source: string, start: number, end: number): boolean {
  return !wordBefore.test(source.slice(Math.max(0, start - 2), start)) && !wordAfter.test(source.slice(end, end + 2));
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

const dateCommand = /^!date\^(-?\d{1,12})\^([^^]*)(?:\^(.*))?$/;

/** Only `&amp;`, `&lt;` and `&gt;` are Slack's; each is decoded once. */
function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '');
}

/** @param inner without the angle brackets @returns the text with its brackets if it is not a token of Slack's */
function parseToken(inner: string): Inline {
  const bar = inner.indexOf('|');
  const head = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : decodeEntities(inner.slice(bar + 1));
  const found = mention(head, label) ?? command(head, label) ?? link(head, label);
  return found ?? textNode(`<${decodeEntities(inner)}>`);
}

function mention(head: string, label: string): Inline | null {
  const [, sign, id = ''] = /^([@#])([A-Z0-9]{2,})$/.exec(head) ?? [];
  if (sign === undefined) return null;
  return { kind: sign === '@' ? 'user' : 'channel', id, label };
}

function command(head: string, label: string): Inline | null {
  if (!head.startsWith('!')) return null;
  const [, range] = /^!(here|channel|everyone)$/.exec(head) ?? [];
  if (range !== undefined) return { kind: 'broadcast', range };
  return date(head, label) ?? (label === '' ? null : textNode(label));
}

function date(head: string, label: string): Inline | null {
  const [, timestamp, format, url] = dateCommand.exec(head) ?? [];
  if (timestamp === undefined || format === undefined) return null;
  const address = url === undefined ? null : safeUrl(decodeEntities(url));
  const token = { timestamp: Number(timestamp), format: decodeEntities(format), url: address, fallback: label };
  return { kind: 'date', date: token };
}

function link(head: string, label: string): Inline | null {
  const decoded = decodeEntities(head);
  const url = safeUrl(decoded);
  if (url === null) return null;
  const text = label === '' ? decoded.replace(/^mailto:/, '') : label;
  return { kind: 'link', url, children: [textNode(text)] };
}
