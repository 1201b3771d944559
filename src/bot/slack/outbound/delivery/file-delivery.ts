/** Delivers files to the person's direct messages, since a file in a channel is never private. */
import type { RichTextElement } from '@slack/types';
import type { AnswerFile } from '../../../commands/framework/command.ts';
import type { Actor } from '../../../domain/person.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { bold, rich } from '../../../views/blocks/rich-text.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { lineMessage, openLink } from './line.ts';
import type { Posting } from './posting.ts';

export type FileRequest = { readonly actor: Actor; readonly botToken: string | undefined };

/** @returns a line that says where the files are */
export type FileDelivery = (files: readonly AnswerFile[], request: FileRequest) => Promise<Message>;

export function createFileDelivery({ posting }: { readonly posting: Posting }): FileDelivery {
  return async (files, { actor, botToken }) => {
    if (botToken === undefined) return lineMessage(notSent);
    // Two people's direct messages look the same, and are closed to the bot.
    const channelId = await posting.directChannel(botToken, actor.userId);
    if (channelId === undefined) return lineMessage(notSent);
    const isHere = channelId === actor.channelId;
    const target = { botToken, channelId };
    let sentCount = 0;
    for (const file of files) {
      const sent = await posting.upload(target, file);
      if (sent.kind === 'done') sentCount += 1;
    }
    if (sentCount < files.length) return lineMessage(notSent);
    return lineMessage(isHere ? sentHere : rich`${sentToYou}${await linkTo(posting, target, files)}`);
  };
}

/** Slack tells no address of what was uploaded, so a message beside it is what can be linked to. */
async function linkTo(
  posting: Posting,
  target: MessageTarget,
  files: readonly AnswerFile[],
): Promise<readonly RichTextElement[]> {
  const names = files.flatMap(({ name }, index) => rich`${index > 0 ? rich`, ` : []}${bold(name)}`);
  const note = await posting.post(target, lineMessage(rich`${names} is here, since you asked for it in a channel.`));
  return openLink(note.kind === 'posted' ? await posting.permalink(target, note.ts) : note);
}

const notSent = rich`The file could not be uploaded: Slack did not take it.`;
const sentHere = rich`The file is here, in our direct messages.`;
const sentToYou = rich`The file is in our direct messages: files cannot be seen by one person only in a channel.`;
