/** The simpler variant of a message for a Slack that refuses some blocks: lists instead of plans and tables, and no charts. */
import type { KnownBlock } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { tableAsList } from './blocks.ts';
import { planAsList } from './plan.ts';

/** @returns undefined if the blocks are this variant already */
export function listVariant(blocks: readonly MessageBlock[]): readonly KnownBlock[] | undefined {
  const listed = withoutCharts(blocks).map(asList);
  const isSame = listed.length === blocks.length && listed.every((block, at) => block === blocks[at]);
  return isSame ? undefined : listed;
}

/** Loses no number: the block beside a chart has them as text. */
export function withoutCharts(blocks: readonly MessageBlock[]): readonly KnownBlock[] {
  return blocks.filter((block) => block.type !== 'data_visualization');
}

function asList(block: KnownBlock): KnownBlock {
  switch (block.type) {
    case 'plan':
      return planAsList(block);
    case 'table':
      return tableAsList(block);
    default:
      return block;
  }
}
