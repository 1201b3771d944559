/** What a person reads when a request does not reach a command. */
import { type Message, message } from '../views/kit/message.ts';
import { address, bold, paragraph, plain, rich } from '../views/kit/rich-text.ts';
import type { Refusal } from './workspaces.ts';

/** @param installUrl where people install the bot; undefined where its tokens are given to it */
export function refusalMessage(refusal: Refusal, installUrl?: string): Message {
  switch (refusal) {
    case 'not_installed':
      if (installUrl !== undefined) {
        const words = rich`This bot is not installed in this workspace. An admin can install it: ${address(installUrl)}`;
        return message([paragraph(words)]);
      }
      return say('This bot is not installed in this workspace. An admin can install it, or check its tokens.');
    case 'unavailable':
      return say('This bot cannot look up your workspace right now. Please try again in a minute.');
    case 'outsider':
      return say('This works for members of the workspace that installed the bot. Ask one of them to press it.');
    case 'other_app':
      return say('This was meant for another app, so nothing was done. Please tell whoever runs this bot.');
  }
}

/** For a slash command that Slack sends us and that is not ours. */
export function otherCommandMessage(slashCommand: string): Message {
  return message([paragraph(rich`This bot answers to ${bold(slashCommand)}. Try ${bold(`${slashCommand} help`)}.`)]);
}

export function noPlaceMessage(): Message {
  return say('Slack did not say which channel this came from. Please type the command in a channel.');
}

/** For a button made by another version of the bot. */
export function outdatedButtonMessage(slashCommand: string): Message {
  return message([
    paragraph(
      rich`This button is from another version of the bot. Please type the command again: ${bold(slashCommand)}.`,
    ),
  ]);
}

export function noExecutionMessage(): Message {
  return say('I found no execution’s id in that message. Try it on a message that names one, or type the command.');
}

export function notSharedMessage(): Message {
  return say('Slack did not let me post in this channel. Invite the bot here, or share it from another channel.');
}

function say(sentence: string): Message {
  return message([paragraph([plain(sentence, 300)])]);
}
