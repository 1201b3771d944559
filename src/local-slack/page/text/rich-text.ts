/** Draws rich text. Its texts are literal: no entities, marks or emoji codes. */
import type { RichTextBlock, RichTextElement } from '@slack/types';
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
  drawQuote,
  drawStyled,
  drawUser,
  type Style,
} from './nodes.ts';

const indentMax = 8;
/** Code is the outermost style, so that bold inside code is bold code. */
const styleOrder: readonly Style[] = ['bold', 'italic', 'strike', 'underline', 'code'];

export function drawRichText(elements: RichTextBlock['elements'], viewer: Viewer): readonly VNode[] {
  const leaves = (parts: readonly RichTextElement[]) => parts.map((leaf) => drawLeaf(leaf, viewer));
  return elements.map((element) => {
    switch (element.type) {
      case 'rich_text_section':
        return drawParagraph(leaves(element.elements));
      case 'rich_text_quote':
        return drawQuote(leaves(element.elements));
      case 'rich_text_preformatted':
        return drawPreformatted(leaves(element.elements));
      case 'rich_text_list': {
        const indent = Math.min(indentMax, Math.max(0, Math.trunc(element.indent ?? 0)));
        return html`<${element.style === 'ordered' ? 'ol' : 'ul'} class=${`list indent-${indent}`}>
          ${element.elements.map((item) => html`<li>${leaves(item.elements)}</li>`)}
        <//>`;
      }
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
