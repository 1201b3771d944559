/** What stands where logs would, in a channel in which they may not be shown. */
import { actions } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, paragraph, rich } from '../blocks/rich-text.ts';

/** @param line the command line that shows them to the person who presses, in their direct messages */
export function logsRestrictedMessage(line: string): Message {
  return message([
    paragraph(rich`${bold('Logs')} are not shown in this channel. Whoever needs them gets them in direct messages.`),
    actions([commandButton({ label: 'Send me the logs', line, mode: 'open' })]),
  ]);
}
