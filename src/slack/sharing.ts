/** Whether people of another company read a channel, too (Slack Connect). */
import type { Clock } from '../core/clock.ts';
import { createRecent } from '../core/recent.ts';
import type { SlackClients } from './client.ts';
import { classifyThrown } from './errors.ts';
import type { Workspaces } from './workspaces.ts';

/** `unknown`: the optional scopes channels:read and groups:read are not granted, or Slack does not answer now. */
export type Sharing = 'own' | 'shared' | 'unknown';

export type SharingDeps = {
  readonly clients: SlackClients;
  readonly workspaces: Workspaces;
  readonly clock: Clock;
};

/** Never rejects. */
export type SharingOf = (place: { readonly teamId: string; readonly channelId: string }) => Promise<Sharing>;

/** A channel that has been shared meanwhile is noticed after twice this at the latest. */
const rememberedMs = 300_000;
const channelsMax = 10_000;

/** What is shared, and what Slack could not say, is asked again each time: either may have passed. */
export function createSharing({ clients, workspaces, clock }: SharingDeps): SharingOf {
  const known = createRecent<Sharing>({ clock, forMs: rememberedMs, keysMax: channelsMax });
  return async ({ teamId, channelId: channel }) => {
    const key = `${teamId} ${channel}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    try {
      const workspace = await workspaces.find(teamId);
      const told = workspace && (await clients.of(workspace.botToken).conversations.info({ channel }));
      const isShared = told?.channel?.is_ext_shared;
      if (isShared === false) known.set(key, 'own');
      return isShared === undefined ? 'unknown' : isShared ? 'shared' : 'own';
    } catch (thrown) {
      if (classifyThrown(thrown).kind === 'permanent') known.set(key, 'unknown');
      return 'unknown';
    }
  };
}
