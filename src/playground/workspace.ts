/** One workspace of the local Slack: its people, channels, messages and the bot's token. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { createFiles, type Files } from './files/store.ts';
import { createHistory, type History, type SlackMessage } from './history.ts';
import { type Channel, type Person, type Seed, seedWorkspace } from './seed.ts';
import { createViews, type Views } from './views/store.ts';

export type Workspace = Seed & {
  readonly botToken: string;
  /** What the installation granted. */
  readonly scopes: readonly string[];
  readonly history: History;
  readonly files: Files;
  readonly views: Views;
};

/** The required scopes of the manifest, then the optional ones. */
const manifestScopes = [
  ...['commands', 'chat:write', 'files:write', 'im:write', 'users:read', 'app_mentions:read', 'im:history'],
  ...['channels:history', 'groups:history', 'channels:read', 'groups:read', 'links:read', 'links:write'],
];

/** @param number 1 for the first workspace @param scopes what was granted; everything the manifest asks for when absent */
export function createWorkspace(number: number, clock: Clock, scopes: readonly string[] = manifestScopes): Workspace {
  const secret = randomBytes(12).toString('hex');
  return {
    ...seedWorkspace(number),
    botToken: `xoxb-${100_000_000_000 + number}-${secret}`,
    scopes,
    history: createHistory(clock),
    files: createFiles(),
    views: createViews(clock),
  };
}

export function findPerson(workspace: Workspace, id: string): Person | undefined {
  return workspace.people.find((person) => person.id === id);
}

export function findChannel(workspace: Workspace, id: string): Channel | undefined {
  return workspace.channels.find((channel) => channel.id === id);
}

/** Whether this person can look into this channel: public ones are open to everyone. */
export function canSee(channel: Channel, userId: string): boolean {
  return channel.kind === 'public' || channel.memberIds.includes(userId);
}

/** The messages of a channel as one person sees them, oldest first. */
export function visibleMessages(workspace: Workspace, channelId: string, viewer: string): readonly SlackMessage[] {
  const channel = findChannel(workspace, channelId);
  if (!channel || !canSee(channel, viewer)) return [];
  return workspace.history.list(channelId).filter((message) => isVisible(message, viewer));
}

/** Whether a message of a channel that this person can see is for this person. */
export function isVisible(message: SlackMessage, viewer: string): boolean {
  return message.viewer === null || message.viewer === viewer;
}

/** How Slack names a channel to an app. */
export function channelNameForApps(channel: Channel): string {
  if (channel.kind === 'dm') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}
