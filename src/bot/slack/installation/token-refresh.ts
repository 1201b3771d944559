/** Refreshes expiring tokens in time, in one process at a time. */
import { setTimeout as timer } from 'node:timers/promises';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Installations, OpenTokens, Tokens } from '../../store/repositories/installations.ts';
import type { Leases } from '../../store/repositories/leases.ts';
import { classifyThrown, type Failure } from '../outbound/web-api/errors.ts';
import type { Renewed } from '../outbound/web-api/slack-fetch.ts';
import type { Oauth } from './oauth.ts';

export type TokenRefreshDeps = {
  readonly installations: Pick<Installations, 'openTokens' | 'replaceTokens'>;
  readonly leases: Leases;
  readonly oauth: Pick<Oauth, 'refresh'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when a new token replaces the current one. */
  readonly onReplaced: (id: string) => void;
  readonly wait?: (ms: number) => Promise<unknown>;
};

/** `ended`: the token has expired, and `error` says why there is no new one. */
type Current =
  | { readonly kind: 'current'; readonly tokens: OpenTokens }
  | { readonly kind: 'ended'; readonly error: string }
  | { readonly kind: 'none' };

export type TokenRefresh = {
  /**
   * @param id of the installation
   * @returns the tokens to use now. Tokens that expire within two hours are replaced in the background; for expired
   *   tokens the call waits for new ones
   */
  readonly current: (id: string) => Promise<Current>;
  /**
   * Finds another token for one that Slack calls expired before its time. Never rejects.
   * @returns the current token, refreshed first if it is the refused one
   */
  readonly renew: (id: string, refusedToken: string) => Promise<Renewed>;
  /** Waits for running refreshes, so that no new token is lost. */
  readonly drain: () => Promise<void>;
};

const dueBeforeMs = 2 * 60 * 60_000;
/** A call that starts with the token must reach Slack before the token expires. */
const endedBeforeMs = 30_000;
/** Longer than a refresh takes, including all attempts to store its result. */
const leaseMs = 60_000;
const leaseName = 'refresh token';
/** Attempts to find the token that another process refreshes, about two seconds in total. */
const othersTries = 10;
const othersWaitMs = 200;
/** Milliseconds between attempts to store a token that Slack returns only once. */
const storeAgainMs = [500, 2_000, 8_000] as const;

export function createTokenRefresh(deps: TokenRefreshDeps): TokenRefresh {
  const { installations, clock } = deps;
  const inFlight = new Map<string, Promise<Failure | undefined>>();
  const refresh = (id: string, isWanted = (tokens: Tokens) => isDue(tokens, clock())): Promise<Failure | undefined> => {
    const begun = inFlight.get(id) ?? refreshOnce(deps, id, isWanted).finally(() => inFlight.delete(id));
    inFlight.set(id, begun);
    return begun;
  };
  const endsWithin = ({ tokenExpiresAt }: Tokens, ms: number) =>
    tokenExpiresAt !== null && tokenExpiresAt <= clock() + ms;
  return {
    current: async (id) => {
      const tokens = await installations.openTokens(id);
      if (!tokens) return { kind: 'none' };
      if (!endsWithin(tokens, dueBeforeMs)) return { kind: 'current', tokens };
      const refreshing = refresh(id);
      if (!endsWithin(tokens, endedBeforeMs)) return { kind: 'current', tokens };
      const failure = await refreshing;
      const fresh = await installations.openTokens(id);
      if (!fresh) return { kind: 'none' };
      if (endsWithin(fresh, endedBeforeMs)) return { kind: 'ended', error: failure?.error ?? 'token_expired' };
      return { kind: 'current', tokens: fresh };
    },
    renew: async (id, refusedToken) => {
      try {
        return await renewOnce(deps, refresh, id, refusedToken);
      } catch (thrown) {
        deps.log.error(
          { teamId: id, error: classifyThrown(thrown).error },
          'slack token that slack refused could not be refreshed',
        );
        return { kind: 'later' };
      }
    },
    drain: async () => {
      await Promise.allSettled(inFlight.values());
    },
  };
}

type Refresh = (id: string, isWanted: (tokens: Tokens) => boolean) => Promise<Failure | undefined>;

async function renewOnce(
  { installations, wait = (ms) => timer(ms) }: TokenRefreshDeps,
  refresh: Refresh,
  id: string,
  refusedToken: string,
): Promise<Renewed> {
  for (let tries = 1; tries <= othersTries; tries += 1) {
    const tokens = await installations.openTokens(id);
    if (!tokens) return { kind: 'ended' };
    if (tokens.botToken !== refusedToken) return { kind: 'token', botToken: tokens.botToken };
    if (tokens.refreshToken === null) return { kind: 'ended' };
    // The second try usually finds the fresh token; later ones wait for another process that refreshes it.
    if (tries > 1) await wait(othersWaitMs);
    const failure = await refresh(id, ({ botToken }) => botToken === refusedToken);
    if (failure) return { kind: failure.kind === 'permanent' ? 'ended' : 'later' };
  }
  return { kind: 'later' };
}

/**
 * Never rejects.
 * @returns the reason if there is no new token; undefined if there is one, or if another process refreshes it
 */
async function refreshOnce(
  deps: TokenRefreshDeps,
  id: string,
  isWanted: (tokens: Tokens) => boolean,
): Promise<Failure | undefined> {
  const { installations, leases, log } = deps;
  try {
    const lease = await leases.take(id, leaseName, leaseMs);
    if (!lease) return undefined;
    try {
      const tokens = await installations.openTokens(id);
      if (!tokens || tokens.refreshToken === null || !isWanted(tokens)) return undefined;
      const fresh = await deps.oauth.refresh(tokens.refreshToken);
      await storeSurely(deps, id, tokens.version, fresh);
      deps.onReplaced(id);
      log.info({ teamId: id }, 'slack token refreshed');
      return undefined;
    } finally {
      await lease.release();
    }
  } catch (thrown) {
    const failure = classifyThrown(thrown);
    const { error } = failure;
    log.error({ teamId: id, error }, 'slack token could not be refreshed, the current one is used until it expires');
    return failure;
  }
}

function isDue({ tokenExpiresAt }: Tokens, now: number): boolean {
  return tokenExpiresAt !== null && tokenExpiresAt <= now + dueBeforeMs;
}

/** Does not overwrite the tokens of a newer installation. */
async function storeSurely(deps: TokenRefreshDeps, id: string, version: string, fresh: Tokens): Promise<void> {
  const { installations, wait = (ms) => timer(ms) } = deps;
  for (const pauseMs of [...storeAgainMs, undefined]) {
    try {
      await installations.replaceTokens(id, version, fresh);
      return;
    } catch (error) {
      if (pauseMs === undefined) throw error;
      await wait(pauseMs);
    }
  }
}
