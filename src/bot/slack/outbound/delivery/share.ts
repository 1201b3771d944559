/** Fits an answer to where it is shown: which buttons it has there, and how one person's answer is shared with the channel. */
import type { ActionsBlock } from '@slack/types';
import type { MessageBlock } from '../../../../shared/block-kit/data-visualization.ts';
import { memoize } from '../../../../shared/cache/memoize.ts';
import type { MessageAnswer } from '../../../commands/framework/command.ts';
import { context } from '../../../views/blocks/blocks.ts';
import { parseCommandActionId } from '../../../views/blocks/command-button.ts';
import { type Message, withMore } from '../../../views/blocks/message.ts';
import { rich } from '../../../views/blocks/rich-text.ts';
import { investigatedElsewhere } from '../../../views/execution/investigate-buttons.ts';
import { sharedByBlockId } from '../../inbound/middleware/read-payload.ts';
import type { Place } from '../web-api/audience.ts';
import { lineMessage } from './notices.ts';

/** @returns the answer without buttons that would be refused here, with labels that say where a thread goes */
export function placedMessage({ isShareable, takesThreads }: Place, answer: Message): Message {
  if (isShareable && takesThreads) return answer;
  const blocks = isShareable ? answer.blocks : withoutSharing(answer.blocks);
  return { ...answer, blocks: takesThreads ? blocks : withElements(blocks, investigatedElsewhere) };
}

/** Returns true if its buttons are others in a conversation that takes neither threads nor answers for everybody. */
export const dependsOnPlace: (answer: Message) => boolean = memoize((answer) => {
  const elementsOf = ({ blocks }: Message) =>
    blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  const own = elementsOf(answer);
  const elsewhere = new Set(elementsOf(placedMessage({ isShareable: false, takesThreads: false }, answer)));
  return !own.every((element) => elsewhere.has(element));
});

/** @returns the answer for the whole channel: without its Share button, with a line that says who shared it */
export function sharedMessage(answer: Message, userId: string): Message {
  const line: MessageBlock = { ...context([{ mrkdwn: `Shared by <@${userId}>` }]), block_id: sharedByBlockId };
  return withMore({ ...answer, blocks: withoutSharing(answer.blocks) }, [line]);
}

/** @returns the answer that replaces a message in the channel; it is shared already, so it has no Share button */
export function visibleMessage(answer: Message, sharedBy: string | undefined): Message {
  if (sharedBy !== undefined) return sharedMessage(answer, sharedBy);
  return { ...answer, blocks: withoutSharing(answer.blocks) };
}

/** @returns the answer as a new message, without its Share button if the channel sees it */
export function newMessage({ message, visibility }: Pick<MessageAnswer, 'message' | 'visibility'>): Message {
  return visibility === 'channel' ? visibleMessage(message, undefined) : message;
}

/** Replaces the private answer once it is shared, so that it cannot be shared twice. */
export const sharedNotice = lineMessage(rich`Shared in this channel.`);

function withoutSharing(blocks: readonly MessageBlock[]): readonly MessageBlock[] {
  return withElements(blocks, (element) =>
    parseCommandActionId(element.action_id ?? '') === 'share' ? [] : [element],
  );
}

type Element = ActionsBlock['elements'][number];

function withElements(
  blocks: readonly MessageBlock[],
  change: (element: Element) => readonly Element[],
): readonly MessageBlock[] {
  return blocks.flatMap((block): readonly MessageBlock[] => {
    if (block.type !== 'actions') return [block];
    const elements = block.elements.flatMap(change);
    return elements.length === 0 ? [] : [{ ...block, elements }];
  });
}
