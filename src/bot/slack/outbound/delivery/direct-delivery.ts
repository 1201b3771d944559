/** Delivers private answers and files by direct message, since a file in a channel is never private. */

import type { RichTextElement } from '@slack/types';
import type { AnswerFile, MessageAnswer } from '../../../commands/framework/command.ts';
import type { Actor } from '../../../domain/person.ts';
import type { PostTarget } from '../../../outbox/ports.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { bold, rich } from '../../../views/blocks/rich-text.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { lineMessage, openLink } from './notices.ts';
import type { Posting } from './posting.ts';

type DirectRequest = { readonly actor: Actor; readonly botToken: string | undefined };

/** Never rejects. @returns a line that links to the message, or says that it could not be sent */
export async function deliverDirectly(
  posting: Posting,
  { message, files = [] }: Pick<MessageAnswer, 'message' | 'files'>,
  { actor, line, botToken }: DirectRequest & { readonly line: string },
): Promise<Message> {
  const channelId = botToken === undefined ? undefined : await posting.directChannel(botToken, actor.userId);
  if (botToken === undefined || channelId === undefined) return lineMessage(withheld);
  const target = { teamId: actor.teamId, botToken, channelId };
  const sent = await posting.post(target, { ...message, line });
  if (sent.kind !== 'sent') return lineMessage(mayHaveArrived(sent) ? unconfirmed : withheld);
  const uploads: Outcome[] = [];
  for (const file of files) uploads.push(await posting.upload(target, file));
  const way = openLink(await posting.permalink(target, sent.ts));
  return lineMessage(rich`${uploads.every(isDone) ? delivered : withoutFile}${way}`);
}

type Outcome = { readonly kind: string };
const isDone = ({ kind }: Outcome) => kind === 'done';
/** False if Slack certainly took nothing. */
const mayHaveArrived = ({ kind }: Outcome) => !['refused', 'later', 'content', 'not_sent', 'permanent'].includes(kind);

const delivered = rich`The answer is in your direct messages with the bot, because the settings do not allow logs in this channel.`;
const withoutFile = rich`The answer is in your direct messages with the bot, but its file may be missing: Slack did not confirm it.`;
const unconfirmed = rich`The settings do not allow logs in this channel, and Slack did not confirm the direct message with the answer. Look there first; if it is missing, type the command in your direct messages with the bot.`;
const withheld = rich`The answer is not shown: the settings do not allow logs in this channel, and the bot could not send you a direct message. Type the command in your direct messages with the bot.`;

/** @returns a line that says where the files are */
export async function deliverFiles(
  posting: Posting,
  files: readonly AnswerFile[],
  { actor, botToken }: DirectRequest,
): Promise<Message> {
  if (botToken === undefined) return lineMessage(notSent);
  // The request may come from direct messages between two people, which the bot cannot write to.
  const channelId = await posting.directChannel(botToken, actor.userId);
  if (channelId === undefined) return lineMessage(notSent);
  const target = { teamId: actor.teamId, botToken, channelId };
  const uploads: Outcome[] = [];
  for (const file of files) uploads.push(await posting.upload(target, file));
  if (!uploads.every(isDone)) return lineMessage(uploads.some(mayHaveArrived) ? fileUnconfirmed : notSent);
  const isHere = channelId === actor.channelId;
  return lineMessage(isHere ? sentHere : rich`${sentToYou}${await linkTo(posting, target, files)}`);
}

/** Slack returns no address for an upload, so the link leads to a message beside it. */
async function linkTo(
  posting: Posting,
  target: MessageTarget & PostTarget,
  files: readonly AnswerFile[],
): Promise<readonly RichTextElement[]> {
  const names = files.flatMap(({ name }, index) => rich`${index > 0 ? rich`, ` : []}${bold(name)}`);
  const note = await posting.post(target, lineMessage(rich`You asked for this in a channel: ${names}.`));
  return openLink(note.kind === 'sent' ? await posting.permalink(target, note.ts) : { kind: 'unknown' });
}

const fileUnconfirmed = rich`Slack did not confirm that the file was sent to you. Look in your direct messages with the bot first; if it is missing, type the command again.`;
const notSent = rich`The file could not be sent to you. Type the command again in a minute, or type it in your direct messages with the bot.`;
const sentHere = rich`The file is here, in your direct messages.`;
const sentToYou = rich`The file is in your direct messages with the bot: in a channel, everyone would see it.`;
