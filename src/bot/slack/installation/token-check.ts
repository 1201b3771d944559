/** Checks with Slack whether it still accepts the token of an installation. A refusal alone deletes nothing. */
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { errorMeans } from '../../domain/slack-errors.ts';
import type { Installation, Installations } from '../../store/repositories/installations.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { classifyThrown, describe } from '../outbound/web-api/errors.ts';
import type { WorkspaceCache } from './installed-workspaces.ts';
import type { MissingScopes } from './missing-scopes.ts';
import type { TokenRefresh } from './token-refresh.ts';
import type { Uninstall } from './uninstall.ts';
import type { Workspaces } from './workspaces.ts';

export type TokenCheckDeps = {
  readonly installations: Pick<Installations, 'markRefused' | 'markAccepted'>;
  readonly tokens: Pick<TokenRefresh, 'current'>;
  readonly workspaces: Workspaces;
  readonly cache: Pick<WorkspaceCache, 'forget' | 'installationsUsing'>;
  readonly clients: SlackClients;
  readonly uninstall: Uninstall;
  readonly scopes: Pick<MissingScopes, 'review'>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Slack returns the other errors of a refused token also to an address that the workspace does not allow, or for a token that was replaced. */
const removedError = 'account_inactive';
/** Without an event, a workspace counts as uninstalled only after this time of nothing but `account_inactive`. */
const removedAfterMs = 3 * 86_400_000;

const firstPauseMs = 60_000;
const pauseMsMax = 3_600_000;

type Refusal = { readonly attempts: number; readonly timer: NodeJS.Timeout };

export class TokenCheck {
  readonly #deps: TokenCheckDeps;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #refusals = new Map<string, Refusal>();
  #isStopped = false;

  constructor(deps: TokenCheckDeps) {
    this.#deps = deps;
  }

  /** Simultaneous checks of an installation are one. Never rejects. */
  check(id: string): Promise<void> {
    return this.#once(id, () => this.#judge(id, false));
  }

  /** As `check`, after Slack reported that tokens were revoked: a refusal then means that the bot was removed. */
  checkReported(id: string): Promise<void> {
    return this.#once(id, () => this.#judge(id, true));
  }

  /** Checks whether a workspace may still use the bot of its enterprise. Never rejects. */
  checkGrant({ teamId }: Installation): Promise<void> {
    const { workspaces, uninstall, clock } = this.#deps;
    return this.#once(teamId, async () => {
      const requestedAt = clock();
      if (!(await workspaces.find(teamId))) await uninstall(teamId, requestedAt, 'its organization took it away');
    });
  }

  /** Handles Slack's refusal of a call with this token. @param error as Slack names it */
  refused(botToken: string, error: string): void {
    if (!errorMeans(error, 'token_refused')) return;
    for (const id of this.#deps.cache.installationsUsing(botToken)) {
      // The error may be about an older token than the current one.
      this.#deps.cache.forget(id);
      if (!this.#refusals.has(id)) void this.check(id);
    }
  }

  /** @returns lines for the person who runs the bot; none names a workspace */
  notes(): readonly string[] {
    const count = this.#refusals.size;
    return count === 0
      ? []
      : [`slack: refuses the token of ${count} installations; digests wait until it accepts it again`];
  }

  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#refusals.values()) clearTimeout(timer);
  }

  #once(id: string, work: () => Promise<void>): Promise<void> {
    const begun =
      this.#inFlight.get(id) ??
      work()
        .catch((error: unknown) =>
          this.#deps.log.error({ teamId: id, error: describe(error) }, 'slack token could not be checked'),
        )
        .finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, begun);
    return begun;
  }

  async #judge(id: string, isReported: boolean): Promise<void> {
    const { installations, cache, clock, log } = this.#deps;
    const requestedAt = clock();
    const error = await this.#errorOf(id);
    if (error === undefined) return this.#accept(id);
    if (!errorMeans(error, 'token_refused') && error !== 'invalid_refresh_token') return;
    if (isReported && errorMeans(error, 'token_removed')) return this.#uninstall(id, requestedAt, error);
    const refusedForMs = await installations.markRefused(id, error);
    cache.forget(id);
    if (error === removedError && refusedForMs >= removedAfterMs) return this.#uninstall(id, requestedAt, error);
    const { attempts = 0, timer } = this.#refusals.get(id) ?? {};
    clearTimeout(timer);
    if (attempts === 0) log.error({ teamId: id, error }, 'slack refuses a token: nothing is deleted, digests wait');
    if (!this.#isStopped) this.#refusals.set(id, { attempts: attempts + 1, timer: this.#checkAgain(id, attempts) });
  }

  #checkAgain(id: string, attempts: number): NodeJS.Timeout {
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(attempts, 10), pauseMsMax);
    return setTimeout(() => void this.check(id), pauseMs * (0.8 + 0.4 * Math.random())).unref();
  }

  async #accept(id: string): Promise<void> {
    const { installations, cache, log } = this.#deps;
    clearTimeout(this.#refusals.get(id)?.timer);
    this.#refusals.delete(id);
    if (!(await installations.markAccepted(id))) return;
    cache.forget(id);
    log.info({ teamId: id }, 'slack accepts a token again');
  }

  async #uninstall(id: string, requestedAt: number, why: string): Promise<void> {
    clearTimeout(this.#refusals.get(id)?.timer);
    this.#refusals.delete(id);
    await this.#deps.uninstall(id, requestedAt, why);
  }

  /** @returns Slack's error for the current token; undefined if Slack accepts it or there is none */
  async #errorOf(id: string): Promise<string | undefined> {
    const { tokens, clients, scopes } = this.#deps;
    const current = await tokens.current(id);
    if (current.kind === 'none') return undefined;
    if (current.kind === 'ended') return current.error;
    try {
      const { botToken } = current.tokens;
      const { response_metadata: about } = await clients.of(botToken).auth.test();
      await scopes.review(id, botToken, about?.scopes);
      return undefined;
    } catch (thrown) {
      return classifyThrown(thrown).error;
    }
  }
}
