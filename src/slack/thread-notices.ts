/** What the person who opened a thread is told, privately: where it is. */
import { type Message, message } from '../views/kit/message.ts';
import { paragraph, rich } from '../views/kit/rich-text.ts';

export type ThreadNote = {
  /** `elsewhere`: in the person's direct messages with the bot, because it is not in the channel. */
  readonly kind: 'stands' | 'busy' | 'elsewhere' | 'failed';
  readonly link?: string | undefined;
};

export function threadNoteMessage({ kind, link }: ThreadNote): Message {
  const where = link === undefined ? [] : [{ type: 'link' as const, url: link, text: 'Open the thread' }];
  switch (kind) {
    case 'stands':
      return message([paragraph(rich`The details are in a thread here. ${where}`)]);
    case 'busy':
      return message([paragraph(rich`The thread is being written. ${where}`)]);
    case 'elsewhere':
      return message([
        paragraph(
          rich`I am not in this channel, so the details are in our direct messages. ${where} To have them here, invite me with /invite and ask again.`,
        ),
      ]);
    case 'failed':
      return message([
        paragraph(
          rich`Slack did not let me open a thread here or in our direct messages. Invite me to the channel and ask again.`,
        ),
      ]);
  }
}
