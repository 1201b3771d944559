/** Refreshes expiring tokens in time, in one process at a time. */

import { setTimeout as timer } from 'node:timers/promises';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Failure } from '../../domain/slack-errors.ts';
import type { Leases } from '../../store/repositories/coordination.ts';
import type { Installations, Tokens } from '../../store/repositories/installations.ts';
import { classifyThrown } from '../outbound/web-api/errors.ts';
import type { Renewed } from '../outbound/web-api/slack-fetch.ts';
import type { Oauth } from './oauth.ts';
import type { InstallationRegistry } from './registry.ts';

export type TokenRefreshDeps = {
  readonly installations: Pick<Installations, 'openTokens' | 'replaceTokens'>;
  readonly leases: Leases;
  readonly oauth: Pick<Oauth, 'refresh'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Pick<InstallationRegistry, 'invalidate'>;
  readonly wait?: (ms: number) => Promise<unknown>;
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

export class TokenRefresh {
  readonly #deps: TokenRefreshDeps;
  readonly #wait: (ms: number) => Promise<unknown>;
  readonly #inFlight = new Map<string, Promise<Failure | undefined>>();

  constructor(deps: TokenRefreshDeps) {
    this.#deps = deps;
    this.#wait = deps.wait ?? ((ms) => timer(ms));
  }

  /**
   * @param id of the installation
   * @returns the token to use now. A token that expires within two hours is replaced in the background; for an expired
   *   one the call waits for another
   */
  async current(id: string): Promise<Renewed> {
    const { installations, clock } = this.#deps;
    const tokens = await installations.openTokens(id);
    if (!tokens) return { kind: 'none' };
    const { botToken, tokenExpiresAt } = tokens;
    const leftMs = (tokenExpiresAt ?? Number.POSITIVE_INFINITY) - clock();
    if (leftMs <= endedBeforeMs) return this.renew(id, botToken);
    if (leftMs <= dueBeforeMs) void this.#refresh(id, botToken);
    return { kind: 'token', botToken };
  }

  /** Finds another token for an expired one: the current token, refreshed first if it is that one. Never rejects. */
  async renew(id: string, expired: string): Promise<Renewed> {
    try {
      return await this.#renew(id, expired);
    } catch (thrown) {
      const { error } = classifyThrown(thrown);
      this.#deps.log.error({ teamId: id, error }, 'slack token that slack refused could not be refreshed');
      return { kind: 'later', error };
    }
  }

  /** Waits for running refreshes, so that no new token is lost. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#inFlight.values());
  }

  async #renew(id: string, expired: string): Promise<Renewed> {
    for (let tries = 1; tries <= othersTries; tries += 1) {
      const tokens = await this.#deps.installations.openTokens(id);
      if (!tokens) return { kind: 'none' };
      const { botToken, refreshToken } = tokens;
      if (botToken !== expired) return { kind: 'token', botToken };
      if (refreshToken === null) return { kind: 'ended', error: 'token_expired' };
      // The second try usually finds the fresh token; later ones wait for another process that refreshes it.
      if (tries > 1) await this.#wait(othersWaitMs);
      const failure = await this.#refresh(id, expired);
      if (failure) return { kind: failure.kind === 'permanent' ? 'ended' : 'later', error: failure.error };
    }
    return { kind: 'later', error: 'token_not_renewed' };
  }

  /** Simultaneous refreshes of an installation are one. */
  #refresh(id: string, botToken: string): Promise<Failure | undefined> {
    const begun = this.#inFlight.get(id) ?? this.#refreshOnce(id, botToken).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, begun);
    return begun;
  }

  /**
   * Never rejects.
   * @param botToken stays if it is not the current one any more
   * @returns the reason if there is no new token; undefined if there is one, or if another process refreshes it
   */
  async #refreshOnce(id: string, botToken: string): Promise<Failure | undefined> {
    const { installations, leases, oauth, registry, log } = this.#deps;
    try {
      const lease = await leases.take(id, leaseName, leaseMs);
      if (!lease) return undefined;
      try {
        const tokens = await installations.openTokens(id);
        if (!tokens || tokens.refreshToken === null || tokens.botToken !== botToken) return undefined;
        await this.#store(id, tokens.version, await oauth.refresh(tokens.refreshToken));
        registry.invalidate(id);
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

  /** Does not overwrite the tokens of a newer installation. */
  async #store(id: string, version: string, fresh: Tokens): Promise<void> {
    for (const pauseMs of [...storeAgainMs, undefined]) {
      try {
        await this.#deps.installations.replaceTokens(id, version, fresh);
        return;
      } catch (error) {
        if (pauseMs === undefined) throw error;
        await this.#wait(pauseMs);
      }
    }
  }
}
