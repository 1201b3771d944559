/** Short messages of the Slack side: refusals, requests that reach no command, and reasons for a private answer. */

import { type Message, message, withMore } from '../../../views/blocks/message.ts';
import { address, bold, code, paragraph, plain, rich, type Words } from '../../../views/blocks/rich-text.ts';
import type { Refusal } from '../../installation/workspaces.ts';
import type { SharingBlock } from '../web-api/audience.ts';
import type { Permalink } from './posting.ts';

/** @param installUrl page on which people install the bot; undefined if the bot uses a fixed token */
export function refusalMessage(refusal: Refusal, installUrl?: string): Message {
  switch (refusal) {
    case 'not_installed':
      if (installUrl !== undefined) {
        return lineMessage(
          rich`This bot is not installed in this workspace. Ask a workspace admin to install it: ${address(installUrl)}`,
        );
      }
      return sentenceMessage(
        'This bot is not installed in this workspace. Ask a workspace admin to install it, or the person who runs this bot to check its tokens.',
      );
    case 'workspace_unknown':
      return sentenceMessage(
        'Slack did not say which workspace of your organization this came from, so nothing was done. Type the command in a channel of that workspace instead.',
      );
    case 'unavailable':
      return sentenceMessage('This bot cannot look up your workspace right now. Try again in a minute.');
    case 'unreadable': {
      const again =
        installUrl === undefined ? [] : rich` Ask a workspace admin to install it again: ${address(installUrl)}`;
      return lineMessage(
        rich`This bot’s stored token for this workspace cannot be decrypted, so nothing was done. Tell the person who runs this bot: the log says why.${again}`,
      );
    }
    case 'other_app':
      return sentenceMessage('This was meant for another app, so nothing was done. Tell the person who runs this bot.');
  }
}

/** For a slash command that Slack sends to the bot but that belongs to another app. */
export function otherCommandMessage(slashCommand: string): Message {
  return lineMessage(rich`This bot answers to ${bold(slashCommand)}. Try ${bold(`${slashCommand} help`)}.`);
}

export const noChannelMessage = sentenceMessage(
  'Slack did not say which channel this came from. Type the command in a channel.',
);

/** For a button made by another version of the bot. */
export function outdatedButtonMessage(slashCommand: string): Message {
  return lineMessage(
    rich`This button is from another version of the bot and does nothing. Type the command instead; ${bold(`${slashCommand} help`)} lists the commands.`,
  );
}

export function noExecutionMessage(slashCommand: string): Message {
  return lineMessage(
    rich`That message contains no id of a run and no workflow name. Try a message that has one, or type ${code(`${slashCommand} execution <id or workflow>`)}.`,
  );
}

export const notSharedMessage = sentenceMessage(
  'The bot could not post in this channel. If it is not a member, type /invite and choose it. Otherwise share the answer from another channel.',
);

export const maybeSharedMessage = sentenceMessage(
  'Slack did not confirm that the answer was posted here. If you do not see it in the channel, type the command again and share its answer.',
);

function sentenceMessage(sentence: string): Message {
  return lineMessage([plain(sentence, 300)]);
}

export function lineMessage(words: Words): Message {
  return message([paragraph(words)]);
}

/** @returns nothing if Slack does not return a link */
export function openLink(link: Permalink): Words {
  return link.kind === 'link' ? [...rich` `, { type: 'link', url: link.url, text: 'Open it' }] : [];
}

/** @returns the answer with the reason below it */
export function privateMessage(answer: Message, word: SharingBlock): Message {
  return withMore(answer, [paragraph(rich`Only you see this answer, because ${withheldReason(word)}`)]);
}

/** For a person who already has the answer. */
export function notPostedMessage(word: SharingBlock): Message {
  return lineMessage(rich`The answer was not posted here, because ${withheldReason(word)}`);
}

/** @returns the end of a sentence, with its full stop, and what to do about it */
export function withheldReason(word: SharingBlock): Words {
  switch (word) {
    case 'channel_is_shared':
      return rich`people from another company can read this channel.`;
    case 'sharing_needs_scopes':
      return rich`${notFoundOut}: the bot lacks permissions. Ask a workspace admin to install the bot again and allow all permissions.`;
    case 'sharing_needs_membership':
      return rich`${notFoundOut}: the bot is not a member. In a channel, type ${code('/invite')}, choose the bot, and try again.`;
    case 'sharing_unknown':
      return rich`${notFoundOut}: Slack did not answer. Try again in a minute.`;
  }
}

const notFoundOut = rich`the bot could not find out whether people from another company can read this conversation`;
