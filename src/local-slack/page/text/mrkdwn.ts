/** Draws Slack's mrkdwn and plain text: https://docs.slack.dev/messaging/formatting-message-text */
import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import type { Viewer } from '../model/viewer.ts';
import {
  drawChannel,
  drawDate,
  drawEmoji,
  drawLink,
  drawParagraph,
  drawPreformatted,
  drawStyled,
  drawUser,
  type Style,
} from './rich-text.ts';

export function drawText(text: MrkdwnElement | PlainTextElement, viewer: Viewer): VNode {
  if (text.type === 'plain_text') return drawParagraph(drawPlain(text, viewer));
  return drawMrkdwn(text.text, viewer);
}

/** The text of a button, a heading or an option: one line, with emoji codes unless its flag forbids them. */
export function drawPlain(text: PlainTextElement, viewer: Viewer): readonly ComponentChildren[] {
  return text.emoji === false ? [decodeEntities(text.text)] : drawInline(text.text, emojiCodes, viewer);
}

/** Draws a mrkdwn text object or a message's text. Never fails: anything that is not markup is text. */
export function drawMrkdwn(source: string, viewer: Viewer): VNode {
  return drawParagraph(drawInline(source, markup, viewer));
}

const emojiCode = ":(?<emoji>[a-z0-9_+'-]{1,60}):";
const token = '<(?<token>[^<>\\n]+)>';
const fence = '\\n?```\\n?(?<fence>[^]+?)\\n?```\\n?';
const code = '(?<![\\p{L}\\p{N}])`(?<code>[^`\\n]+)`(?![\\p{L}\\p{N}])';
/** A token, code, or one other sign: each text is read in one way only. */
const piece = '<[^<>\\n]+>|<(?![^<>\\n]+>)|`[^`\\n]+`|`(?![^`\\n]+`)|[^<`\\n]';
/** A pair of marks at word boundaries on one line. Its limit keeps the time for unpaired marks linear. */
const pair = `(?<![\\p{L}\\p{N}])(?<mark>[*_~])(?!\\s|\\k<mark>)(?<marked>(?:${piece}){1,200}?)(?<!\\s)\\k<mark>(?![\\p{L}\\p{N}])`;

const emojiCodes = new RegExp(emojiCode, 'giu');
const markup = new RegExp([fence, token, code, emojiCode, pair].join('|'), 'giu');
/** In code, only tokens are markup. */
const tokens = new RegExp(token, 'gu');

/** @param pattern of the markup that counts; its groups have the names of `Found` */
function drawInline(source: string, pattern: RegExp, viewer: Viewer): readonly ComponentChildren[] {
  const nodes: ComponentChildren[] = [];
  let end = 0;
  for (const match of source.matchAll(pattern)) {
    nodes.push(decodeEntities(source.slice(end, match.index)), drawMarkup(match.groups ?? {}, viewer));
    end = match.index + match[0].length;
  }
  return [...nodes, decodeEntities(source.slice(end))];
}

type Found = { readonly [Name in 'fence' | 'token' | 'code' | 'emoji' | 'mark' | 'marked']?: string };

const styles: Readonly<Record<string, Style>> = { '*': 'bold', _: 'italic', '~': 'strike' };

function drawMarkup({ fence, token, code, emoji, mark = '', marked = '' }: Found, viewer: Viewer): ComponentChildren {
  if (fence !== undefined) return drawPreformatted(drawInline(fence, tokens, viewer));
  if (token !== undefined) return drawToken(token, viewer);
  if (code !== undefined) return drawStyled('code', drawInline(code, tokens, viewer));
  if (emoji !== undefined) return drawEmoji(emoji);
  return drawStyled(styles[mark] ?? 'bold', drawInline(marked, markup, viewer));
}

const dateCommand = /^!date\^(-?\d{1,12})\^([^^]*)(?:\^.*)?$/;

/** Only `&amp;`, `&lt;` and `&gt;` are Slack's; each is decoded once. */
function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '');
}

/** @param inner without the angle brackets @returns the text with its brackets if it is not a token of Slack's */
function drawToken(inner: string, viewer: Viewer): ComponentChildren {
  const [head = '', ...rest] = inner.split('|');
  const label = decodeEntities(rest.join('|'));
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
  const [, timestamp, format = ''] = dateCommand.exec(head) ?? [];
  if (timestamp === undefined) return label || null;
  return drawDate({ timestamp: Number(timestamp), format: decodeEntities(format), fallback: label }, viewer);
}
