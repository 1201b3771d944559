/** Derives a message's top-level mrkdwn `text` from its blocks, so that the two cannot disagree. */
import type { KnownBlock, RichTextBlock, RichTextElement } from '@slack/types';
import { memoize } from '../../../shared/cache/memoize.ts';
import { escapeEntities, literalLine, type Markup, markup } from '../format/mrkdwn.ts';
import { outsideError } from '../format/outside-text.ts';
import { planAsList } from './plan.ts';

/** One line or more for a block that says something; buttons and menus say nothing. Of a block that never changes it is read once. */
export const blockText: (block: KnownBlock) => string = memoize(readBlock);

function readBlock(block: KnownBlock): string {
  switch (block.type) {
    case 'header':
      return markup`${block.text.text}`.mrkdwn;
    case 'section':
      return [block.text, ...(block.fields ?? [])]
        .map((text) => (text ? textObject(text) : ''))
        .filter(Boolean)
        .join('\n');
    case 'context':
      return block.elements
        .map((element) => (element.type === 'image' ? markup`${element.alt_text}`.mrkdwn : textObject(element)))
        .join(' · ');
    case 'rich_text':
      return richText(block);
    case 'plan':
      return richText(planAsList(block));
    case 'table':
      return block.rows.map((row) => row.map((cell) => tableCell(cell)).join(' · ')).join('\n');
    case 'image':
      return markup`${block.alt_text}`.mrkdwn;
    default:
      return '';
  }
}

function textObject(text: { readonly type: string; readonly text: string }): string {
  return text.type === 'mrkdwn' ? text.text : markup`${text.text}`.mrkdwn;
}

function tableCell(cell: RichTextBlock | { readonly type: string; readonly text?: string }): string {
  if ('elements' in cell) return richText(cell);
  return markup`${cell.text ?? ''}`.mrkdwn;
}

function richText(block: RichTextBlock): string {
  return block.elements
    .map((element) => {
      switch (element.type) {
        case 'rich_text_list':
          return element.elements
            .map((item, at) => `${element.style === 'ordered' ? `${at + 1}.` : '•'} ${leaves(item.elements)}`)
            .join('\n');
        case 'rich_text_preformatted':
          return lines(element.elements.map((leaf) => leaf.text ?? '').join(''));
        case 'rich_text_quote':
        case 'rich_text_section':
          return leaves(element.elements);
        default:
          return '';
      }
    })
    .join('\n');
}

/** Fixed-width lines lose their frame here, so what would format has to be inert by itself. */
function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => literalLine(line).mrkdwn)
    .join('\n');
}

function leaves(elements: readonly RichTextElement[]): string {
  return elements.map((element) => leaf(element).mrkdwn).join('');
}

function leaf(element: RichTextElement): Markup {
  switch (element.type) {
    case 'text':
      return edged(element.text);
    case 'emoji':
      return { mrkdwn: `:${element.name}:` };
    case 'date':
      return { mrkdwn: `<!date^${element.timestamp}^${element.format}|${escapeEntities(element.fallback ?? '')}>` };
    case 'user':
      return { mrkdwn: `<@${element.user_id}>` };
    case 'channel':
      return { mrkdwn: `<#${element.channel_id}>` };
    case 'link':
      return bothEnds(element.text ?? element.url);
    default:
      return { mrkdwn: '' };
  }
}

/** Longer texts are whole in their block. */
const leafUnitsMax = 600;

/** An error's end says what happened. */
function bothEnds(text: string): Markup {
  return literalLine(outsideError(text, leafUnitsMax));
}

/** A value is trimmed; the spaces around a leaf belong to the sentence. */
function edged(text: string): Markup {
  const inner = text.trim();
  const start = text.length - text.trimStart().length;
  const [before, after] = [text.slice(0, start), text.slice(start + inner.length)];
  return inner === '' ? { mrkdwn: text } : { mrkdwn: before + bothEnds(inner).mrkdwn + after };
}
