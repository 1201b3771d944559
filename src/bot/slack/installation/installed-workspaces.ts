/** Looks up the workspaces in which the bot is installed: within two seconds from the store, for a minute from a cache. */
import { hash } from 'node:crypto';
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { withTimeout } from '../../../shared/time/timeout.ts';
import type { Installation, Installations } from '../../store/repositories/installations.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import type { TokenRefresh } from './token-refresh.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

export type InstalledWorkspacesDeps = {
  readonly installations: Pick<Installations, 'find' | 'saveGrant'>;
  readonly tokens: Pick<TokenRefresh, 'current'>;
  readonly cache: WorkspaceCache;
  readonly clients: SlackClients;
  readonly clock: Clock;
  readonly timeoutMs?: number;
};

export type WorkspaceCache = {
  /** @param key of the workspace @returns the result of the last minute, otherwise the result of `lookUp` */
  readonly fetch: (key: string, lookUp: () => Promise<Found | undefined>) => Promise<Found | undefined>;
  /** Drops the cached result for an installation. */
  readonly forget: (id: string) => void;
  /** @returns the ids of the installations that have returned this token within the last minute */
  readonly installationsUsing: (botToken: string) => readonly string[];
  /** @returns the id of the installation that has returned this token within the last day */
  readonly issuedTo: (botToken: string) => string | undefined;
};

/** Limit for serving a workspace that another process has removed. */
const lifetimeMs = 60_000;
/** A person waits three seconds at most. */
const timeoutDefaultMs = 2_000;
const workspacesMax = 5_000;
/** Longer than an expiring token lives, since a running call may still use a replaced token. */
const issuedForMs = 24 * 60 * 60_000;

type Found = {
  /** Id of the installation that serves the workspace: its own, or its enterprise's. */
  readonly id: string;
  readonly workspace: Workspace;
};
type Cached = { readonly found: Promise<Found | undefined>; value?: Found; readonly until: number };

export function createWorkspaceCache(clock: Clock): WorkspaceCache {
  const cache = new Map<string, Cached>();
  const issued = createLruCache<string>({ clock, ttlMs: issuedForMs, entriesMax: workspacesMax });
  const add = (key: string, found: Cached['found']): Cached => {
    // The oldest entries come first. An expired entry goes, so that its token does not stay in memory.
    for (const [oldest, { until }] of cache) {
      if (clock() < until && cache.size < workspacesMax) break;
      cache.delete(oldest);
    }
    const entry: Cached = { found, until: clock() + lifetimeMs };
    cache.set(key, entry);
    // Results without a workspace are not cached, since the bot may be installed at any moment.
    const drop = () => {
      if (cache.get(key) === entry) cache.delete(key);
    };
    found.then((value) => {
      if (!value) return drop();
      entry.value = value;
      issued.set(digestOf(value.workspace.botToken), value.id);
    }, drop);
    return entry;
  };
  return {
    fetch: (key, lookUp) => {
      const known = cache.get(key);
      return (known && clock() < known.until ? known : add(key, lookUp())).found;
    },
    forget: (id) => {
      for (const [key, { value }] of cache) {
        if (!value || value.id === id || key.startsWith(`${id}:`)) cache.delete(key);
      }
    },
    issuedTo: (botToken) => issued.get(digestOf(botToken)),
    installationsUsing: (botToken) => {
      const found = [...cache.values()].flatMap(({ value }) => (value ? [value] : []));
      return [...new Set(found.filter(({ workspace }) => workspace.botToken === botToken).map(({ id }) => id))];
    },
  };
}

export function createInstalledWorkspaces(deps: InstalledWorkspacesDeps): Workspaces {
  const { cache, timeoutMs = timeoutDefaultMs } = deps;
  const lookUp = createLookUp(deps);
  return {
    find: async (teamId, enterpriseId) => {
      const found = await cache.fetch(`${teamId}:${enterpriseId ?? ''}`, () =>
        withTimeout(timeoutMs, lookUp(teamId, enterpriseId), 'The installation was not found in time.'),
      );
      return found?.workspace;
    },
  };
}

/** A digest, so that old tokens do not stay in memory. */
function digestOf(botToken: string): string {
  return hash('sha256', botToken, 'base64');
}

/**
 * If an enterprise installed the bot as a whole, Slack says which of its workspaces may use it. Each workspace that
 * does is stored, so that the next look-up needs no call and the workspace is deleted with its enterprise.
 */
function createLookUp({ installations, tokens, clients, clock }: Omit<InstalledWorkspacesDeps, 'cache'>) {
  const served = async (id: string, teamId: string): Promise<Found | undefined> => {
    const installation = await installations.find(id);
    if (!installation || installation.uninstalledAt !== null) return undefined;
    const current = await tokens.current(id);
    if (current.kind === 'none') return undefined;
    if (current.kind === 'ended') throw new Error(`The token has ended and there is no other (${current.error}).`);
    const { botUserId, appId } = installation;
    const { botToken } = current.tokens;
    return { id, workspace: { teamId, botToken, botUserId, ...(appId !== null && { appId }) } };
  };
  const isGranted = createGrants({ clients, clock });
  return async (teamId: string, givenEnterpriseId: string | undefined): Promise<Found | undefined> => {
    const own = await installations.find(teamId);
    const enterpriseId = givenEnterpriseId ?? enterpriseOf(own);
    const through = enterpriseId === undefined ? undefined : await served(enterpriseId, teamId);
    if (enterpriseId === undefined || !through)
      return enterpriseOf(own) === undefined ? served(teamId, teamId) : undefined;
    if (!(await isGranted(enterpriseId, through.workspace))) return undefined;
    if (enterpriseOf(own) !== enterpriseId || own?.uninstalledAt !== null) {
      await installations.saveGrant(enterpriseId, teamId, clock());
    }
    return through;
  };
}

/** @returns the enterprise through which a workspace has the bot; undefined if it has an installation of its own */
function enterpriseOf(installation: Installation | undefined): string | undefined {
  if (!installation?.isEnterpriseInstall || installation.enterpriseId === installation.teamId) return undefined;
  return installation.enterpriseId ?? undefined;
}

const enterprisesMax = 1_000;

/** https://docs.slack.dev/reference/methods/auth.teams.list, called once a minute at most. */
function createGrants({ clients, clock }: Pick<InstalledWorkspacesDeps, 'clients' | 'clock'>) {
  const known = createLruCache<Granted>({ clock, ttlMs: lifetimeMs, entriesMax: enterprisesMax });
  const listTeams = async (botToken: string): Promise<ReadonlySet<string>> => {
    const teamIds = new Set<string>();
    let cursor = '';
    do {
      const answer = await clients.of(botToken).auth.teams.list({ limit: 1_000, ...(cursor && { cursor }) });
      for (const { id } of answer.teams ?? []) if (id !== undefined) teamIds.add(id);
      cursor = answer.response_metadata?.next_cursor ?? '';
    } while (cursor !== '');
    return teamIds;
  };
  return async (enterpriseId: string, { teamId, botToken }: Workspace): Promise<boolean> => {
    const cached = known.get(enterpriseId);
    const granted =
      cached && clock() < cached.until ? cached : { teamIds: await listTeams(botToken), until: clock() + lifetimeMs };
    known.set(enterpriseId, granted);
    return granted.teamIds.has(teamId);
  };
}

type Granted = { readonly teamIds: ReadonlySet<string>; readonly until: number };
