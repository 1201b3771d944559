/** Draws Slack's mrkdwn and plain text: https://docs.slack.dev/messaging/formatting-message-text */
import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import type { Viewer } from '../model/viewer.ts';
import { emojiCharacter } from './emoji.ts';
import {
  drawChannel,
  drawDate,
  drawEmoji,
  drawLink,
  drawParagraph,
  drawPreformatted,
  drawQuote,
  drawStyled,
  drawUser,
  type Style,
} from './rich-text.ts';

const fence = /```([\s\S]+?)```/g;
const quoted = /^(?:&gt;|>) ?/;
const quotedRest = /^(?:&gt;|>){3} ?/;

/** @returns paragraphs, quotes and code as blocks */
export function drawText(text: MrkdwnElement | PlainTextElement, viewer: Viewer): readonly VNode[] {
  if (text.type === 'plain_text') return [drawParagraph(drawPlain(text, viewer))];
  return drawMrkdwn(text.text, viewer, { linksUrls: text.verbatim !== true });
}

/** The text of a button, a heading or an option: one line, with emoji codes unless its flag forbids them. */
export function drawPlain(text: PlainTextElement, viewer: Viewer): readonly ComponentChildren[] {
  return drawInline(text.text, text.emoji === false ? '' : ':', viewer);
}

/**
 * Draws a mrkdwn text object or a message's text. Never fails: anything that is not markup is text.
 * @param linksUrls true by default; `verbatim` prevents that addresses in plain text become links
 */
export function drawMrkdwn(source: string, viewer: Viewer, { linksUrls = true } = {}): readonly VNode[] {
  const beginnings = linksUrls ? '<`*_~:hH' : '<`*_~:';
  const blocks: VNode[] = [];
  let end = 0;
  for (const match of source.matchAll(fence)) {
    blocks.push(...drawLines(source.slice(end, match.index), beginnings, viewer));
    blocks.push(drawPreformatted(drawInline(withoutBreaks(match[1] ?? ''), inCode, viewer)));
    end = match.index + match[0].length;
  }
  return [...blocks, ...drawLines(source.slice(end), beginnings, viewer)];
}

/** Quoted lines become quotes, the lines between them paragraphs. */
function drawLines(source: string, beginnings: string, viewer: Viewer): readonly VNode[] {
  const blocks: VNode[] = [];
  const lines = source.split('\n');
  let start = 0;
  while (start < lines.length) {
    const isQuote = quoted.test(lines[start] ?? '');
    const takesRest = quotedRest.test(lines[start] ?? '');
    const next = lines.findIndex((line, index) => index > start && quoted.test(line) !== isQuote);
    const stop = takesRest || next === -1 ? lines.length : next;
    const run = lines.slice(start, stop);
    const sign = takesRest ? quotedRest : quoted;
    const inner = run.map((line, at) => (isQuote && (at === 0 || !takesRest) ? line.replace(sign, '') : line));
    // The line breaks between a paragraph and a quote or fence are not part of the paragraph.
    const text = isQuote ? inner.join('\n') : withoutBreaks(inner.join('\n'));
    if (isQuote || text !== '')
      blocks.push((isQuote ? drawQuote : drawParagraph)(drawInline(text, beginnings, viewer)));
    start = stop;
  }
  return blocks;
}

function withoutBreaks(text: string): string {
  return text.replace(/^\n|\n$/g, '');
}

type Span = { readonly node: ComponentChildren; readonly end: number };
type Reading = {
  readonly source: string;
  readonly beginnings: string;
  readonly viewer: Viewer;
  /** By mark, the position before which no closing mark follows. */
  readonly hopeless: Map<string, number>;
};

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
function drawInline(source: string, beginnings: string, viewer: Viewer): readonly ComponentChildren[] {
  const reading: Reading = { source, beginnings, viewer, hopeless: new Map() };
  const nodes: ComponentChildren[] = [];
  let start = 0;
  for (const { index } of source.matchAll(special)) {
    const found = index < start || !beginnings.includes(source[index] ?? '') ? null : readAt(reading, index);
    if (!found) continue;
    if (index > start) nodes.push(decodeEntities(source.slice(start, index)));
    nodes.push(found.node);
    start = found.end;
  }
  if (start < source.length) nodes.push(decodeEntities(source.slice(start)));
  return nodes;
}

function readAt(reading: Reading, at: number): Span | null {
  switch (reading.source[at]) {
    case '<':
      return readToken(reading, at);
    case '`':
      return readCode(reading, at);
    case ':':
      return readEmoji(reading, at);
    case 'h':
    case 'H':
      return readAddress(reading, at);
    default:
      return readMark(reading, at);
  }
}

function readToken({ source, viewer }: Reading, at: number): Span | null {
  const match = matchAt(token, source, at);
  return match && { node: drawToken(match[1] ?? '', viewer), end: at + match[0].length };
}

function readCode({ source, viewer }: Reading, at: number): Span | null {
  const match = matchAt(code, source, at);
  if (!match || !isEdge(source, at, at + match[0].length)) return null;
  return { node: drawStyled('code', drawInline(match[1] ?? '', inCode, viewer)), end: at + match[0].length };
}

function readEmoji({ source }: Reading, at: number): Span | null {
  const match = matchAt(emoji, source, at);
  const name = match?.[1] ?? '';
  if (!match || emojiCharacter(name) === undefined) return null;
  return { node: drawEmoji(name), end: at + match[0].length };
}

/** Reads an address without the punctuation that ends the sentence. */
function readAddress({ source, viewer }: Reading, at: number): Span | null {
  if (wordBefore.test(source.slice(Math.max(0, at - 2), at))) return null;
  const typed = matchAt(address, source, at)?.[0].replace(/(?<![.,;:!?'*_~)\]}])[.,;:!?'*_~)\]}]+$/, '') ?? '';
  const node = drawLink(decodeEntities(typed), decodeEntities(typed), viewer);
  return node && { node, end: at + typed.length };
}

/** A pair of marks formats the text between them if both are at a word boundary, on one line. */
function readMark({ source, beginnings, viewer, hopeless }: Reading, at: number): Span | null {
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
  const inner = drawInline(source.slice(at + 1, close.at), beginnings, viewer);
  return { node: drawStyled(style, inner), end: close.at + 1 };
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
function drawToken(inner: string, viewer: Viewer): ComponentChildren {
  const bar = inner.indexOf('|');
  const head = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : decodeEntities(inner.slice(bar + 1));
  const [, sign, id = ''] = /^([@#])([A-Z0-9]{2,})$/.exec(head) ?? [];
  if (sign !== undefined) return (sign === '@' ? drawUser : drawChannel)(id, label, viewer);
  const target = decodeEntities(head);
  const link = () => drawLink(target, label || target.replace(/^mailto:/, ''), viewer);
  return (head.startsWith('!') ? drawCommand(head, label, viewer) : link()) ?? `<${decodeEntities(inner)}>`;
}

/** @returns null for an unknown command without a label */
function drawCommand(head: string, label: string, viewer: Viewer): ComponentChildren {
  const [, range] = /^!(here|channel|everyone)$/.exec(head) ?? [];
  if (range !== undefined) return html`<span class="mention mention-me">@${range}</span>`;
  const [, timestamp, format = '', url] = dateCommand.exec(head) ?? [];
  if (timestamp === undefined) return label || null;
  const link = url === undefined ? undefined : decodeEntities(url);
  const date = { timestamp: Number(timestamp), format: decodeEntities(format), url: link, fallback: label };
  return drawDate(date, viewer);
}
