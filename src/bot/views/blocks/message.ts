/** Builds a message: its blocks, and the same facts as text for screen readers and notifications. */
import type { RichTextBlock, RichTextElement } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { maskedCount } from '../../../shared/redaction/redact.ts';
import { escapeEntities, literalLine, type Markup, markup } from '../format/mrkdwn.ts';
import { count, counted } from '../format/number.ts';
import { oneLine, truncate, truncateMiddle } from '../format/outside-text.ts';
import { context } from './blocks.ts';
import { chartAsText } from './chart.ts';
import { planAsList } from './plan.ts';
import { paragraph, type Words } from './rich-text.ts';

export type Message = {
  /** The whole answer as text; mrkdwn, already escaped. */
  readonly text: string;
  readonly blocks: readonly MessageBlock[];
  /** The command line that gives it, without the slash command; undefined if there is none, or if it is not known here. */
  readonly line?: string | undefined;
};

const textUnitsMax = limits.message.advisedTextUnitsMax;

/** @param blocks at most 50. Adds a line that counts masked values if the blocks contain any and have no such line. */
export function message(blocks: readonly MessageBlock[]): Message {
  const text = textOf(blocks);
  const masked = maskedCount(text);
  if (masked === 0 || blocks.some(hasMaskedNote) || blocks.length >= limits.message.blocksMax) {
    return { text: cutLines(text), blocks };
  }
  const counting = withNote(blocks, context([maskedNote(masked)]));
  return { text: cutLines(textOf(counting)), blocks: counting };
}

/** Appends blocks to a message, at most 50 in all; its own blocks are unchanged. */
export function withMore({ text, blocks, line }: Message, more: readonly MessageBlock[]): Message {
  return {
    line,
    text: cutLines(`${text}\n${textOf(more)}`),
    blocks: [...blocks, ...more].slice(0, limits.message.blocksMax),
  };
}

/** Puts a sentence about the question in front of the answer, as a paragraph; without one the message is the same object. */
export function withLead(answer: Message, lead: Words): Message {
  if (lead.length === 0) return answer;
  const excess = Math.max(0, answer.blocks.length + 1 - limits.message.blocksMax);
  // The last block has the buttons.
  return { ...message([paragraph(lead), ...answer.blocks.toSpliced(-2, excess)]), line: answer.line };
}

/** @param masked at least 1 */
export function maskedNote(masked: number): Markup {
  return masked === 1
    ? markup`1 value that looks like a secret is masked.`
    : markup`${count(masked)} values that look like secrets are masked.`;
}

/** Only small print counts: a log line may contain the same words. */
function hasMaskedNote(block: MessageBlock): boolean {
  return (
    block.type === 'context' &&
    /\d values? that looks? like (?:a secret is|secrets are) masked\./.test(blockText(block))
  );
}

function textOf(blocks: readonly MessageBlock[]): string {
  return blocks
    .map(blockText)
    .filter((line) => line !== '')
    .join('\n');
}

/** Buttons stay last. */
function withNote(blocks: readonly MessageBlock[], note: MessageBlock): readonly MessageBlock[] {
  const end = blocks.at(-1)?.type === 'actions' ? blocks.length - 1 : blocks.length;
  return [...blocks.slice(0, end), note, ...blocks.slice(end)];
}

/** Cuts between lines, so that no markup is cut in two, and counts the missing lines. */
function cutLines(text: string): string {
  if (text.length <= textUnitsMax) return text;
  const lines = text.split('\n');
  const fitting: string[] = [];
  let units = 40;
  for (const line of lines) {
    units += line.length + 1;
    if (units > textUnitsMax) break;
    fitting.push(line);
  }
  if (fitting.length === 0) return truncate(text.replace(/<[^>]*>?/g, ''), textUnitsMax);
  return `${fitting.join('\n')}\n… and ${counted(lines.length - fitting.length, 'more line')}`;
}

/** Text of a block, one line or more; empty for buttons and menus. */
export function blockText(block: MessageBlock): string {
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
    case 'data_visualization':
      return blockText(chartAsText(block));
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

/** Escapes fixed-width lines: without their frame their characters would format. */
function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => literalLine(line).mrkdwn)
    .join('\n');
}

function leaves(elements: Words): string {
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

/** Longer texts are complete in their block. */
const leafUnitsMax = 600;

/** Keeps both ends of a text that is clean and masked: the reason is at the end of an error. */
function bothEnds(text: string): Markup {
  return literalLine(truncateMiddle(oneLine(text), leafUnitsMax));
}

/** Keeps the spaces around a leaf, which belong to the sentence; values are trimmed. */
function edged(text: string): Markup {
  const inner = text.trim();
  const start = text.length - text.trimStart().length;
  const [before, after] = [text.slice(0, start), text.slice(start + inner.length)];
  return inner === '' ? { mrkdwn: text } : { mrkdwn: before + bothEnds(inner).mrkdwn + after };
}
