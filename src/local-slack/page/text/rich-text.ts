/**
 * Draws rich text, whose texts are literal: no entities, marks or emoji codes. Mrkdwn is drawn from the same parts. An address
 * becomes an attribute only after `safeUrl`.
 */
import type { RichTextBlock, RichTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { displayName, type Viewer } from '../model/viewer.ts';
import { slackbotId } from '../protocol.ts';
import { formatDate, fullTime } from './date-format.ts';
import { readPermalink, safeUrl } from './url.ts';

const styleTags = { bold: 'b', italic: 'i', strike: 's', code: 'code' } as const;

export type Style = keyof typeof styleTags;

export function drawStyled(style: Style, children: ComponentChildren): VNode {
  return html`<${styleTags[style]}>${children}<//>`;
}

export function drawParagraph(children: ComponentChildren): VNode {
  return html`<div class="paragraph">${children}</div>`;
}

export function drawPreformatted(children: ComponentChildren): VNode {
  return html`<pre class="pre" tabindex="0">${children}</pre>`;
}

/** @returns null for an address that is not safe */
export function drawLink(address: string, children: ComponentChildren, viewer: Viewer): VNode | null {
  const url = safeUrl(address);
  return url === null ? null : html`<a class="link" ...${linkTo(url, viewer)}>${children}</a>`;
}

export function drawUser(id: string, label: string, viewer: Viewer): VNode {
  const isKnown = viewer.users.has(id) || id === slackbotId;
  const name = isKnown ? displayName(viewer, id) : label || id;
  return html`<span class=${id === viewer.userId ? 'mention mention-me' : 'mention'}>@${name}</span>`;
}

/** Hides the name of a channel that this person cannot see, as Slack does. */
export function drawChannel(id: string, label: string, viewer: Viewer): VNode {
  const channel = viewer.channels.get(id);
  if (!channel) return html`<span class="mention">#${label || 'private channel'}</span>`;
  const open = () => viewer.openChannel(id);
  return html`<button type="button" class="mention mention-channel" onClick=${open}>#${channel.name}</button>`;
}

/** The codes that the bot writes, and a few that people type. Names are as in https://github.com/iamcal/emoji-data. */
const emojiTable = `warning ⚠️|x ❌|white_check_mark ✅|information_source ℹ️|grey_question ❔|mag 🔍|hourglass_flowing_sand ⏳|double_vertical_bar ⏸️
white_circle ⚪|red_circle 🔴|large_yellow_circle 🟡|large_green_circle 🟢|large_blue_circle 🔵|page_facing_up 📄|point_right 👉
no_entry_sign 🚫|wastebasket 🗑️|rotating_light 🚨|lock 🔒
fire 🔥|rocket 🚀|tada 🎉|eyes 👀|wave 👋|+1 👍|thumbsup 👍|pray 🙏|slightly_smiling_face 🙂`;
const emojis: ReadonlyMap<string, string> = new Map(
  emojiTable.split(/[|\n]/).map((pair) => {
    const [name = '', character = ''] = pair.split(' ');
    return [name, character];
  }),
);

/** @param name without colons @returns undefined for an unknown name */
export function emojiCharacter(name: string): string | undefined {
  return emojis.get(name);
}

/** @param name without colons; an unknown name stays text */
export function drawEmoji(name: string): ComponentChildren {
  const character = emojiCharacter(name);
  if (character === undefined) return `:${name}:`;
  const label = name.replaceAll('_', ' ');
  return html`<span class="emoji" role="img" aria-label=${label} title=${`:${name}:`}>${character}</span>`;
}

type DateToken = {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly format: string;
  readonly fallback?: string | undefined;
};

export function drawDate(date: DateToken, viewer: Viewer): ComponentChildren {
  const text = formatDate(date, viewer);
  if (text === null) return date.fallback;
  const title = fullTime(date.timestamp * 1000, viewer);
  return html`<time title=${title} dateTime=${new Date(date.timestamp * 1000).toISOString()}>${text}</time>`;
}

/** @param url has passed `safeUrl` @param onPress called on each click */
export function linkTo(url: string, viewer: Viewer, onPress: () => void = () => undefined) {
  const message = readPermalink(url, viewer.origin);
  if (!message) return { href: url, target: '_blank', rel: 'noopener noreferrer', onClick: onPress };
  const onClick = (event: Event) => {
    event.preventDefault();
    onPress();
    viewer.openMessage(message);
  };
  return { href: url, onClick };
}

/** Code is the outermost style, so that bold inside code is bold code. */
const styleOrder: readonly Style[] = ['bold', 'italic', 'strike', 'code'];

export function drawRichText(elements: RichTextBlock['elements'], viewer: Viewer): readonly VNode[] {
  const leaves = (parts: readonly RichTextElement[]) => parts.map((leaf) => drawLeaf(leaf, viewer));
  return elements.map((element) => {
    switch (element.type) {
      case 'rich_text_section':
        return drawParagraph(leaves(element.elements));
      case 'rich_text_quote':
        return html`<blockquote class="quote">${drawParagraph(leaves(element.elements))}</blockquote>`;
      case 'rich_text_preformatted':
        return drawPreformatted(leaves(element.elements));
      case 'rich_text_list':
        return html`<${element.style === 'ordered' ? 'ol' : 'ul'} class="list">
          ${element.elements.map((item) => html`<li>${leaves(item.elements)}</li>`)}
        <//>`;
      default:
        return drawParagraph(placeholder(element));
    }
  });
}

/** For types that the SDK does not know. */
function placeholder({ type }: { readonly type?: unknown }): string {
  return `[${String(type)}]`;
}

function drawLeaf(leaf: RichTextElement, viewer: Viewer): ComponentChildren {
  if (leaf.type === 'text' && leaf.text === '') return null;
  const styles = styleOrder.filter((style) => leaf.style?.[style] === true);
  return styles.reduce<ComponentChildren>((inner, style) => drawStyled(style, inner), drawPlainLeaf(leaf, viewer));
}

function drawPlainLeaf(leaf: RichTextElement, viewer: Viewer): ComponentChildren {
  switch (leaf.type) {
    case 'text':
      return leaf.text;
    case 'link': {
      const label = leaf.text || leaf.url;
      return drawLink(leaf.url, label, viewer) ?? label;
    }
    case 'emoji':
      return drawEmoji(leaf.name);
    case 'user':
      return drawUser(leaf.user_id, '', viewer);
    case 'channel':
      return drawChannel(leaf.channel_id, '', viewer);
    case 'date':
      return drawDate(leaf, viewer);
    default:
      return placeholder(leaf);
  }
}
