/** The workspaces of the local Slack: people, channels, messages, and the installation of the app. */
import type { Clock } from '../../shared/time/clock.ts';
import { Files } from '../files/store.ts';
import { Emitter } from './emitter.ts';
import { History, type SlackMessage } from './history.ts';
import { Installation } from './installation.ts';
import { Organization } from './organization.ts';
import { type Channel, type Person, personId, type Seed, seedWorkspace, visitorsDirect } from './seed.ts';
import type { Storage } from './storage.ts';
import { Views } from './views.ts';

export type PersonChange = Partial<
  Pick<Person, 'isAdmin' | 'isOwner' | 'isDeleted' | 'guest' | 'timeZone' | 'realName'>
>;

export type ChannelChange = Partial<Pick<Channel, 'isArchived' | 'isShared' | 'memberIds'>>;

/** The required scopes of the manifest, then the optional ones, with Slack's descriptions. */
export const manifestScopeWords: Readonly<Record<string, string>> = {
  commands: 'Add shortcuts and slash commands that people can use',
  'chat:write': 'Send messages as the app',
  'files:write': 'Upload, edit, and delete files as the app',
  'im:write': 'Start direct messages with people',
  'users:read': 'View people in the workspace',
  'app_mentions:read': 'View messages that directly mention the app',
  'im:history': 'View messages in direct messages that the app has been added to',
  'channels:history': 'View messages in public channels that the app has been added to',
  'groups:history': 'View messages in private channels that the app has been added to',
  'channels:read': 'View basic information about public channels in the workspace',
  'groups:read': 'View basic information about private channels that the app has been added to',
  'links:read': 'View URLs in messages',
  'links:write': 'Show previews of URLs in messages',
};
export const manifestScopes: readonly string[] = Object.keys(manifestScopeWords);

type WorkspaceSettings = {
  /** 1 for the first workspace. */
  readonly number: number;
  readonly clock: Clock;
  /** Called on changes of people, channels and installation. */
  readonly onChange: () => void;
  readonly organization: Organization | null;
  readonly storage: Storage;
};

/** A changed channel; null for a deleted one. */
type ChannelRecord = { readonly id: string; readonly channel: Channel | null };

/** A workspace with the state of its storage; a new one has no app. */
export class Workspace {
  readonly teamId: string;
  readonly name: string;
  readonly domain: string;
  readonly botUserId: string;
  readonly botId: string;
  /** Null outside of organizations. */
  readonly organization: Organization | null;
  readonly history: History;
  readonly files: Files;
  readonly views: Views;
  readonly #number: number;
  readonly #onChange: () => void;
  readonly #seed: Seed;
  readonly #own: Installation;
  /** People and channels that were changed or added. */
  readonly #people: Map<string, Person>;
  readonly #channels: Map<string, ChannelRecord>;

  constructor({ number, clock, onChange, organization, storage }: WorkspaceSettings) {
    const seed = seedWorkspace(number, organization?.number);
    this.teamId = seed.teamId;
    this.name = seed.name;
    this.domain = seed.domain;
    this.botUserId = seed.botUserId;
    this.botId = seed.botId;
    this.organization = organization;
    this.history = new History(clock, storage.records('message', number));
    this.files = organization?.files ?? new Files(storage.records('file', number));
    this.views = new Views(clock);
    this.#number = number;
    this.#onChange = onChange;
    this.#seed = seed;
    this.#own = new Installation(number, clock, onChange, storage.records('installation', number));
    this.#people = storage.records('person', number);
    this.#channels = storage.records('channel', number);
  }

  /** Its organization if that added the app to this workspace. */
  get servingOrganization(): Organization | null {
    return this.organization?.accessIds.has(this.teamId) ? this.organization : null;
  }

  get installation(): Installation {
    return this.servingOrganization?.installation ?? this.#own;
  }

  /** The newest valid bot token; empty if the app is not installed. */
  get botToken(): string {
    return this.installation.botToken();
  }

  /** The granted scopes. */
  get scopes(): readonly string[] {
    return this.installation.scopes();
  }

  /** With the bot, whose messages remain after the app is removed. */
  get everyone(): readonly Person[] {
    return [...new Map([...this.#seed.people.map((person) => [person.id, person] as const), ...this.#people]).values()];
  }

  /** Without the app there is no bot user and no direct message with it. */
  get people(): readonly Person[] {
    return this.everyone.filter(({ id }) => id !== this.botUserId || this.installation.isInstalled());
  }

  get channels(): readonly Channel[] {
    const all = this.#allChannels();
    if (this.installation.isInstalled()) return all;
    return all
      .filter(({ kind }) => kind !== 'dm')
      .map((channel) => ({ ...channel, memberIds: channel.memberIds.filter((id) => id !== this.botUserId) }));
  }

  /** Changes a member: no longer an admin, a guest, or deactivated. */
  changePerson(id: string, change: PersonChange): void {
    const person = this.everyone.find((each) => each.id === id);
    if (!person) return;
    this.#people.set(id, { ...person, ...change });
    this.#onChange();
  }

  /**
   * Adds a person whose home is another workspace: a member if both are of one organization, otherwise a person of
   * another company whom a shared channel shows.
   */
  addPerson(person: Person): void {
    this.#people.set(person.id, { ...person, isAdmin: false, isOwner: false });
    if (this.organization?.teamIds.has(person.homeTeamId)) {
      this.#putChannel(visitorsDirect(this.#number, person, this.botUserId));
      // As in Slack, every member is in #general.
      const general = this.#allChannels().find(({ name, kind }) => name === 'general' && kind !== 'dm');
      if (general) this.#putChannel({ ...general, memberIds: [...general.memberIds, person.id] });
    }
    this.#onChange();
  }

  /** Archives a channel, shares it, or changes its members. */
  changeChannel(id: string, change: ChannelChange): void {
    const channel = this.#allChannels().find((each) => each.id === id);
    if (!channel) return;
    this.#putChannel({ ...channel, ...change });
    this.#onChange();
  }

  /** Deletes a channel and its messages. @returns the deleted channel */
  deleteChannel(id: string): Channel | undefined {
    const channel = this.#allChannels().find((each) => each.id === id);
    for (const message of this.history.list(id)) this.history.remove(message);
    if (!channel) return undefined;
    this.#channels.set(id, { id, channel: null });
    this.#onChange();
    return channel;
  }

  #allChannels(): readonly Channel[] {
    const seeded = this.#seed.channels.map((channel) => [channel.id, { id: channel.id, channel }] as const);
    return [...new Map<string, ChannelRecord>([...seeded, ...this.#channels]).values()].flatMap(
      ({ channel }) => channel ?? [],
    );
  }

  #putChannel(channel: Channel): void {
    this.#channels.set(channel.id, { id: channel.id, channel });
  }
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

/** The number is null outside of organizations. */
type WorkspaceRecord = { readonly organizationNumber: number | null };

/** The workspaces of the storage; at least one. */
export class Workspaces {
  readonly all: Workspace[] = [];
  readonly organizations: Organization[] = [];
  readonly first: Workspace;
  /** Emitted after changes of people, channels and installations. */
  readonly changes = new Emitter<null>();
  readonly #clock: Clock;
  readonly #storage: Storage;
  readonly #records: Map<string, WorkspaceRecord>;
  readonly #onChange = () => this.changes.emit(null);

  constructor(clock: Clock, storage: Storage) {
    this.#clock = clock;
    this.#storage = storage;
    this.#records = storage.records('workspace', 0);
    const [, ...others] = [...this.#records.values()];
    this.first = this.add();
    for (const { organizationNumber: number } of others) {
      const known = this.organizations.find((each) => each.number === number);
      this.add(number === null ? null : (known ?? this.#addOrganization()));
    }
  }

  /** Adds a workspace without the app. */
  add(organization: Organization | null = null): Workspace {
    const number = this.all.length + 1;
    const settings = { number, clock: this.#clock, onChange: this.#onChange, organization, storage: this.#storage };
    const added = new Workspace(settings);
    this.#records.set(String(number), { organizationNumber: organization?.number ?? null });
    organization?.teamIds.add(added.teamId);
    this.all.push(added);
    this.#onChange();
    return added;
  }

  /** Adds an organization of this many workspaces without the app; the admin of its first one administers it. */
  addOrganization(size: number): Organization {
    const organization = this.#addOrganization();
    for (let count = 0; count < size; count += 1) this.add(organization);
    return organization;
  }

  #addOrganization(): Organization {
    const organization = new Organization(this.all.length + 1, this.#clock, this.#onChange, this.#storage);
    this.organizations.push(organization);
    organization.adminIds.add(personId('ada', organization.number));
    return organization;
  }

  find(teamId: string): Workspace | undefined {
    return this.all.find((each) => each.teamId === teamId);
  }
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
