/** Registry of installations: finds the one that serves a workspace, with one cache of a minute and one `invalidate`. */
import { hash } from 'node:crypto';
import { createLruCache, type LruCache } from '../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { withTimeout } from '../../../shared/time/timeout.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import type { Renewed } from '../outbound/web-api/slack-fetch.ts';
import type { Located, ServedWorkspaces, Workspace } from './workspaces.ts';

/** The part of an installation that the registry reads. */
export type ServedInstallation = Pick<
  Installation,
  'teamId' | 'enterpriseId' | 'isEnterpriseInstall' | 'botUserId' | 'botId' | 'appId' | 'refusedSince' | 'uninstalledAt'
>;

/** Installations and their tokens: those of the store, or the one of the settings. */
export type InstallationSource = {
  /** @returns the installation, also one that has ended */
  readonly find: (id: string) => Promise<ServedInstallation | undefined>;
  /** @returns the token to use now */
  readonly current: (id: string) => Promise<Renewed>;
  /** Finds another token for one that Slack calls expired. Never rejects. */
  readonly renew: (id: string, botToken: string) => Promise<Renewed>;
  /** Stores a workspace as one that has the bot through its organization. */
  readonly saveGrant: (teamId: string, enterpriseId: string) => Promise<void>;
};

export type RegistryDeps = {
  readonly source: InstallationSource;
  readonly clients: SlackClients;
  readonly clock: Clock;
  readonly timeoutMs?: number;
};

/** Limit for serving a workspace that another process, or the organization, has removed. */
const lifetimeMs = 60_000;
/** A person waits three seconds at most. */
const timeoutDefaultMs = 2_000;
const installationsMax = 5_000;
/** Longer than an expiring token lives, since a running call may still use a replaced token. */
const issuedForMs = 24 * 60 * 60_000;
/** Slack rarely moves a channel to another workspace. */
const channelLifetimeMs = 10 * 60_000;
const channelsMax = 10_000;
const pageSize = 1_000;
const pagesMax = 50;

/** Cache entry of one installation. It holds promises, so that simultaneous look-ups share one call. */
type Known = {
  readonly until: number;
  installation?: Promise<ServedInstallation | undefined>;
  botToken?: Promise<string | undefined>;
  /** The workspaces to which an organization added the bot. */
  granted?: Promise<ReadonlySet<string>>;
};

export class InstallationRegistry implements ServedWorkspaces {
  readonly #deps: RegistryDeps;
  readonly #known = new Map<string, Known>();
  /** Ids of installations by a digest of the token, so that old tokens do not stay in memory. */
  readonly #issued: LruCache<string>;
  readonly #channels: LruCache<readonly string[]>;

  constructor(deps: RegistryDeps) {
    const { clock } = deps;
    this.#deps = deps;
    this.#issued = createLruCache({ clock, ttlMs: issuedForMs, entriesMax: installationsMax });
    this.#channels = createLruCache({ clock, ttlMs: channelLifetimeMs, entriesMax: channelsMax });
  }

  find(teamId: string, enterpriseId?: string): Promise<Workspace | undefined> {
    return this.#inTime(this.#find(teamId, enterpriseId));
  }

  locate(enterpriseId: string, channelId: string | undefined): Promise<Located | undefined> {
    return this.#inTime(this.#locate(enterpriseId, channelId));
  }

  /** Drops what is known of an installation after a change. */
  invalidate(id: string): void {
    this.#known.delete(id);
  }

  /** @returns the id of the installation that has used this token within the last day */
  idOf(botToken: string): string | undefined {
    return this.#issued.get(digestOf(botToken));
  }

  /** Finds another token for one that Slack calls expired. Never rejects. */
  async renew(botToken: string): Promise<Renewed> {
    const id = this.idOf(botToken);
    if (id === undefined) return { kind: 'none' };
    const renewed = await this.#deps.source.renew(id, botToken);
    if (renewed.kind === 'token') this.invalidate(id);
    return renewed;
  }

  /**
   * Slack says which workspaces of an organization may use the bot: https://docs.slack.dev/reference/methods/auth.teams.list,
   * which needs no scope. Rejects if Slack does not say.
   */
  workspacesOf(enterpriseId: string, botToken: string): Promise<ReadonlySet<string>> {
    const known = this.#knownOf(enterpriseId);
    known.granted ??= this.#keep(enterpriseId, known, listTeams(this.#deps.clients, botToken));
    return known.granted;
  }

  /** Each workspace that has the bot through its organization is stored, so that it is deleted with it. */
  async #find(teamId: string, givenEnterpriseId: string | undefined): Promise<Workspace | undefined> {
    const own = await this.#installation(teamId);
    const enterpriseId = givenEnterpriseId ?? organizationOf(own);
    const through = enterpriseId === undefined ? undefined : await this.#workspace(enterpriseId, teamId);
    if (enterpriseId === undefined || !through)
      return organizationOf(own) === undefined ? this.#workspace(teamId, teamId) : undefined;
    const granted = await this.workspacesOf(enterpriseId, through.botToken);
    if (!granted.has(teamId)) return undefined;
    // A workspace that installed the bot itself keeps that installation beside its organization's.
    const isStored = own?.uninstalledAt === null && [undefined, enterpriseId].includes(organizationOf(own));
    if (!isStored) {
      await this.#deps.source.saveGrant(teamId, enterpriseId);
      this.invalidate(teamId);
    }
    return through;
  }

  /** A payload without a workspace belongs to the only one that has the bot, or to that of its channel. */
  async #locate(enterpriseId: string, channelId: string | undefined): Promise<Located | undefined> {
    const botToken = await this.#botToken(enterpriseId);
    if (botToken === undefined) return undefined;
    const granted = await this.workspacesOf(enterpriseId, botToken);
    const isUnclear = granted.size > 1 && channelId !== undefined && /^[CG]/.test(channelId);
    const possible = isUnclear ? await this.#workspacesOfChannel(enterpriseId, botToken, channelId) : [...granted];
    const [teamId, ...others] = possible.filter((id) => granted.has(id));
    return { botToken, teamId: others.length === 0 ? teamId : undefined };
  }

  async #workspacesOfChannel(enterpriseId: string, botToken: string, channelId: string): Promise<readonly string[]> {
    const key = `${enterpriseId}:${channelId}`;
    const cached = this.#channels.get(key);
    if (cached) return cached;
    const teamIds = await listTeamsOfChannel(this.#deps.clients, botToken, channelId);
    this.#channels.set(key, teamIds);
    return teamIds;
  }

  /** @returns the workspace as the installation with this id serves it */
  async #workspace(id: string, teamId: string): Promise<Workspace | undefined> {
    const installation = await this.#installation(id);
    if (installation?.uninstalledAt !== null) return undefined;
    const botToken = await this.#botToken(id);
    if (botToken === undefined) return undefined;
    const { botUserId, botId, appId, refusedSince } = installation;
    const isRefused = refusedSince !== null;
    return {
      teamId,
      botToken,
      botUserId,
      isRefused,
      ...(botId !== null && { botId }),
      ...(appId !== null && { appId }),
    };
  }

  #installation(id: string): Promise<ServedInstallation | undefined> {
    const known = this.#knownOf(id);
    const isInstalled = (found?: ServedInstallation) => found?.uninstalledAt === null;
    known.installation ??= this.#keep(id, known, this.#inTime(this.#deps.source.find(id)), isInstalled);
    return known.installation;
  }

  #botToken(id: string): Promise<string | undefined> {
    const known = this.#knownOf(id);
    known.botToken ??= this.#keep(id, known, this.#inTime(this.#readToken(id)));
    return known.botToken;
  }

  async #readToken(id: string): Promise<string | undefined> {
    const current = await this.#deps.source.current(id);
    if (current.kind === 'none') return undefined;
    if (current.kind !== 'token') throw new Error(`The token has ended and there is no other (${current.error}).`);
    this.#issued.set(digestOf(current.botToken), id);
    return current.botToken;
  }

  #knownOf(id: string): Known {
    const now = this.#deps.clock();
    const earlier = this.#known.get(id);
    if (earlier && now < earlier.until) return earlier;
    // The oldest entries come first. An expired entry goes, so that its token does not stay in memory.
    for (const [oldest, { until }] of this.#known) {
      if (now < until && this.#known.size < installationsMax) break;
      this.#known.delete(oldest);
    }
    const known = { until: now + lifetimeMs };
    this.#known.set(id, known);
    return known;
  }

  /** Failures are not kept, nor that there is no installation, since the bot may be installed at any moment. */
  #keep<Value>(
    id: string,
    known: Known,
    asking: Promise<Value>,
    isKept: (value: Value) => boolean = (value) => value !== undefined,
  ): Promise<Value> {
    const drop = () => {
      if (this.#known.get(id) === known) this.#known.delete(id);
    };
    asking.then((value) => {
      if (!isKept(value)) drop();
    }, drop);
    return asking;
  }

  #inTime<Value>(work: Promise<Value>): Promise<Value> {
    return withTimeout(this.#deps.timeoutMs ?? timeoutDefaultMs, work, 'The installation was not found in time.');
  }
}

function digestOf(botToken: string): string {
  return hash('sha256', botToken, 'base64');
}

/** @returns the organization through which a workspace has the bot; undefined if it has an installation of its own */
function organizationOf(installation: ServedInstallation | undefined): string | undefined {
  if (!installation?.isEnterpriseInstall || installation.enterpriseId === installation.teamId) return undefined;
  return installation.enterpriseId ?? undefined;
}

async function listTeams(clients: SlackClients, botToken: string): Promise<ReadonlySet<string>> {
  const teamIds = new Set<string>();
  let cursor = '';
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const answer = await clients.of(botToken).auth.teams.list({ limit: pageSize, ...(cursor && { cursor }) });
    for (const { id } of answer.teams ?? []) if (id !== undefined) teamIds.add(id);
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return teamIds;
  }
  throw new Error('Slack lists the workspaces of an organization without an end.');
}

/** https://docs.slack.dev/reference/objects/conversation-object: a channel of several workspaces names all of them. */
async function listTeamsOfChannel(
  clients: SlackClients,
  botToken: string,
  channel: string,
): Promise<readonly string[]> {
  const { channel: info } = await clients.of(botToken).conversations.info({ channel });
  if (info?.is_org_shared) return [...new Set([...(info.shared_team_ids ?? []), ...(info.internal_team_ids ?? [])])];
  return info?.context_team_id === undefined ? [] : [info.context_team_id];
}
