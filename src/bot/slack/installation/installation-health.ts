/** Health of installations: refused tokens, missing permissions, and workspaces that are gone. A refusal alone deletes nothing. */
import type { Logger } from '../../../shared/log/logger.ts';
import { backoffMs } from '../../../shared/retry.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { errorMeans } from '../../domain/slack-errors.ts';
import type { AuditedChange } from '../../store/audit-recorder.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import type { Store } from '../../store/store.ts';
import { missingScopesMessage } from '../../views/notices/workspace-notices.ts';
import type { NotifyUser } from '../outbound/delivery/notify-user.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { classifyThrown, describe } from '../outbound/web-api/errors.ts';
import type { InstallationRegistry } from './registry.ts';
import { missingScopes, scopeWords } from './scopes.ts';
import type { TokenRefresh } from './token-refresh.ts';

export type InstallationHealthDeps = {
  readonly store: Pick<Store, 'installations' | 'idempotencyKeys'>;
  readonly audited: AuditedChange;
  readonly tokens: TokenRefresh;
  readonly registry: InstallationRegistry;
  readonly clients: SlackClients;
  readonly notifyUser: NotifyUser;
  readonly installUrl: string;
  /** Called for a workspace that is gone, so that caches can drop what they know of it. */
  readonly onGone: (teamId: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Slack refuses a token with other errors also for an address that the workspace does not allow, or if it was replaced.
 * https://docs.slack.dev/reference/methods/auth.test
 */
const removedError = 'account_inactive';
/** Without an event, a workspace counts as uninstalled only after this time of nothing but `account_inactive`. */
const removedAfterMs = 3 * 86_400_000;
const backoff = { firstMs: 60_000, maxMs: 3_600_000, jitter: 0.2 };
/** A little less than a day, so that the reports keep their time of day. */
const reportEveryMs = 23.5 * 60 * 60_000;

type Refusal = { readonly attempts: number; readonly timer: NodeJS.Timeout };

export class InstallationHealth {
  readonly #deps: InstallationHealthDeps;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #missingScopes = new Map<string, readonly string[]>();
  #isStopped = false;

  constructor(deps: InstallationHealthDeps) {
    this.#deps = deps;
  }

  /** Checks with Slack whether it accepts the token. Simultaneous checks of an installation are one. Never rejects. */
  check(id: string): Promise<void> {
    return this.#once(id, () => this.#judge(id, false));
  }

  /** As `check`, after Slack reported that tokens were revoked: a refusal then means that the bot was removed. */
  checkReported(id: string): Promise<void> {
    return this.#once(id, () => this.#judge(id, true));
  }

  /** Checks whether a workspace may still use the bot of its enterprise. Never rejects. */
  checkGrant({ teamId }: Installation): Promise<void> {
    const { registry, clock } = this.#deps;
    return this.#once(teamId, async () => {
      const requestedAt = clock();
      if (!(await registry.find(teamId))) await this.uninstall(teamId, requestedAt, 'its organization took it away');
    });
  }

  /** Handles Slack's refusal of a call with this token. @param error as Slack names it */
  refused(botToken: string, error: string): void {
    const id = this.#deps.registry.idOf(botToken);
    if (id === undefined || !errorMeans(error, 'token_refused')) return;
    // The error may be about an older token than the current one.
    this.#deps.registry.invalidate(id);
    if (!this.#refusals.has(id)) void this.check(id);
  }

  /**
   * Deletes tokens and keys at once.
   * @param id of the installation: a workspace's or an enterprise's
   * @param at epoch milliseconds; a newer installation stays
   * @param why the reason in the audit
   */
  async uninstall(id: string, at: number, why: string): Promise<void> {
    const { audited, onGone, log } = this.#deps;
    const teamIds = await audited(async ({ installations }, record) => {
      const left = await installations.markUninstalled(id, at);
      for (const teamId of left) await record({ teamId, userId: null }, 'uninstalled', { why });
      return left;
    });
    for (const teamId of teamIds) {
      this.forget(teamId);
      onGone(teamId);
      log.info({ teamId, why }, 'workspace uninstalled the bot');
    }
  }

  /** Drops what is known of an installation that is gone or new. */
  forget(id: string): void {
    this.#deps.registry.invalidate(id);
    this.#missingScopes.delete(id);
    clearTimeout(this.#refusals.get(id)?.timer);
    this.#refusals.delete(id);
  }

  /** @returns lines for the person who runs the bot; none names a workspace */
  notes(): readonly string[] {
    const lines: string[] = [];
    const [lacking, refused] = [this.#missingScopes.size, this.#refusals.size];
    const scopes = scopeWords([...new Set([...this.#missingScopes.values()].flat())]);
    if (lacking > 0)
      lines.push(`slack: required permissions are missing in ${lacking} of the installations: ${scopes}`);
    if (refused > 0)
      lines.push(`slack: refuses the token of ${refused} installations; digests wait until it accepts it again`);
    return lines;
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
    const { store, registry, clock, log } = this.#deps;
    const requestedAt = clock();
    const error = await this.#errorOf(id);
    if (error === undefined) return this.#accept(id);
    if (!errorMeans(error, 'token_refused') && error !== 'invalid_refresh_token') return;
    if (isReported && errorMeans(error, 'token_removed')) return this.uninstall(id, requestedAt, error);
    const refusedForMs = await store.installations.markRefused(id, error);
    registry.invalidate(id);
    if (error === removedError && refusedForMs >= removedAfterMs) return this.uninstall(id, requestedAt, error);
    const { attempts = 0, timer } = this.#refusals.get(id) ?? {};
    clearTimeout(timer);
    if (attempts === 0) log.error({ teamId: id, error }, 'slack refuses a token: nothing is deleted, digests wait');
    if (this.#isStopped) return;
    const again = setTimeout(() => void this.check(id), backoffMs(backoff, attempts + 1)).unref();
    this.#refusals.set(id, { attempts: attempts + 1, timer: again });
  }

  async #accept(id: string): Promise<void> {
    const { store, registry, log } = this.#deps;
    clearTimeout(this.#refusals.get(id)?.timer);
    this.#refusals.delete(id);
    if (!(await store.installations.markAccepted(id))) return;
    registry.invalidate(id);
    log.info({ teamId: id }, 'slack accepts a token again');
  }

  /** @returns Slack's error for the current token; undefined if Slack accepts it or there is none */
  async #errorOf(id: string): Promise<string | undefined> {
    const { tokens, clients } = this.#deps;
    const current = await tokens.current(id);
    if (current.kind === 'none') return undefined;
    if (current.kind !== 'token') return current.error;
    try {
      const { botToken } = current;
      const { response_metadata: about } = await clients.of(botToken).auth.test();
      await this.#reviewScopes(id, botToken, missingScopes(about?.scopes));
      return undefined;
    } catch (thrown) {
      return classifyThrown(thrown).error;
    }
  }

  /** Reports missing scopes to the person who installed the bot, once a day. Never rejects. */
  async #reviewScopes(id: string, botToken: string, missing: readonly string[]): Promise<void> {
    if (missing.length === 0) return void this.#missingScopes.delete(id);
    this.#missingScopes.set(id, missing);
    await this.#reportScopes(id, botToken, missing).catch((error: unknown) =>
      this.#deps.log.error(
        { teamId: id, error: describe(error) },
        'installer could not be notified of missing permissions',
      ),
    );
  }

  async #reportScopes(id: string, botToken: string, missing: readonly string[]): Promise<void> {
    const { store, notifyUser, installUrl, log } = this.#deps;
    if (!(await store.idempotencyKeys.claim(id, 'missing scopes', reportEveryMs))) return;
    log.error({ teamId: id, missing }, 'an installation lacks permissions that the bot needs');
    const installation = await store.installations.find(id);
    const message = missingScopesMessage({ scopes: scopeWords(missing), installUrl });
    if (installation) await notifyUser({ botToken }, installation.installedBy, message);
  }
}
