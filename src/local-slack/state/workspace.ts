/** The workspaces of the local Slack: people, channels, messages, and the installation of the app. */
import type { Clock } from '../../shared/time/clock.ts';
import { createFiles, type Files } from '../files/store.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import { createHistory, type History, type SlackMessage } from './history.ts';
import { createInstallation, type Installation } from './installation.ts';
import { type Channel, type Person, type Seed, seedWorkspace } from './seed.ts';
import { createViews, type Views } from './views.ts';

export type Workspace = Seed & {
  /** The newest valid bot token; empty if the app is not installed. */
  readonly botToken: string;
  /** The granted scopes. */
  readonly scopes: readonly string[];
  readonly installation: Installation;
  readonly history: History;
  readonly files: Files;
  readonly views: Views;
  /** Changes a member: no longer an admin, a guest, or deactivated. */
  readonly changePerson: (id: string, change: PersonChange) => void;
  /** Archives a channel, shares it, or changes its members. */
  readonly changeChannel: (id: string, change: ChannelChange) => void;
  /** Deletes a channel and its messages. @returns the deleted channel */
  readonly deleteChannel: (id: string) => Channel | undefined;
};

export type PersonChange = Partial<
  Pick<Person, 'isAdmin' | 'isOwner' | 'isDeleted' | 'guest' | 'timeZone' | 'realName'>
>;

export type ChannelChange = Partial<Pick<Channel, 'isArchived' | 'isShared' | 'memberIds'>>;

/** The required scopes of the manifest, then the optional ones. */
export const manifestScopes: readonly string[] = [
  ...['commands', 'chat:write', 'files:write', 'im:write', 'users:read', 'app_mentions:read', 'im:history'],
  ...['channels:history', 'groups:history', 'channels:read', 'groups:read', 'links:read', 'links:write'],
];

/** @param number 1 for the first workspace @param onChange called on changes of people, channels and installation @returns a workspace without the app */
export function createWorkspace(number: number, clock: Clock, onChange: () => void): Workspace {
  const { people, channels, ...seed } = seedWorkspace(number);
  const { botUserId } = seed;
  const installation = createInstallation(number, clock, onChange);
  const persons = new Map(people.map((person) => [person.id, person]));
  const channelsById = new Map(channels.map((channel) => [channel.id, channel]));
  const history = createHistory(clock);
  return {
    ...seed,
    installation,
    history,
    files: createFiles(),
    views: createViews(clock),
    get botToken() {
      return installation.botToken();
    },
    get scopes() {
      return installation.scopes();
    },
    // Without the app there is no bot user and no direct message with it.
    get people() {
      return [...persons.values()].filter(({ id }) => id !== botUserId || installation.isInstalled());
    },
    get channels() {
      const all = [...channelsById.values()];
      if (installation.isInstalled()) return all;
      return all
        .filter(({ kind }) => kind !== 'dm')
        .map((channel) => ({ ...channel, memberIds: channel.memberIds.filter((id) => id !== botUserId) }));
    },
    changePerson: (id, change) => {
      const person = persons.get(id);
      if (!person) return;
      persons.set(id, { ...person, ...change });
      onChange();
    },
    changeChannel: (id, change) => {
      const channel = channelsById.get(id);
      if (!channel) return;
      channelsById.set(id, { ...channel, ...change });
      onChange();
    },
    deleteChannel: (id) => {
      const channel = channelsById.get(id);
      for (const message of history.list(id)) history.remove(message);
      if (channelsById.delete(id)) onChange();
      return channel;
    },
  };
}

/** @returns the workspace of a valid or former token */
export function findByToken(workspaces: readonly Workspace[], token: string): Workspace | undefined {
  return workspaces.find(({ installation }) => installation.check(token) !== undefined);
}

export function findPerson(workspace: Workspace, id: string): Person | undefined {
  return workspace.people.find((person) => person.id === id);
}

export function findChannel(workspace: Workspace, id: string): Channel | undefined {
  return workspace.channels.find((channel) => channel.id === id);
}

/** Returns true if this person can see this channel: everyone sees public ones. */
export function canSee(channel: Channel, userId: string): boolean {
  return channel.kind === 'public' || channel.memberIds.includes(userId);
}

/** The messages of a channel as one person sees them, oldest first. */
export function visibleMessages(workspace: Workspace, channelId: string, viewer: string): readonly SlackMessage[] {
  const channel = findChannel(workspace, channelId);
  if (!channel || !canSee(channel, viewer)) return [];
  return workspace.history.list(channelId).filter((message) => isVisible(message, viewer));
}

/** Returns true if this person sees a message of a visible channel. */
export function isVisible(message: SlackMessage, viewer: string): boolean {
  return message.viewer === null || message.viewer === viewer;
}

/** @returns the channel's name as Slack shows it to an app */
export function channelNameForApps(channel: Channel): string {
  if (channel.kind === 'dm') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}

export type Workspaces = {
  readonly list: () => readonly Workspace[];
  /** Adds a workspace without the app. */
  readonly add: () => Workspace;
  /** Emitted after changes of people, channels and installations. */
  readonly changes: Emitter<null>;
};

export function createWorkspaces(clock: Clock): Workspaces {
  const workspaces: Workspace[] = [];
  const changes = createEmitter<null>();
  const onChange = () => changes.emit(null);
  return {
    changes,
    list: () => workspaces,
    add: () => {
      const added = createWorkspace(workspaces.length + 1, clock, onChange);
      workspaces.push(added);
      onChange();
      return added;
    },
  };
}

export type AppIdentity = {
  readonly id: string;
  readonly name: string;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  /** The manifest's `home_tab_enabled`. */
  readonly hasHome: boolean;
  /** Slack's legacy verification token, part of every payload. */
  readonly verificationToken: string;
};
