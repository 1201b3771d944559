/** Delivers private answers and files by direct message, since a file in a channel is never private. */

import type { AnswerFile, MessageAnswer } from '../../../commands/framework/command.ts';
import type { Actor } from '../../../domain/person.ts';
import type { PostTarget } from '../../../outbox/ports.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { bold, rich, type Words } from '../../../views/blocks/rich-text.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { lineMessage, openLink } from './notices.ts';
import { arrivalOf, type Posting } from './posting.ts';

type DirectRequest = { readonly actor: Actor; readonly botToken: string | undefined };
type DirectTarget = MessageTarget & PostTarget;

/** Never rejects. @returns a line that links to the message, or says that it could not be sent */
export async function deliverDirectly(
  posting: Posting,
  { message, file }: MessageAnswer,
  { line, ...request }: DirectRequest & { readonly line: string },
): Promise<Message> {
  const target = await directTarget(posting, request);
  if (!target) return lineMessage(withheld);
  const sent = await posting.post(target, { ...message, line });
  if (sent.kind !== 'sent') return lineMessage(arrivalOf(sent) === 'unconfirmed' ? unconfirmed : withheld);
  const arrival = file ? arrivalOf(await posting.upload(target, file)) : 'arrived';
  return lineMessage(rich`${delivered[arrival]}${openLink(await posting.permalink(target, sent.ts))}`);
}

/** By the arrival of its file. */
const delivered = {
  arrived: rich`The answer is in your direct messages with the bot, because the settings do not allow logs in this channel.`,
  unconfirmed: rich`The answer is in your direct messages with the bot, but its file may be missing: Slack did not confirm it.`,
  refused: rich`The answer is in your direct messages with the bot, but its file could not be sent. Type the command again in a minute.`,
} as const;
const unconfirmed = rich`The settings do not allow logs in this channel, and Slack did not confirm the direct message with the answer. Look there first; if it is missing, type the command in your direct messages with the bot.`;
const withheld = rich`The answer is not shown: the settings do not allow logs in this channel, and the bot could not send you a direct message. Type the command in your direct messages with the bot.`;

/** @returns a line that says where the file is */
export async function deliverFile(posting: Posting, file: AnswerFile, request: DirectRequest): Promise<Message> {
  const target = await directTarget(posting, request);
  if (!target) return lineMessage(notSent);
  const arrival = arrivalOf(await posting.upload(target, file));
  if (arrival !== 'arrived') return lineMessage(arrival === 'unconfirmed' ? fileUnconfirmed : notSent);
  if (target.channelId === request.actor.channelId) return lineMessage(sentHere);
  return lineMessage(rich`${sentToYou}${await linkTo(posting, target, file)}`);
}

/** The request may come from direct messages between two people, which the bot cannot write to. */
async function directTarget(
  posting: Posting,
  { actor: { teamId, userId }, botToken }: DirectRequest,
): Promise<DirectTarget | undefined> {
  const channelId = botToken === undefined ? undefined : await posting.directChannel(botToken, userId);
  return botToken === undefined || channelId === undefined ? undefined : { teamId, botToken, channelId };
}

/** Slack returns no address for an upload, so the link leads to a message beside it. */
async function linkTo(posting: Posting, target: DirectTarget, { name }: AnswerFile): Promise<Words> {
  const note = await posting.post(target, lineMessage(rich`You asked for this in a channel: ${bold(name)}.`));
  return openLink(note.kind === 'sent' ? await posting.permalink(target, note.ts) : { kind: 'unknown' });
}

const fileUnconfirmed = rich`Slack did not confirm that the file was sent to you. Look in your direct messages with the bot first; if it is missing, type the command again.`;
const notSent = rich`The file could not be sent to you. Type the command again in a minute, or type it in your direct messages with the bot.`;
const sentHere = rich`The file is here, in your direct messages.`;
const sentToYou = rich`The file is in your direct messages with the bot: in a channel, everyone would see it.`;
