/** Converts rich text to the data model of inline.ts. Its texts are literal: no entities, marks or emoji codes. */
import type { RichTextBlock, RichTextElement } from '@slack/types';
import { type Inline, type Style, styled, type TextBlock, textNode } from './inline.ts';
import { safeUrl } from './url.ts';

const indentMax = 8;
/** Code is the outermost style, so that bold inside code is bold code. */
const styleOrder: readonly Style[] = ['bold', 'italic', 'strike', 'underline', 'code'];

type TopLevelElement = RichTextBlock['elements'][number];

export function readRichText(elements: readonly TopLevelElement[]): readonly TextBlock[] {
  return elements.map(readElement);
}

function readElement(element: TopLevelElement): TextBlock {
  switch (element.type) {
    case 'rich_text_section':
      return { kind: 'paragraph', children: readLeaves(element.elements) };
    case 'rich_text_quote':
      return { kind: 'quote', children: [{ kind: 'paragraph', children: readLeaves(element.elements) }] };
    case 'rich_text_preformatted':
      return { kind: 'pre', children: readLeaves(element.elements) };
    case 'rich_text_list':
      return {
        kind: 'list',
        isOrdered: element.style === 'ordered',
        indent: Math.min(indentMax, Math.max(0, Math.trunc(element.indent ?? 0))),
        items: element.elements.map((item) => readLeaves(item.elements)),
      };
    default:
      return unknown(element);
  }
}

/** Draws types that the SDK does not know. */
function unknown(element: { readonly type?: unknown }): TextBlock {
  return { kind: 'paragraph', children: [textNode(`[${String(element.type)}]`)] };
}

function readLeaves(leaves: readonly RichTextElement[]): readonly Inline[] {
  return leaves.flatMap((leaf) => {
    const wanted = leaf.style ?? {};
    return styleOrder.reduce((inner, style) => (wanted[style] === true ? styled(style, inner) : inner), readLeaf(leaf));
  });
}

function readLeaf(leaf: RichTextElement): readonly Inline[] {
  switch (leaf.type) {
    case 'text':
      return leaf.text === '' ? [] : [textNode(leaf.text)];
    case 'link':
      return [readLink(leaf.url, leaf.text)];
    case 'emoji':
      return [{ kind: 'emoji', name: leaf.name }];
    case 'user':
      return [{ kind: 'user', id: leaf.user_id, label: '' }];
    case 'channel':
      return [{ kind: 'channel', id: leaf.channel_id, label: '' }];
    case 'date':
      return [readDate(leaf)];
    default:
      return [textNode(`[${String((leaf as { readonly type?: unknown }).type)}]`)];
  }
}

function readLink(address: string, text: string | undefined): Inline {
  const url = safeUrl(address);
  const label = text === undefined || text === '' ? address : text;
  return url === null ? textNode(label) : { kind: 'link', url, children: [textNode(label)] };
}

function readDate(leaf: Extract<RichTextElement, { type: 'date' }>): Inline {
  const url = leaf.url === undefined ? null : safeUrl(leaf.url);
  return {
    kind: 'date',
    date: { timestamp: leaf.timestamp, format: leaf.format, url, fallback: leaf.fallback ?? '' },
  };
}
