/** The simpler variant of a message for a Slack that refuses some blocks: lists instead of plans and tables, and the numbers of charts. */
import type { KnownBlock } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { tableAsList } from './blocks.ts';
import { chartAsText } from './chart.ts';
import { planAsList } from './plan.ts';

/** @returns undefined if the blocks are this variant already */
export function listVariant(blocks: readonly MessageBlock[]): readonly KnownBlock[] | undefined {
  const listed = asLists(blocks);
  const isSame = listed.every((block, at) => block === blocks[at]);
  return isSame ? undefined : listed;
}

/** For a modal, too, which takes no chart, no table and no plan. */
export function asLists(blocks: readonly MessageBlock[]): readonly KnownBlock[] {
  return blocks.map(asList);
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
