/** What the person who installed the bot reads in Slack: the one next step. */
import { connectButton } from './connect-button.ts';
import { actions } from './kit/blocks.ts';
import { commandButton } from './kit/command-button.ts';
import { type Message, message } from './kit/message.ts';
import { bold, code, paragraph, rich } from './kit/rich-text.ts';

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
