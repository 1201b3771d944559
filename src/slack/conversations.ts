/** What setting up a digest needs of one conversation: whether something can be shown there, and where a message stands. */
import type { Channels } from '../commands/digests.ts';
import type { Clock } from '../core/clock.ts';
import { createRecent } from '../core/recent.ts';
import type { Posting } from './posting.ts';
import type { SharingOf } from './sharing.ts';
import type { Workspaces } from './workspaces.ts';

export type ConversationsDeps = {
  readonly posting: Posting;
  readonly workspaces: Workspaces;
  readonly clock: Clock;
  readonly sharingOf: SharingOf;
};

/** A message stays where it is. */
const linkLifetimeMs = 24 * 60 * 60_000;
const linksMax = 5_000;

export function createConversations({ posting, workspaces, clock, sharingOf }: ConversationsDeps): Channels {
  const links = createRecent<string>({ clock, forMs: linkLifetimeMs, keysMax: linksMax });
  const tokenOf = async (teamId: string) => (await workspaces.find(teamId).catch(() => undefined))?.botToken;
  return {
    showIn: async ({ teamId, userId }, channelId, message) => {
      const botToken = await tokenOf(teamId);
      if (botToken === undefined) return { kind: 'unknown' };
      if ((await sharingOf({ teamId, channelId })) === 'shared') return { kind: 'refused', error: 'channel_is_shared' };
      const sent = await posting.postPrivately({ botToken, channelId }, userId, message);
      if (sent.kind === 'permanent' && 'error' in sent) return { kind: 'refused', error: sent.error };
      return { kind: sent.kind === 'done' ? 'shown' : 'unknown' };
    },
    linkTo: async ({ teamId }, channelId, ts) => {
      const key = `${teamId} ${channelId} ${ts}`;
      const known = links.get(key);
      if (known !== undefined) return known;
      const botToken = await tokenOf(teamId);
      if (botToken === undefined) return undefined;
      const told = await posting.permalink({ botToken, channelId }, ts);
      if (told.kind !== 'link') return undefined;
      links.set(key, told.url);
      return told.url;
    },
  };
}
