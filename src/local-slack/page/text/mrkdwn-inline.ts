/** One paragraph of mrkdwn: formatting marks, tokens, emoji codes, and what Slack links by itself. */
import { emojiCharacter } from './emoji.ts';
import { type Inline, type Style, styled, textNode } from './inline.ts';
import { decodeEntities, parseToken, parseTokens } from './mrkdwn-token.ts';
import { safeUrl } from './safe-url.ts';

export type InlineRules = {
  readonly hasFormatting: boolean;
  readonly hasEmoji: boolean;
  /** Addresses typed out become links: the text is not `verbatim`. */
  readonly linksUrls: boolean;
  /** `@here`, `@channel`, `@everyone` and `#name` likewise. */
  readonly linksNames: boolean;
};

type Found = { readonly nodes: readonly Inline[]; readonly end: number };
type Reading = { readonly source: string; readonly rules: InlineRules; readonly hopeless: Map<string, number> };

const marks: Readonly<Record<string, Style>> = { '*': 'bold', _: 'italic', '~': 'strike' };
const wordBefore = /[\p{L}\p{N}]$/u;
const wordAfter = /^[\p{L}\p{N}]/u;
const token = /<([^<>\n]+)>/y;
const code = /`([^`\n]+)`/y;
const emoji = /:([a-z0-9_+'-]{1,60}(?:::skin-tone-[2-6])?):/iy;
const address = /https?:\/\/(?:(?!&[lg]t;)[^\s<>|"`])+/iy;
const broadcast = /@(here|channel|everyone)(?![\p{L}\p{N}_-])/uy;
const channelName = /#([a-z0-9][a-z0-9_-]{0,79})/y;
/** Where something other than text may begin. */
const special = /[<`*_~:h@#]/gi;

/** @param source a paragraph: may hold line breaks, which formatting does not cross */
export function parseInline(source: string, rules: InlineRules): readonly Inline[] {
  const reading: Reading = { source, rules, hopeless: new Map() };
  const nodes: Inline[] = [];
  let start = 0;
  for (const { index } of source.matchAll(special)) {
    if (index < start) continue;
    const found = readAt(reading, index);
    if (!found) continue;
    if (index > start) nodes.push(textNode(decodeEntities(source.slice(start, index))));
    nodes.push(...found.nodes);
    start = found.end;
  }
  if (start < source.length) nodes.push(textNode(decodeEntities(source.slice(start))));
  return nodes;
}

function readAt(reading: Reading, at: number): Found | null {
  const { source, rules } = reading;
  switch (source[at]) {
    case '<':
      return rules.hasFormatting ? readToken(source, at) : null;
    case '`':
      return rules.hasFormatting ? readCode(source, at) : null;
    case ':':
      return rules.hasEmoji ? readEmoji(source, at) : null;
    case 'h':
    case 'H':
      return rules.linksUrls ? readAddress(source, at) : null;
    case '@':
    case '#':
      return rules.linksNames ? readName(source, at) : null;
    default:
      return rules.hasFormatting ? readMark(reading, at) : null;
  }
}

function readToken(source: string, at: number): Found | null {
  const match = matchAt(token, source, at);
  return match && { nodes: [parseToken(match[1] ?? '')], end: at + match[0].length };
}

function readCode(source: string, at: number): Found | null {
  const match = matchAt(code, source, at);
  if (!match || !isEdge(source, at, at + match[0].length)) return null;
  return { nodes: styled('code', parseTokens(match[1] ?? '')), end: at + match[0].length };
}

function readEmoji(source: string, at: number): Found | null {
  const match = matchAt(emoji, source, at);
  const name = match?.[1] ?? '';
  if (!match || emojiCharacter(name) === undefined) return null;
  return { nodes: [{ kind: 'emoji', name }], end: at + match[0].length };
}

/** Punctuation that ends the sentence is not part of the address. */
function readAddress(source: string, at: number): Found | null {
  if (wordBefore.test(source.slice(Math.max(0, at - 2), at))) return null;
  const typed = matchAt(address, source, at)?.[0].replace(/(?<![.,;:!?'*_~)\]}])[.,;:!?'*_~)\]}]+$/, '');
  const url = typed === undefined ? null : safeUrl(decodeEntities(typed));
  if (typed === undefined || url === null) return null;
  return { nodes: [{ kind: 'link', url, children: [textNode(decodeEntities(typed))] }], end: at + typed.length };
}

function readName(source: string, at: number): Found | null {
  if (wordBefore.test(source.slice(Math.max(0, at - 2), at))) return null;
  const range = matchAt(broadcast, source, at);
  if (range) return { nodes: [{ kind: 'broadcast', range: range[1] ?? '' }], end: at + range[0].length };
  const name = matchAt(channelName, source, at);
  return name && { nodes: [{ kind: 'channel-name', name: name[1] ?? '' }], end: at + name[0].length };
}

/** A pair of marks formats what is between them where both stand at the edge of a word, on one line. */
function readMark(reading: Reading, at: number): Found | null {
  const { source, rules, hopeless } = reading;
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
  return { nodes: styled(style, parseInline(source.slice(at + 1, close.at), rules)), end: close.at + 1 };
}

/** Tokens and code between the marks are stepped over: a mark in them closes nothing. */
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
