/** Telling one person something that nobody else sees. */
import type { Message } from '../../../views/blocks/message.ts';
import type { Posting } from './posting.ts';

export type NotifyTarget = {
  readonly botToken: string;
  /** Where they would look for it; direct messages where left out, or where the bot cannot write there. */
  readonly channelId?: string | undefined;
};

/** Never rejects. @returns whether Slack took it */
export type NotifyUser = (place: NotifyTarget, userId: string, message: Message) => Promise<boolean>;

export function createNotifyUser({ posting }: { readonly posting: Posting }): NotifyUser {
  return async ({ botToken, channelId }, userId, message) => {
    if (channelId !== undefined) {
      const sent = await posting.postPrivately({ botToken, channelId }, userId, message);
      if (sent.kind === 'done' || sent.kind === 'unknown') return true;
    }
    const directId = await posting.directChannel(botToken, userId);
    if (directId === undefined) return false;
    return (await posting.post({ botToken, channelId: directId }, message)).kind === 'posted';
  };
}
