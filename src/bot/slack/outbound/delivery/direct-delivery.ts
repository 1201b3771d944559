/** Delivers an answer to the person's direct messages, wherever they asked. */
import type { MessageAnswer } from '../../../commands/framework/command.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { rich } from '../../../views/blocks/rich-text.ts';
import type { FileRequest } from './file-delivery.ts';
import { lineMessage, openLink } from './line.ts';
import type { Posting } from './posting.ts';

/** Never rejects. @returns a line that says where it is, or that it could not be sent */
export type DirectDelivery = (
  answer: Pick<MessageAnswer, 'message' | 'files'>,
  request: FileRequest,
) => Promise<Message>;

export function createDirectDelivery({ posting }: { readonly posting: Posting }): DirectDelivery {
  return async ({ message: told, files = [] }, { actor, botToken }) => {
    const channelId = botToken === undefined ? undefined : await posting.directChannel(botToken, actor.userId);
    if (botToken === undefined || channelId === undefined) return lineMessage(withheld);
    const target = { botToken, channelId };
    const sent = await posting.post(target, told);
    if (sent.kind !== 'posted') return lineMessage(withheld);
    const uploads: boolean[] = [];
    for (const file of files) uploads.push((await posting.upload(target, file)).kind === 'done');
    const way = openLink(await posting.permalink(target, sent.ts));
    return lineMessage(rich`${uploads.every(Boolean) ? delivered : withoutFile}${way}`);
  };
}

const delivered = rich`The answer is in our direct messages: what it shows may not be seen in this channel.`;
const withoutFile = rich`The answer is in our direct messages, without its file: Slack did not take that.`;
const withheld = rich`The answer is withheld: it may not be seen in this channel, and Slack did not let me write to you directly.`;
