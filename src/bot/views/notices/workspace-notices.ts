/** Messages to the person who installed the bot: the one next step, and permissions that are missing. */

import { actions } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, code, emoji, paragraph, plain, rich } from '../blocks/rich-text.ts';
import { connectButton } from './connect-button.ts';

export type InstalledView = {
  readonly slashCommand: string;
  /** Whether it was connected before, and still is. */
  readonly isConnected: boolean;
};

export function installedMessage({ slashCommand, isConnected }: InstalledView): Message {
  if (isConnected) {
    const words = rich`${bold('Workflow Bot was installed again.')} Its key and its settings are as they were.`;
    return message([
      paragraph(words),
      actions([commandButton({ label: 'List workflows', line: 'list', mode: 'open' })]),
    ]);
  }
  return message([
    paragraph(rich`${bold('Workflow Bot is installed.')} One step is left: connect it to your organization.`),
    paragraph(
      rich`You need an API key of the organization, from your workflow platform’s web page. Press the button, or type ${code(`${slashCommand} connect`)} in any channel.`,
    ),
    actions([connectButton()]),
  ]);
}

export type MissingScopesView = {
  /** Slack's names, such as `channels:read and groups:read`. */
  readonly scopes: string;
  readonly installUrl: string;
};

export function missingScopesMessage({ scopes, installUrl }: MissingScopesView): Message {
  return message([
    paragraph(rich`${emoji('warning')} ${bold('Workflow Bot lacks permissions in this workspace')}: ${plain(scopes)}.`),
    paragraph(
      rich`Without them it cannot do all that it promises. Please ${{ type: 'link', url: installUrl, text: 'install it again' }} and allow all of them; its key and its settings stay as they are.`,
    ),
  ]);
}
