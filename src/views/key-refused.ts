/** What whoever connected a workspace is told when the query service refuses its key. */
import { connectButton } from './connect-button.ts';
import { actions } from './kit/blocks.ts';
import { type Message, message } from './kit/message.ts';
import { bold, emoji, moment, paragraph, rich } from './kit/rich-text.ts';

export type KeyRefused = {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Null where it is not known. */
  readonly organization: string | null;
};

export function keyRefusedMessage({ since, organization }: KeyRefused): Message {
  const whose = organization === null ? rich`this workspace` : rich`${bold(organization)}`;
  return message([
    paragraph(
      rich`${emoji('warning')} The query service refuses the API key of ${whose} that you gave me, since ${moment(since)}.`,
    ),
    paragraph(rich`Nobody in this workspace gets new answers until an admin connects it with another key.`),
    actions([connectButton()]),
  ]);
}
