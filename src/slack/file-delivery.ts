/** Where files go: they cannot be private, so never unasked into a channel, but to the person's direct messages with the bot. */
import type { Actor, AnswerFile } from '../commands/command.ts';
import { type Message, message } from '../views/kit/message.ts';
import { paragraph, rich } from '../views/kit/rich-text.ts';
import type { Posting } from './posting.ts';

export type FileRequest = { readonly actor: Actor; readonly botToken: string | undefined };

/** @returns a line that says where the files are */
export type FileDelivery = (files: readonly AnswerFile[], request: FileRequest) => Promise<Message>;

export function createFileDelivery({ posting }: { readonly posting: Posting }): FileDelivery {
  return async (files, { actor, botToken }) => {
    if (botToken === undefined) return notSent;
    const isDirect = actor.channelId.startsWith('D');
    const channelId = isDirect ? actor.channelId : await posting.directChannel(botToken, actor.userId);
    if (channelId === undefined) return notSent;
    let sentCount = 0;
    for (const file of files) {
      const sent = await posting.upload({ botToken, channelId }, file);
      if (sent.kind === 'done') sentCount += 1;
    }
    if (sentCount < files.length) return notSent;
    return isDirect ? sentHere : sentToYou;
  };
}

const notSent = message([paragraph(rich`The file could not be uploaded: Slack did not take it.`)]);
const sentHere = message([paragraph(rich`The file is below.`)]);
const sentToYou = message([
  paragraph(rich`The file is in our direct messages: files cannot be seen by one person only in a channel.`),
]);
