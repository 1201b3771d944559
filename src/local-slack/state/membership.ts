/** Slack's own commands that change who is in a channel: `/invite @name`, and `/remove @name`, which people also know as `/kick`. */
import type { Invoker } from '../interactions/invoke.ts';
import { escapeTyped } from '../interactions/typed-text.ts';
import { slackbotId } from './seed.ts';
import { findPerson } from './workspace.ts';

type Change = 'added to' | 'removed from';

const changes: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['/invite', 'added to'],
  ['/remove', 'removed from'],
  ['/kick', 'removed from'],
]);

/**
 * @param word with its slash @param rest who is meant
 * @returns what went wrong, in Slackbot's words; null where it is done; undefined for a word that is none of these
 */
export function changeMembers(word: string, rest: string, invoker: Invoker): string | null | undefined {
  const change = changes.get(word);
  if (change === undefined) return undefined;
  const { workspace, person, channel } = invoker;
  if (channel.kind === 'dm') return `${word} does not work in direct messages.`;
  const meant = [...escapeTyped(rest, workspace, 'message').matchAll(/<@(U[A-Z0-9]+)>/g)].map(([, id = '']) => id);
  if (meant.length === 0) return `Who is meant? Type ${word} and a name that begins with @.`;
  const others = channel.memberIds.filter((id) => !meant.includes(id));
  const memberIds = change === 'added to' ? [...others, ...new Set(meant)] : others;
  workspace.changeChannel(channel.id, { memberIds });
  const names = meant.map((id) => findPerson(workspace, id)?.realName ?? id).join(' and ');
  const text = `${names} ${meant.length === 1 ? 'was' : 'were'} ${change} #${channel.name} by ${person.realName}.`;
  workspace.history.post({ channel: channel.id, threadTs: null, user: slackbotId, text, blocks: [], viewer: null });
  return null;
}
