/** The person for whom the page is drawn, with the users, channels and time zone that text and blocks need. */
import { type PageChannel, type PageState, type PageUser, slackbotId } from '../protocol.ts';
import type { Reader } from '../text/date-format.ts';
import type { MessageAddress } from '../text/url.ts';

export type Viewer = Reader & {
  readonly userId: string;
  readonly users: ReadonlyMap<string, PageUser>;
  /** Visible to this person. */
  readonly channels: ReadonlyMap<string, PageChannel>;
  /** The page's own origin, for pictures. */
  readonly origin: string;
  readonly openChannel: (id: string) => void;
  readonly openMessage: (message: MessageAddress) => void;
};

/** @returns the name shown with a message */
export function displayName({ users }: Pick<Viewer, 'users'>, userId: string): string {
  if (userId === slackbotId) return 'Slackbot';
  const user = users.get(userId);
  return user ? user.realName || user.name : userId;
}

/** @returns the channels with the person as a member; for people of the workspace the public ones too */
export function visibleChannels(
  { channels, users }: Pick<PageState, 'channels' | 'users'>,
  userId: string,
): readonly PageChannel[] {
  const isExternal = users.some((user) => user.id === userId && user.isExternal);
  return channels.filter(({ kind, memberIds }) => memberIds.includes(userId) || (kind === 'public' && !isExternal));
}

/** Returns true if the person can write in this channel. */
export function isOpenTo({ kind, memberIds, isArchived }: PageChannel, userId: string): boolean {
  return kind !== 'dm' && !isArchived && memberIds.includes(userId);
}

/** Returns true if these are direct messages with an app that has a Home. */
export function hasHome({ kind, memberIds }: PageChannel, { app }: PageState): boolean {
  return app.hasHome && kind === 'dm' && memberIds.includes(app.botUserId);
}

/** @returns the channel's name; direct messages have the name of the other member */
export function channelTitle(channel: PageChannel, viewer: Pick<Viewer, 'users' | 'userId'>): string {
  if (channel.kind !== 'dm') return channel.name;
  const other = channel.memberIds.find((id) => id !== viewer.userId);
  return other === undefined ? `${displayName(viewer, viewer.userId)} (you)` : displayName(viewer, other);
}
