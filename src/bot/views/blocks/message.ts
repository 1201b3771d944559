/** Builds a message: its blocks, and the same facts as text for screen readers and notifications. */
import type { KnownBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { maskedCount } from '../../../shared/redaction/redact.ts';
import { markup } from '../format/mrkdwn.ts';
import { counted } from '../format/number.ts';
import { truncate } from '../format/truncate.ts';
import { blockText } from './block-text.ts';
import { context } from './blocks.ts';

export type Message = {
  /** The whole answer in words; mrkdwn, already escaped. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
};

const textUnitsMax = limits.message.advisedTextUnitsMax;

/** @param blocks at most 50; where values in them were masked and they do not say so, a line that counts them comes with them */
export function message(blocks: readonly KnownBlock[]): Message {
  const text = textOf(blocks);
  const masked = maskedCount(text);
  if (masked === 0 || blocks.some(saysMasked) || blocks.length >= limits.message.blocksMax) {
    return { text: cutLines(text), blocks };
  }
  const counting = withNote(blocks, context([markup`${counted(masked, 'value')} masked.`]));
  return { text: cutLines(textOf(counting)), blocks: counting };
}

/** A message with more of ours below it, at most 50 blocks in all: what it says already is said as it was. */
export function withMore({ text, blocks }: Message, more: readonly KnownBlock[]): Message {
  return {
    text: cutLines(`${text}\n${textOf(more)}`),
    blocks: [...blocks, ...more].slice(0, limits.message.blocksMax),
  };
}

/** Small print is ours: a line of a log that says so is not it. */
function saysMasked(block: KnownBlock): boolean {
  return block.type === 'context' && /\d values? masked\./.test(blockText(block));
}

function textOf(blocks: readonly KnownBlock[]): string {
  return blocks
    .map(blockText)
    .filter((part) => part !== '')
    .join('\n');
}

/** Buttons stay last. */
function withNote(blocks: readonly KnownBlock[], note: KnownBlock): readonly KnownBlock[] {
  const end = blocks.at(-1)?.type === 'actions' ? blocks.length - 1 : blocks.length;
  return [...blocks.slice(0, end), note, ...blocks.slice(end)];
}

/** Cuts between lines, so that no markup is cut in two, and says how many are missing. */
function cutLines(text: string): string {
  if (text.length <= textUnitsMax) return text;
  const lines = text.split('\n');
  const kept: string[] = [];
  let units = 40;
  for (const line of lines) {
    units += line.length + 1;
    if (units > textUnitsMax) break;
    kept.push(line);
  }
  if (kept.length === 0) return truncate(text.replace(/<[^>]*>?/g, ''), textUnitsMax);
  return `${kept.join('\n')}\n… and ${lines.length - kept.length} more lines`;
}
