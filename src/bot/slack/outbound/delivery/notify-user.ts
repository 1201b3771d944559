/** Notifies one person with a message that only they see. */
import type { Person } from '../../../domain/person.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Workspaces } from '../../installation/workspaces.ts';
import type { PostingCalls } from './posting.ts';

type NotifyTarget = {
  readonly botToken: string;
  /** Channel for an ephemeral message. If left out, or if the bot cannot write there, the message goes to direct messages. */
  readonly channelId?: string | undefined;
};

/** Never rejects. @returns true if Slack accepted the message */
export type NotifyUser = (target: NotifyTarget, userId: string, message: Message) => Promise<boolean>;

export function createNotifyUser({ posting }: { readonly posting: PostingCalls }): NotifyUser {
  return async ({ botToken, channelId }, userId, message) => {
    if (channelId !== undefined) {
      const sent = await posting.postPrivately({ botToken, channelId }, userId, message);
      if (sent.kind === 'done' || sent.kind === 'unknown') return true;
    }
    const directId = await posting.directChannel(botToken, userId);
    if (directId === undefined) return false;
    return (await posting.notify({ botToken, channelId: directId }, message)).kind === 'done';
  };
}

/** Sends a direct message in the person's workspace. Never rejects. @returns true if Slack accepted it */
export type NotifyPerson = (person: Person, message: Message) => Promise<boolean>;

export type NotifyPersonDeps = { readonly workspaces: Workspaces; readonly notifyUser: NotifyUser };

export function createNotifyPerson({ workspaces, notifyUser }: NotifyPersonDeps): NotifyPerson {
  return async ({ teamId, userId }, message) => {
    const workspace = await workspaces.find(teamId).catch(() => undefined);
    return workspace !== undefined && notifyUser({ botToken: workspace.botToken }, userId, message);
  };
}
