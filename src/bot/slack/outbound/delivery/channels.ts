/** Channels for setting up a digest: shows a preview, links to a message, and says why nothing may be posted. */

import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { ChannelCalls } from '../../../commands/framework/command.ts';
import type { Workspaces } from '../../installation/workspaces.ts';
import type { AudienceOf, Conversation, SharingBlock } from '../web-api/audience.ts';
import type { Posting } from './posting.ts';

/** The address of a message does not change. */
const linkLifetimeMs = 24 * 60 * 60_000;
const linksMax = 5_000;

export function createChannels(
  posting: Posting,
  workspaces: Workspaces,
  audienceOf: AudienceOf,
  clock: Clock,
): ChannelCalls {
  const links = createLruCache<string>({ clock, ttlMs: linkLifetimeMs, entriesMax: linksMax });
  const tokenOf = async (teamId: string) => (await workspaces.find(teamId).catch(() => undefined))?.botToken;
  const withheldIn = async (conversation: Conversation): Promise<SharingBlock | undefined> => {
    const audience = await audienceOf(conversation);
    // The bot cannot post to a channel that it cannot see; Slack gives the reason when the bot tries.
    return audience === 'own' || audience === 'sharing_needs_membership' ? undefined : audience;
  };
  return {
    withheldIn: async ({ teamId }, channelId) => withheldIn({ botToken: await tokenOf(teamId), channelId }),
    showIn: async ({ teamId, userId }, channelId, message) => {
      const botToken = await tokenOf(teamId);
      if (botToken === undefined) return { kind: 'unknown' };
      const withheld = await withheldIn({ botToken, channelId });
      if (withheld !== undefined) return { kind: 'refused', error: withheld };
      const sent = await posting.postPrivately({ teamId, botToken, channelId }, userId, message);
      if (sent.kind === 'permanent' && 'error' in sent) return { kind: 'refused', error: sent.error };
      return { kind: sent.kind === 'done' ? 'shown' : 'unknown' };
    },
    linkTo: async ({ teamId }, channelId, ts) => {
      const key = `${teamId} ${channelId} ${ts}`;
      const known = links.get(key);
      if (known !== undefined) return known;
      const botToken = await tokenOf(teamId);
      if (botToken === undefined) return undefined;
      const permalink = await posting.permalink({ botToken, channelId }, ts);
      if (permalink.kind !== 'link') return undefined;
      links.set(key, permalink.url);
      return permalink.url;
    },
  };
}
