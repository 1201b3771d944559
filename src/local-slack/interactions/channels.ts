/**
 * Slack's own commands on channels: /invite, /remove and /kick, and sharing with another company (Slack Connect).
 * https://slack.com/help/articles/213185307
 */
import { slackbotId } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { otherTeamId, type Person, visitorOf } from '../state/seed.ts';
import { findChannel, findPerson, isExternal, type Workspace } from '../state/workspace.ts';
import { escapeText } from './escape-text.ts';
import type { Invoker } from './invoke.ts';

function announce({ workspace, channel }: Invoker, text: string): void {
  workspace.history.post({ channel: channel.id, user: slackbotId, text });
}

type Change = 'added to' | 'removed from';

const changes: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['/invite', 'added to'],
  ['/remove', 'removed from'],
  ['/kick', 'removed from'],
]);

/**
 * @param word includes the slash
 * @param rest mentions of people, or the address of a person of another company
 * @returns Slackbot's error text; null on success; undefined for another command
 */
export function changeMembers(
  word: string,
  rest: string,
  invoker: Invoker,
  slack: LocalSlack,
): string | null | undefined {
  const change = changes.get(word);
  if (change === undefined) return undefined;
  const { workspace, channel } = invoker;
  if (channel.kind === 'dm') return `${word} does not work in direct messages.`;
  if (addressPattern.test(rest.trim())) return changeVisitor(change, rest.trim(), invoker, slack);
  const meant = [...escapeText(rest, workspace, 'message').matchAll(/<@(U[A-Z0-9]+)>/g)].map(([, id = '']) => id);
  if (meant.length === 0)
    return `Who is meant? Type ${word} and a name that begins with @, or the address of a person of another company.`;
  changeTo(change, meant, invoker);
  const [type, scope] = channel.kind === 'private' ? ['group_left', 'groups:read'] : ['channel_left', 'channels:read'];
  const isHeard = change === 'removed from' && meant.includes(workspace.botUserId) && workspace.scopes.includes(scope);
  if (isHeard) void slack.appEvents.send({ type, channel: channel.id }, workspace);
  return null;
}

function changeTo(change: Change, meant: readonly string[], invoker: Invoker): void {
  const { workspace, person, channel } = invoker;
  const others = channel.memberIds.filter((id) => !meant.includes(id));
  const memberIds = change === 'added to' ? [...others, ...new Set(meant)] : others;
  workspace.changeChannel(channel.id, { memberIds });
  const names = meant.map((id) => findPerson(workspace, id)?.realName ?? id).join(' and ');
  const text = `${names} ${meant.length === 1 ? 'was' : 'were'} ${change} #${channel.name} by ${person.realName}.`;
  announce(invoker, text);
}

/** Sends the event if the scopes include the channel. Resolves after the first attempt. */
export async function setShared(
  workspace: Workspace,
  channelId: string,
  isShared: boolean,
  { appEvents }: LocalSlack,
): Promise<void> {
  workspace.changeChannel(channelId, { isShared });
  const isPrivate = findChannel(workspace, channelId)?.kind === 'private';
  if (!workspace.scopes.includes(isPrivate ? 'groups:read' : 'channels:read')) return;
  const event = isShared
    ? { type: 'channel_shared', connected_team_id: otherTeamId, channel: channelId }
    : { type: 'channel_unshared', previously_connected_team_id: otherTeamId, channel: channelId, is_ext_shared: false };
  await appEvents.send(event, workspace);
}

const addressPattern = /^[^\s@]+@[^\s@.]+\.[^\s@]+$/;

/**
 * `/invite rob@partner.example` adds a person of another company, which shares the channel; `/remove` with the address ends
 * that once no such person is left.
 * @returns Slackbot's error text; null on success
 */
function changeVisitor(change: Change, address: string, invoker: Invoker, slack: LocalSlack): string | null {
  const { workspace, channel } = invoker;
  const visitor = visitorOf(address, workspace.teamId);
  if (change === 'added to') {
    if (!findPerson(workspace, visitor.id)) workspace.addPerson(visitor);
    changeTo(change, [visitor.id], invoker);
    if (!channel.isShared) share(invoker, true, visitor, slack);
    return null;
  }
  if (!channel.memberIds.includes(visitor.id)) return `${address} is not in #${channel.name}.`;
  changeTo(change, [visitor.id], invoker);
  const left = findChannel(workspace, channel.id)?.memberIds ?? [];
  if (!workspace.people.some((person) => left.includes(person.id) && isExternal(workspace, person))) {
    share(invoker, false, visitor, slack);
  }
  return null;
}

function share(invoker: Invoker, isShared: boolean, { company = 'another company' }: Person, slack: LocalSlack): void {
  const { workspace, channel } = invoker;
  void setShared(workspace, channel.id, isShared, slack);
  announce(invoker, `#${channel.name} is ${isShared ? 'now' : 'no longer'} shared with ${company}.`);
}
