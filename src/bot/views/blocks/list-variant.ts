/** The simpler variant of a message for a Slack that refuses some blocks: lists instead of plans and tables, and the numbers of charts. */
import type { KnownBlock } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { tableAsList } from './blocks.ts';
import { chartAsText } from './chart.ts';
import { planAsList } from './plan.ts';

/** @returns undefined if the blocks are this variant already */
export function listVariant(blocks: readonly MessageBlock[]): readonly KnownBlock[] | undefined {
  const listed = blocks.map(asList);
  const isSame = listed.every((block, at) => block === blocks[at]);
  return isSame ? undefined : listed;
}

/** For a modal, which takes no chart. */
export function withoutCharts(blocks: readonly MessageBlock[]): readonly KnownBlock[] {
  return blocks.map((block) => (block.type === 'data_visualization' ? chartAsText(block) : block));
}

function asList(block: MessageBlock): KnownBlock {
  switch (block.type) {
    case 'data_visualization':
      return chartAsText(block);
    case 'plan':
      return planAsList(block);
    case 'table':
      return tableAsList(block);
    default:
      return block;
  }
}
