/** The workspaces of the local Slack: people, channels, messages, and the installation of the app. */
import type { Clock } from '../../shared/time/clock.ts';
import { createFiles, type Files } from '../files/store.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import { createHistory, type History, type SlackMessage } from './history.ts';
import { createInstallation, type Installation } from './installation.ts';
import { createOrganization, type Organization } from './organization.ts';
import { type Channel, type Person, personId, type Seed, seedWorkspace, visitorsDirect } from './seed.ts';
import type { Records, Storage } from './storage.ts';
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

export type WorkspaceSettings = {
  /** 1 for the first workspace. */
  readonly number: number;
  readonly clock: Clock;
  /** Called on changes of people, channels and installation. */
  readonly onChange: () => void;
  readonly organization: Organization | null;
  readonly storage: Storage;
};

/** @returns a workspace with the state of its storage; a new one has no app */
export function createWorkspace(settings: WorkspaceSettings): Workspace {
  const { number, clock, onChange, organization, storage } = settings;
  const { people, channels, ...seed } = seedWorkspace(number, organization?.number);
  const { botUserId } = seed;
  const own = createInstallation(number, clock, onChange, storage.records('installation', number));
  const current = () => (organization?.accessIds.has(seed.teamId) ? organization.installation : own);
  const persons = createPersons(people, storage.records('person', number));
  const changing = createChannels(channels, storage.records('channel', number));
  const history = createHistory(clock, storage.records('message', number));
  return {
    ...seed,
    organization,
    history,
    files: organization?.files ?? createFiles(storage.records('file', number)),
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
      return persons.list().filter(({ id }) => id !== botUserId || current().isInstalled());
    },
    get channels() {
      const all = changing.list();
      if (current().isInstalled()) return all;
      return all
        .filter(({ kind }) => kind !== 'dm')
        .map((channel) => ({ ...channel, memberIds: channel.memberIds.filter((id) => id !== botUserId) }));
    },
    ...createChanges({ persons, channels: changing, history, organization, onChange }, number, botUserId),
  };
}

type Persons = { readonly list: () => readonly Person[]; readonly put: (person: Person) => void };

/** @param records keeps people who were changed or added, those of earlier runs included */
function createPersons(seeded: readonly Person[], records: Records<Person>): Persons {
  const persons = new Map([...seeded, ...records.list()].map((person) => [person.id, person]));
  return {
    list: () => [...persons.values()],
    put: (person) => {
      records.put(person.id, person);
      persons.set(person.id, person);
    },
  };
}

type Channels = {
  readonly list: () => readonly Channel[];
  readonly find: (id: string) => Channel | undefined;
  readonly put: (channel: Channel) => void;
  readonly remove: (id: string) => boolean;
};

/** @param records keeps changes, those of earlier runs included */
function createChannels(seeded: readonly Channel[], records: Records<ChannelRecord>): Channels {
  const channels = new Map(seeded.map((channel) => [channel.id, channel]));
  for (const { id, channel } of records.list()) {
    if (channel) channels.set(id, channel);
    else channels.delete(id);
  }
  return {
    list: () => [...channels.values()],
    find: (id) => channels.get(id),
    put: (channel) => {
      records.put(channel.id, { id: channel.id, channel });
      channels.set(channel.id, channel);
    },
    remove: (id) => {
      records.put(id, { id, channel: null });
      return channels.delete(id);
    },
  };
}

/** A changed channel; null for a deleted one. */
type ChannelRecord = { readonly id: string; readonly channel: Channel | null };

type Changing = {
  readonly persons: Persons;
  readonly channels: Channels;
  readonly history: History;
  readonly organization: Organization | null;
  readonly onChange: () => void;
};

/** Changes of people and channels. @param number of the workspace */
function createChanges(
  { persons, channels, history, organization, onChange }: Changing,
  number: number,
  botUserId: string,
): Pick<Workspace, 'addPerson' | 'changeChannel' | 'changePerson' | 'deleteChannel'> {
  return {
    changePerson: (id, change) => {
      const person = persons.list().find((each) => each.id === id);
      if (!person) return;
      persons.put({ ...person, ...change });
      onChange();
    },
    addPerson: (person) => {
      persons.put({ ...person, isAdmin: false, isOwner: false });
      const direct = visitorsDirect(number, person, botUserId);
      if (organization?.teamIds.has(person.homeTeamId)) {
        channels.put(direct);
        // As in Slack, every member is in #general.
        const general = channels.list().find(({ name, kind }) => name === 'general' && kind !== 'dm');
        if (general) channels.put({ ...general, memberIds: [...general.memberIds, person.id] });
      }
      onChange();
    },
    changeChannel: (id, change) => {
      const channel = channels.find(id);
      if (!channel) return;
      channels.put({ ...channel, ...change });
      onChange();
    },
    deleteChannel: (id) => {
      const channel = channels.find(id);
      for (const message of history.list(id)) history.remove(message);
      if (channels.remove(id)) onChange();
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

/** Returns true if this person can see this channel: people of the workspace see public ones, everyone their own. */
export function canSee(workspace: Workspace, channel: Channel, userId: string): boolean {
  if (channel.memberIds.includes(userId)) return true;
  const person = findPerson(workspace, userId);
  return channel.kind === 'public' && !(person && isExternal(workspace, person));
}

/** The messages of a channel as one person sees them, oldest first. */
export function visibleMessages(workspace: Workspace, channelId: string, viewer: string): readonly SlackMessage[] {
  const channel = findChannel(workspace, channelId);
  if (!channel || !canSee(workspace, channel, viewer)) return [];
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
  readonly first: Workspace;
  readonly list: () => readonly Workspace[];
  /** Adds a workspace without the app. */
  readonly add: () => Workspace;
  /** Adds an organization of this many workspaces without the app; the admin of its first one administers it. */
  readonly addOrganization: (size: number) => Organization;
  readonly organizations: () => readonly Organization[];
  /** Emitted after changes of people, channels and installations. */
  readonly changes: Emitter<null>;
};

/** The number is null outside of organizations. */
type WorkspaceRecord = { readonly organizationNumber: number | null };

/** @returns the workspaces of the storage; at least one */
export function createWorkspaces(clock: Clock, storage: Storage): Workspaces {
  const records = storage.records<WorkspaceRecord>('workspace', 0);
  const workspaces: Workspace[] = [];
  const organizations: Organization[] = [];
  const changes = createEmitter<null>();
  const onChange = () => changes.emit(null);
  const add = (organization: Organization | null): Workspace => {
    const number = workspaces.length + 1;
    const added = createWorkspace({ number, clock, onChange, organization, storage });
    records.put(String(number), { organizationNumber: organization?.number ?? null });
    organization?.teamIds.add(added.teamId);
    workspaces.push(added);
    onChange();
    return added;
  };
  const addOrganization = () => {
    const organization = createOrganization(workspaces.length + 1, clock, onChange, storage);
    organizations.push(organization);
    organization.adminIds.add(personId('ada', organization.number));
    return organization;
  };
  const kept = records.list();
  const first = add(null);
  for (const { organizationNumber: number } of kept.slice(1)) {
    add(number === null ? null : (organizations.find((each) => each.number === number) ?? addOrganization()));
  }
  return {
    first,
    changes,
    list: () => workspaces,
    add: () => add(null),
    organizations: () => organizations,
    addOrganization: (size) => {
      const organization = addOrganization();
      for (let count = 0; count < size; count += 1) add(organization);
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
