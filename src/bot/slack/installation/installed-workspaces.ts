/** Looks up the workspaces in which the bot is installed: within two seconds from the store, for a minute from a cache. */
import { hash } from 'node:crypto';
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { withTimeout } from '../../../shared/time/timeout.ts';
import type { Installation, Installations } from '../../store/repositories/installations.ts';
import type { Organizations } from './organizations.ts';
import type { TokenRefresh } from './token-refresh.ts';
import type { ServedWorkspaces, Workspace } from './workspaces.ts';

export type InstalledWorkspacesDeps = {
  readonly installations: Pick<Installations, 'find'>;
  readonly tokens: Pick<TokenRefresh, 'current'>;
  readonly cache: WorkspaceCache;
  readonly organizations: Organizations;
  /** Called until the workspace is stored as one that has the bot through its organization. */
  readonly onGranted: OnGranted;
  readonly timeoutMs?: number;
};

/** @param enterpriseId of the organization's installation */
export type OnGranted = (teamId: string, enterpriseId: string) => Promise<void>;

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

export function createInstalledWorkspaces(deps: InstalledWorkspacesDeps): ServedWorkspaces {
  const { cache, organizations, timeoutMs = timeoutDefaultMs } = deps;
  const served = createServed(deps);
  const lookUp = createLookUp(deps, served);
  const withDeadline = <Value>(value: Promise<Value>) =>
    withTimeout(timeoutMs, value, 'The installation was not found in time.');
  return {
    find: async (teamId, enterpriseId) => {
      const found = await cache.fetch(`${teamId}:${enterpriseId ?? ''}`, () =>
        withDeadline(lookUp(teamId, enterpriseId)),
      );
      return found?.workspace;
    },
    locate: async (enterpriseId, channelId) => {
      const found = await withDeadline(served(enterpriseId, enterpriseId));
      if (!found) return undefined;
      const { botToken } = found.workspace;
      return { botToken, teamId: await withDeadline(organizations.locate(enterpriseId, botToken, channelId)) };
    },
  };
}

/** A digest, so that old tokens do not stay in memory. */
function digestOf(botToken: string): string {
  return hash('sha256', botToken, 'base64');
}

/** @returns a function that finds the token of an installation for a workspace: its own, or its enterprise's */
function createServed({ installations, tokens }: Pick<InstalledWorkspacesDeps, 'installations' | 'tokens'>) {
  return async (id: string, teamId: string): Promise<Found | undefined> => {
    const installation = await installations.find(id);
    if (!installation || installation.uninstalledAt !== null) return undefined;
    const current = await tokens.current(id);
    if (current.kind === 'none') return undefined;
    if (current.kind === 'ended') throw new Error(`The token has ended and there is no other (${current.error}).`);
    const { botUserId, appId, refusedSince } = installation;
    const { botToken } = current.tokens;
    const isRefused = refusedSince !== null;
    return { id, workspace: { teamId, botToken, botUserId, isRefused, ...(appId !== null && { appId }) } };
  };
}

/**
 * If an enterprise installed the bot as a whole, Slack says which of its workspaces may use it. Each workspace that
 * does is stored, so that the workspace is deleted with its enterprise.
 */
function createLookUp(
  { installations, organizations, onGranted }: InstalledWorkspacesDeps,
  served: ReturnType<typeof createServed>,
) {
  return async (teamId: string, givenEnterpriseId: string | undefined): Promise<Found | undefined> => {
    const own = await installations.find(teamId);
    const enterpriseId = givenEnterpriseId ?? enterpriseOf(own);
    const through = enterpriseId === undefined ? undefined : await served(enterpriseId, teamId);
    if (enterpriseId === undefined || !through)
      return enterpriseOf(own) === undefined ? served(teamId, teamId) : undefined;
    const granted = await organizations.workspacesOf(enterpriseId, through.workspace.botToken);
    if (!granted.has(teamId)) return undefined;
    const isStored = isOwn(own) || (enterpriseOf(own) === enterpriseId && own?.uninstalledAt === null);
    if (!isStored) await onGranted(teamId, enterpriseId);
    return through;
  };
}

/** @returns true if the workspace installed the bot itself; it keeps that installation beside its enterprise's */
function isOwn(installation: Installation | undefined): boolean {
  return installation?.uninstalledAt === null && !installation.isEnterpriseInstall;
}

/** @returns the enterprise through which a workspace has the bot; undefined if it has an installation of its own */
function enterpriseOf(installation: Installation | undefined): string | undefined {
  if (!installation?.isEnterpriseInstall || installation.enterpriseId === installation.teamId) return undefined;
  return installation.enterpriseId ?? undefined;
}
