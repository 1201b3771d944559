/** A channel goes into Slack's archive, by `/archive`, and comes back, by the page's button; or is deleted for good. https://slack.com/help/articles/213185307 */
import type { AppEvents } from '../interactions/app-events.ts';
import { findInvoker, type InvokeDeps, type Invoker } from '../interactions/invoke.ts';
import { slackbotId } from './seed.ts';
import type { Workspace } from './workspace.ts';

export type Unarchived = { readonly user: string; readonly channel: string };

/** @returns what went wrong, in Slackbot's words; null where it is done */
export function archive({ workspace, person, channel }: Invoker): string | null {
  if (channel.kind === 'dm') return '/archive does not work in direct messages.';
  if (channel.name === 'general') return 'You cannot archive the general channel.';
  workspace.changeChannel(channel.id, { isArchived: true });
  tell({ workspace, channel }, `${person.realName} archived #${channel.name}.`);
  return null;
}

/** A private channel keeps its members; a public one has nobody then but who brought it back: the bot has to be invited again. @returns whether it is back */
export function unarchive({ user, channel: id }: Unarchived, { workspaces }: Pick<InvokeDeps, 'workspaces'>): boolean {
  const invoker = findInvoker(workspaces(), user, id);
  if (!invoker?.channel.isArchived) return false;
  const { workspace, person, channel } = invoker;
  const memberIds = channel.kind === 'private' ? channel.memberIds : [person.id];
  workspace.changeChannel(id, { isArchived: false, memberIds });
  tell(invoker, `${person.realName} un-archived #${channel.name}.`);
  return true;
}

/** The app hears of it where its scopes show it the channel, of a private one as a member. @returns when it has heard */
export async function deleteChannel(
  workspace: Workspace,
  id: string,
  { appEvents }: { readonly appEvents: Pick<AppEvents, 'send'> },
): Promise<void> {
  const { kind, memberIds } = workspace.deleteChannel(id) ?? {};
  const isMember = memberIds?.includes(workspace.botUserId) ?? false;
  if (kind === 'public' && workspace.scopes.includes('channels:read')) {
    await appEvents.send({ type: 'channel_deleted', channel: id }, workspace);
  }
  if (kind === 'private' && isMember && workspace.scopes.includes('groups:read')) {
    await appEvents.send({ type: 'group_deleted', channel: id }, workspace);
  }
}

function tell({ workspace, channel }: Pick<Invoker, 'workspace' | 'channel'>, text: string): void {
  workspace.history.post({ channel: channel.id, threadTs: null, user: slackbotId, text, blocks: [], viewer: null });
}
