/** Renders formatted text as Preact nodes. Text stays text; an address becomes an attribute only after `safeUrl`. */
import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { displayName, type Viewer } from '../model/viewer.ts';
import { slackbotId } from '../protocol.ts';
import { formatDate, fullTime } from './date-format.ts';
import { emojiCharacter } from './emoji.ts';
import type { DateToken, Inline, Style, TextBlock } from './inline.ts';
import { parseMrkdwn, parsePlainText } from './mrkdwn.ts';
import { readPermalink } from './url.ts';

const styleTags: Readonly<Record<Style, string>> = {
  bold: 'b',
  italic: 'i',
  strike: 's',
  underline: 'u',
  code: 'code',
};

/** A message's text: Slack links the addresses in it. */
export function drawMessageText(text: string, viewer: Viewer): readonly VNode[] {
  return drawBlocks(parseMrkdwn(text, { linksUrls: true }), viewer);
}

/** @returns paragraphs, quotes and code as blocks */
export function drawText(text: MrkdwnElement | PlainTextElement, viewer: Viewer): readonly VNode[] {
  if (text.type === 'plain_text') return [html`<div class="paragraph">${drawPlain(text, viewer)}</div>`];
  return drawBlocks(parseMrkdwn(text.text, { linksUrls: text.verbatim !== true }), viewer);
}

/** The text of a button, a heading or an option: one line, with emoji unless disabled. */
export function drawPlain(text: PlainTextElement, viewer: Viewer): readonly ComponentChildren[] {
  return drawInline(parsePlainText(text.text, text.emoji !== false), viewer);
}

export function drawBlocks(blocks: readonly TextBlock[], viewer: Viewer): readonly VNode[] {
  return blocks.map((block) => drawBlock(block, viewer));
}

function drawBlock(block: TextBlock, viewer: Viewer): VNode {
  switch (block.kind) {
    case 'paragraph':
      return html`<div class="paragraph">${drawInline(block.children, viewer)}</div>`;
    case 'pre':
      return html`<pre class="pre" tabindex="0">${drawInline(block.children, viewer)}</pre>`;
    case 'quote':
      return html`<blockquote class="quote">${drawBlocks(block.children, viewer)}</blockquote>`;
    case 'list':
      return html`<${block.isOrdered ? 'ol' : 'ul'} class=${`list list-${block.indent % 3} indent-${block.indent}`}>
        ${block.items.map((item) => html`<li>${drawInline(item, viewer)}</li>`)}
      <//>`;
  }
}

function drawInline(nodes: readonly Inline[], viewer: Viewer): readonly ComponentChildren[] {
  return nodes.map((node) => drawNode(node, viewer));
}

function drawNode(node: Inline, viewer: Viewer): ComponentChildren {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'styled':
      return html`<${styleTags[node.style]} class=${`style-${node.style}`}>${drawInline(node.children, viewer)}<//>`;
    case 'link':
      return link(node.url, drawInline(node.children, viewer), viewer);
    case 'emoji':
      return drawEmoji(node.name);
    case 'date':
      return drawDate(node.date, viewer);
    case 'broadcast':
      return html`<span class="mention mention-me">@${node.range}</span>`;
    case 'user': {
      const isKnown = viewer.users.has(node.id) || node.id === slackbotId;
      const name = isKnown ? displayName(viewer, node.id) : node.label || node.id;
      return html`<span class=${node.id === viewer.userId ? 'mention mention-me' : 'mention'}>@${name}</span>`;
    }
    case 'channel':
      return drawChannel(node.id, node.label, viewer);
  }
}

function link(url: string, children: ComponentChildren, viewer: Viewer): VNode {
  return html`<a class="link" ...${linkTo(url, viewer)}>${children}</a>`;
}

/** @param name without colons; an unknown name stays text */
function drawEmoji(name: string): ComponentChildren {
  const character = emojiCharacter(name);
  if (character === undefined) return `:${name}:`;
  const label = name.replaceAll('_', ' ');
  return html`<span class="emoji" role="img" aria-label=${label} title=${`:${name}:`}>${character}</span>`;
}

function drawDate(date: DateToken, viewer: Viewer): ComponentChildren {
  const text = formatDate(date, viewer);
  if (text === null) return date.fallback;
  const title = fullTime(date.timestamp * 1000, viewer);
  const time = html`<time title=${title} dateTime=${new Date(date.timestamp * 1000).toISOString()}>${text}</time>`;
  return date.url === null ? time : link(date.url, time, viewer);
}

/** Hides the name of a channel that this person cannot see, as Slack does. */
function drawChannel(id: string, label: string, viewer: Viewer): ComponentChildren {
  const channel = viewer.channels.get(id);
  if (!channel) return html`<span class="mention">#${label || 'private channel'}</span>`;
  const open = () => viewer.openChannel(id);
  return html`<button type="button" class="mention mention-channel" onClick=${open}>#${channel.name}</button>`;
}

type LinkAttributes = {
  readonly href: string;
  readonly target?: '_blank';
  readonly rel?: 'noopener noreferrer';
  readonly onClick: (event: Event) => void;
};

/** @param url has passed `safeUrl` @param onPress called on each click */
export function linkTo(url: string, viewer: Viewer, onPress: () => void = () => undefined): LinkAttributes {
  const message = readPermalink(url, viewer.origin);
  if (!message) return { href: url, target: '_blank', rel: 'noopener noreferrer', onClick: onPress };
  const onClick = (event: Event) => {
    event.preventDefault();
    onPress();
    viewer.openMessage(message);
  };
  return { href: url, onClick };
}
