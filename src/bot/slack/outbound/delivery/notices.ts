/** Messages for requests that do not reach a command. */
import type { Message } from '../../../views/blocks/message.ts';
import { address, bold, plain, rich } from '../../../views/blocks/rich-text.ts';
import type { Refusal } from '../../installation/workspaces.ts';
import { lineMessage } from './line.ts';

/** @param installUrl where people install the bot; undefined where its tokens are given to it */
export function refusalMessage(refusal: Refusal, installUrl?: string): Message {
  switch (refusal) {
    case 'not_installed':
      if (installUrl !== undefined) {
        return lineMessage(
          rich`This bot is not installed in this workspace. An admin can install it: ${address(installUrl)}`,
        );
      }
      return sentenceMessage(
        'This bot is not installed in this workspace. An admin can install it, or check its tokens.',
      );
    case 'unavailable':
      return sentenceMessage('This bot cannot look up your workspace right now. Please try again in a minute.');
    case 'unreadable': {
      const again = installUrl === undefined ? [] : rich` An admin can install it again: ${address(installUrl)}`;
      return lineMessage(
        rich`This bot’s stored token for this workspace does not open, so nothing was done. Please tell the operator of this bot, whose log says why.${again}`,
      );
    }
    case 'outsider':
      return sentenceMessage(
        'This works for members of the workspace that installed the bot. Ask one of them to press it.',
      );
    case 'other_app':
      return sentenceMessage(
        'This was meant for another app, so nothing was done. Please tell the operator of this bot.',
      );
  }
}

/** For a slash command that Slack sends us and that is not ours. */
export function otherCommandMessage(slashCommand: string): Message {
  return lineMessage(rich`This bot answers to ${bold(slashCommand)}. Try ${bold(`${slashCommand} help`)}.`);
}

export function noChannelMessage(): Message {
  return sentenceMessage('Slack did not say which channel this came from. Please type the command in a channel.');
}

/** For a button made by another version of the bot. */
export function outdatedButtonMessage(slashCommand: string): Message {
  return lineMessage(
    rich`This button is from another version of the bot. Please type the command again: ${bold(slashCommand)}.`,
  );
}

export function noExecutionMessage(): Message {
  return sentenceMessage(
    'I found no execution’s id in that message. Try it on a message that names one, or type the command.',
  );
}

export function notSharedMessage(): Message {
  return sentenceMessage(
    'Slack did not let me post in this channel. Invite the bot here, or share it from another channel.',
  );
}

function sentenceMessage(sentence: string): Message {
  return lineMessage([plain(sentence, 300)]);
}
