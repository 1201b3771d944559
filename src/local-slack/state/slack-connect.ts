/** Slack Connect: a channel is shared with another company by `/invite name@other.example`, and no more by `/remove` of the same. */
import type { AppEvents } from '../interactions/app-events.ts';
import type { Invoker } from '../interactions/invoke.ts';
import { slackbotId } from './seed.ts';
import { findChannel, type Workspace } from './workspace.ts';

/** Of the other company, as Slack names it to apps. */
export const otherTeamId = 'T0OTHERCO';

type Telling = { readonly appEvents: Pick<AppEvents, 'send'> };

/** The app hears of it where its scopes show it the channel. @returns when the first attempt to tell it is over */
export async function setShared(
  workspace: Workspace,
  channelId: string,
  isShared: boolean,
  { appEvents }: Telling,
): Promise<void> {
  workspace.changeChannel(channelId, { isShared });
  const isPrivate = findChannel(workspace, channelId)?.kind === 'private';
  if (!workspace.scopes.includes(isPrivate ? 'groups:read' : 'channels:read')) return;
  const event = isShared
    ? { type: 'channel_shared', connected_team_id: otherTeamId, channel: channelId }
    : { type: 'channel_unshared', previously_connected_team_id: otherTeamId, channel: channelId, is_ext_shared: false };
  await appEvents.send(event, workspace);
}

const wordPattern = /^\/(invite|remove|kick)$/;
const addressPattern = /^[^\s@]+@[^\s@.]+\.[^\s@]+$/;

/** @returns what went wrong, in Slackbot's words; null where it is done; undefined where no other company is meant */
export function shareWithCompany(
  word: string,
  rest: string,
  invoker: Invoker,
  deps: Telling,
): string | null | undefined {
  const [, verb] = wordPattern.exec(word) ?? [];
  const address = rest.trim();
  if (verb === undefined || !addressPattern.test(address)) return undefined;
  const { workspace, person, channel } = invoker;
  if (channel.kind === 'dm') return `${word} does not work in direct messages.`;
  const isShared = verb === 'invite';
  void setShared(workspace, channel.id, isShared, deps);
  const company = address.split('@').at(-1);
  const text = isShared
    ? `${person.realName} shared #${channel.name} with people of ${company}.`
    : `${person.realName} stopped sharing #${channel.name} with ${company}.`;
  workspace.history.post({ channel: channel.id, threadTs: null, user: slackbotId, text, blocks: [], viewer: null });
  return null;
}
