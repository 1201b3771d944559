/** Whether people of another company read a channel, too (Slack Connect). */
import type { SlackClients } from './client.ts';
import { readRecord } from './read.ts';
import type { Workspaces } from './workspaces.ts';

/** `unknown`: the optional scopes channels:read and groups:read are not granted, or Slack does not answer now. */
export type Sharing = 'own' | 'shared' | 'unknown';

export type SharingDeps = { readonly clients: SlackClients; readonly workspaces: Workspaces };

/** Never rejects. */
export type SharingOf = (place: { readonly teamId: string; readonly channelId: string }) => Promise<Sharing>;

export function createSharing({ clients, workspaces }: SharingDeps): SharingOf {
  return async ({ teamId, channelId }) => {
    try {
      const workspace = await workspaces.find(teamId);
      if (!workspace) return 'unknown';
      const { channel } = await clients.of(workspace.botToken).conversations.info({ channel: channelId });
      const isShared = readRecord(channel)['is_ext_shared'];
      if (typeof isShared !== 'boolean') return 'unknown';
      return isShared ? 'shared' : 'own';
    } catch {
      return 'unknown';
    }
  };
}
