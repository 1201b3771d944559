/** Messages that say why an answer is private. */
import type { RichTextElement } from '@slack/types';
import { type Message, withMore } from '../../../views/blocks/message.ts';
import { code, paragraph, rich } from '../../../views/blocks/rich-text.ts';
import type { WithheldWord } from '../web-api/audience.ts';
import { lineMessage } from './line.ts';

type Words = readonly RichTextElement[];

/** @returns the answer with the reason below it */
export function privateMessage(answer: Message, word: WithheldWord): Message {
  return withMore(answer, [paragraph(rich`Only you see this answer: ${withheldReason(word)}`)]);
}

/** For an answer that the person has already. */
export function notPostedMessage(word: WithheldWord): Message {
  return lineMessage(rich`I did not post it here: ${withheldReason(word)}`);
}

/** @returns the rest of a sentence, with its full stop, and what to do about it */
export function withheldReason(word: WithheldWord): Words {
  switch (word) {
    case 'channel_is_shared':
      return rich`people of another company read this channel.`;
    case 'sharing_needs_scopes':
      return rich`${notFoundOut}, because permissions are missing. Ask an admin to install me again: that grants them.`;
    case 'sharing_needs_membership':
      return rich`${notFoundOut}, because I am not a member. In a channel, type ${code('/invite')} and choose me, then ask again.`;
    case 'sharing_unknown':
      return rich`${notFoundOut}, because Slack did not say. Ask again in a minute.`;
  }
}

const notFoundOut = rich`I could not find out whether people of another company read this conversation`;
