/** The workspaces of the local Slack: people, channels, messages, and the installation of the app. */
import type { Clock } from '../../shared/time/clock.ts';
import { createFiles, type Files } from '../files/store.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import { createHistory, type History, type SlackMessage } from './history.ts';
import { createInstallation, type Installation } from './installation.ts';
import { createOrganization, type Organization } from './organization.ts';
import { type Channel, type Person, personId, type Seed, seedWorkspace, visitorsDirect } from './seed.ts';
import { createViews, type Views } from './views.ts';

export type Workspace = Seed & {
  /** The newest valid bot token; empty if the app is not installed. */
  readonly botToken: string;
  /** The granted scopes. */
  readonly scopes: readonly string[];
  /** Its own installation, or that of its organization if that added the app to this workspace. */
  readonly installation: Installation;
  /** Null outside of organizations. */
  readonly organization: Organization | null;
  readonly history: History;
  readonly files: Files;
  readonly views: Views;
  /** Changes a member: no longer an admin, a guest, or deactivated. */
  readonly changePerson: (id: string, change: PersonChange) => void;
  /**
   * Adds a person whose home is another workspace: a member if both are of one organization, otherwise a person of
   * another company whom a shared channel shows.
   */
  readonly addPerson: (person: Person) => void;
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
export function createWorkspace(
  number: number,
  clock: Clock,
  onChange: () => void,
  organization: Organization | null = null,
): Workspace {
  const { people, channels, ...seed } = seedWorkspace(number, organization?.number);
  const { botUserId } = seed;
  const own = createInstallation(number, clock, onChange);
  const current = () => (organization?.accessIds.has(seed.teamId) ? organization.installation : own);
  const persons = new Map(people.map((person) => [person.id, person]));
  const channelsById = new Map(channels.map((channel) => [channel.id, channel]));
  const history = createHistory(clock);
  return {
    ...seed,
    organization,
    history,
    files: organization?.files ?? createFiles(),
    views: createViews(clock),
    get installation() {
      return current();
    },
    get botToken() {
      return current().botToken();
    },
    get scopes() {
      return current().scopes();
    },
    // Without the app there is no bot user and no direct message with it.
    get people() {
      return [...persons.values()].filter(({ id }) => id !== botUserId || current().isInstalled());
    },
    get channels() {
      const all = [...channelsById.values()];
      if (current().isInstalled()) return all;
      return all
        .filter(({ kind }) => kind !== 'dm')
        .map((channel) => ({ ...channel, memberIds: channel.memberIds.filter((id) => id !== botUserId) }));
    },
    ...createChanges({ persons, channelsById, history, organization, onChange }, number, botUserId),
  };
}

type Changing = {
  readonly persons: Map<string, Person>;
  readonly channelsById: Map<string, Channel>;
  readonly history: History;
  readonly organization: Organization | null;
  readonly onChange: () => void;
};

/** Changes of people and channels. @param number of the workspace */
function createChanges(
  { persons, channelsById, history, organization, onChange }: Changing,
  number: number,
  botUserId: string,
): Pick<Workspace, 'addPerson' | 'changeChannel' | 'changePerson' | 'deleteChannel'> {
  return {
    changePerson: (id, change) => {
      const person = persons.get(id);
      if (!person) return;
      persons.set(id, { ...person, ...change });
      onChange();
    },
    addPerson: (person) => {
      persons.set(person.id, { ...person, isAdmin: false, isOwner: false });
      const direct = visitorsDirect(number, person, botUserId);
      if (organization?.teamIds.has(person.homeTeamId)) {
        channelsById.set(direct.id, direct);
        // As in Slack, every member is in #general.
        const general = [...channelsById.values()].find(({ name, kind }) => name === 'general' && kind !== 'dm');
        if (general) channelsById.set(general.id, { ...general, memberIds: [...general.memberIds, person.id] });
      }
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

/** @returns the workspace of a valid or former token; for the token of an organization one of its workspaces */
export function findByToken(workspaces: readonly Workspace[], token: string): Workspace | undefined {
  return (
    workspaces.find(({ installation }) => installation.check(token) !== undefined) ??
    workspaces.find(({ organization }) => organization?.installation.check(token) !== undefined)
  );
}

/** @returns true for a person of another company */
export function isExternal({ teamId, organization }: Workspace, { homeTeamId }: Person): boolean {
  return homeTeamId !== teamId && !organization?.teamIds.has(homeTeamId);
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
  /** Adds an organization of this many workspaces without the app; the admin of its first one administers it. */
  readonly addOrganization: (size: number) => Organization;
  readonly organizations: () => readonly Organization[];
  /** Emitted after changes of people, channels and installations. */
  readonly changes: Emitter<null>;
};

export function createWorkspaces(clock: Clock): Workspaces {
  const workspaces: Workspace[] = [];
  const organizations: Organization[] = [];
  const changes = createEmitter<null>();
  const onChange = () => changes.emit(null);
  const add = (organization?: Organization): Workspace => {
    const added = createWorkspace(workspaces.length + 1, clock, onChange, organization);
    workspaces.push(added);
    onChange();
    return added;
  };
  return {
    changes,
    list: () => workspaces,
    add: () => add(),
    organizations: () => organizations,
    addOrganization: (size) => {
      const organization = createOrganization(workspaces.length + 1, clock, onChange);
      organizations.push(organization);
      for (let count = 0; count < size; count += 1) organization.teamIds.add(add(organization).teamId);
      organization.adminIds.add(personId('ada', organization.number));
      return organization;
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
  /** The manifest's `unfurl_domains`. */
  readonly unfurlDomains: readonly string[];
  /** Slack's legacy verification token, part of every payload. */
  readonly verificationToken: string;
};
