/** Converts a message's blocks for a modal. Blocks that a modal does not take become text or are left out and counted. */
import type { KnownBlock, TableBlock } from '@slack/types';
import { validateBlocks } from '../../../shared/block-kit/validate.ts';
import { markup } from '../format/mrkdwn.ts';
import { counted } from '../format/number.ts';
import { blockText } from './block-text.ts';
import { context, section } from './blocks.ts';

/** Buttons and menus are left out without a word: they would belong to no message. */
export function modalBlocks(blocks: readonly KnownBlock[]): readonly KnownBlock[] {
  const shown = blocks
    .filter(({ type }) => type !== 'actions')
    .map(withoutControls)
    .map((block) => (block.type === 'table' ? tableAsText(block) : block));
  const fitting = shown.filter((block) => validateBlocks([block], 'modal').length === 0);
  const left = shown.length - fitting.length;
  return left === 0 ? fitting : [...fitting, context([markup`${counted(left, 'part')} cannot be shown here.`])];
}

function withoutControls(block: KnownBlock): KnownBlock {
  if (block.type !== 'section' || block.accessory === undefined || block.accessory.type === 'image') return block;
  const { accessory: _, ...section } = block;
  return section;
}

function tableAsText(block: TableBlock): KnownBlock {
  return section({ mrkdwn: blockText(block) });
}
