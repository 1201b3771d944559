/** What whoever connected a workspace is told when its key is of no use any more. */

import { actions } from '../blocks/blocks.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, date, emoji, paragraph, rich, trusted } from '../blocks/rich-text.ts';
import { connectButton } from './connect-button.ts';

export type KeyRefused = {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Null where it is not known. */
  readonly organization: string | null;
  /** Whether the operator still lists the query service: it refuses the key then, and is not asked otherwise. */
  readonly isListed: boolean;
};

export function keyRefusedMessage({ since, organization, isListed }: KeyRefused): Message {
  const key = rich`the API key of ${organization === null ? trusted('this workspace') : bold(organization)} that you gave me`;
  const happened = isListed
    ? rich`The query service refuses ${key}, since ${date(since)}.`
    : rich`I do not use ${key} any more: whoever runs me has taken its query service off the list.`;
  const step = isListed ? rich`connects it with another key.` : rich`chooses another service and gives it a key.`;
  return message([
    paragraph(rich`${emoji('warning')} ${happened}`),
    paragraph(rich`Nobody in this workspace gets new answers until an admin ${step}`),
    actions([connectButton()]),
  ]);
}
