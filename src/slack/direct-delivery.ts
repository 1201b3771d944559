/** An answer that belongs into the person's direct messages with the bot, wherever it was asked for. */
import type { RichTextElement } from '@slack/types';
import type { MessageAnswer } from '../commands/command.ts';
import { type Message, message } from '../views/kit/message.ts';
import { paragraph, rich } from '../views/kit/rich-text.ts';
import type { FileRequest } from './file-delivery.ts';
import type { Posting } from './posting.ts';

/** Never rejects. @returns a line that says where it is, or that it could not be sent */
export type DirectDelivery = (
  answer: Pick<MessageAnswer, 'message' | 'files'>,
  request: FileRequest,
) => Promise<Message>;

export function createDirectDelivery({ posting }: { readonly posting: Posting }): DirectDelivery {
  return async ({ message: told, files = [] }, { actor, botToken }) => {
    const channelId = botToken === undefined ? undefined : await posting.directChannel(botToken, actor.userId);
    if (botToken === undefined || channelId === undefined) return say(withheld);
    const place = { botToken, channelId };
    const sent = await posting.post(place, told);
    if (sent.kind !== 'posted') return say(withheld);
    const uploads: boolean[] = [];
    for (const file of files) uploads.push((await posting.upload(place, file)).kind === 'done');
    const link = await posting.permalink(place, sent.ts);
    const way: readonly RichTextElement[] =
      link.kind === 'link' ? [...rich` `, { type: 'link', url: link.url, text: 'Open it' }] : [];
    return say(rich`${uploads.every(Boolean) ? delivered : withoutFile}${way}`);
  };
}

const delivered = rich`The answer is in our direct messages: what it shows may not be seen in this channel.`;
const withoutFile = rich`The answer is in our direct messages, without its file: Slack did not take that.`;
const withheld = rich`The answer is withheld: it may not be seen in this channel, and Slack did not let me write to you directly.`;

function say(words: readonly RichTextElement[]): Message {
  return message([paragraph(words)]);
}
