/**
 * Health of installations: refused tokens, missing permissions, and workspaces that are gone. A refusal alone deletes
 * nothing. Slack's events about installations come in any order, late and more than once.
 */
import type { App } from '@slack/bolt';
import { type JsonRecord, readRecord } from '../../../shared/json.ts';
import { backoffMs } from '../../../shared/retry.ts';
import { errorMeans } from '../../domain/slack-errors.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import { missingScopesMessage } from '../../views/notices/workspace-notices.ts';
import { readInstallationId, readOrganizationId } from '../inbound/middleware/read-origin.ts';
import { isWorkspaceId } from '../inbound/middleware/read-payload.ts';
import { classifyThrown, describe } from '../outbound/web-api/errors.ts';
import { installPath } from './pages.ts';
import type { InstallationRegistry } from './registry.ts';
import { missingScopes, scopeWords } from './scopes.ts';
import type { InstallSettings, SlackCalls } from './services.ts';
import type { TokenRefresh } from './token-refresh.ts';

type HealthServices = {
  readonly calls: SlackCalls;
  readonly settings: InstallSettings;
  readonly tokens: TokenRefresh;
  readonly registry: InstallationRegistry;
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

export class InstallationHealth {
  readonly #services: HealthServices;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #refusals = new Map<string, { readonly attempts: number; readonly timer: NodeJS.Timeout }>();
  readonly #missingScopes = new Map<string, readonly string[]>();
  #isStopped = false;

  constructor(services: HealthServices) {
    this.#services = services;
  }

  /** `tokens_revoked` names people, not tokens, so it may mean a token that was replaced long ago. */
  listen(app: App): void {
    const { log } = this.#services.calls.runtime;
    app.event('app_uninstalled', async ({ body }) => {
      const [id, at] = [readInstallationId(readRecord(body)), readTimeMs(readRecord(body))];
      if (id === undefined || at === undefined)
        log.warn({ teamId: id }, 'uninstallation event lacks a workspace or a time');
      else await this.uninstall(id, at, 'Slack says so');
    });
    app.event('tokens_revoked', async ({ event, body }) => {
      const id = readInstallationId(readRecord(body));
      const bots = readRecord(readRecord(event)['tokens'])['bot'];
      // A refusal then means that the bot was removed.
      if (id !== undefined && Array.isArray(bots) && bots.length > 0) await this.#once(id, () => this.#judge(id, true));
    });
    app.event('team_access_granted', async ({ event, body }) =>
      this.#welcomeTeams(readRecord(event), readRecord(body)),
    );
    app.event('team_access_revoked', async ({ event, body }) =>
      this.#dismissTeams(readRecord(event), readRecord(body)),
    );
  }

  /** Checks with Slack whether it accepts the token. Simultaneous checks of an installation are one. Never rejects. */
  check(id: string): Promise<void> {
    return this.#once(id, () => this.#judge(id, false));
  }

  /** Checks whether a workspace may still use the bot of its enterprise. Never rejects. */
  checkGrant({ teamId }: Installation): Promise<void> {
    const { registry, calls } = this.#services;
    return this.#once(teamId, async () => {
      const requestedAt = calls.runtime.clock();
      if (!(await registry.find(teamId))) await this.uninstall(teamId, requestedAt, 'its organization took it away');
    });
  }

  /** Handles Slack's refusal of a call with this token. @param error as Slack names it */
  refused(botToken: string, error: string): void {
    const { registry } = this.#services;
    const id = registry.idOf(botToken);
    if (id === undefined || !errorMeans(error, 'token_refused')) return;
    // The error may be about an older token than the current one.
    registry.invalidate(id);
    if (!this.#refusals.has(id)) void this.check(id);
  }

  /**
   * Deletes tokens and keys at once.
   * @param id of the installation: a workspace's or an enterprise's
   * @param at epoch milliseconds; a newer installation stays
   * @param why the reason in the audit
   */
  async uninstall(id: string, at: number, why: string): Promise<void> {
    const { calls, settings } = this.#services;
    const teamIds = await settings.audit.audited(async ({ installations }, record) => {
      const left = await installations.markUninstalled(id, at);
      for (const teamId of left) await record({ teamId, userId: null }, 'uninstalled', { why });
      return left;
    });
    for (const teamId of teamIds) {
      this.forget(teamId);
      settings.onGone(teamId);
      calls.runtime.log.info({ teamId, why }, 'workspace uninstalled the bot');
    }
  }

  /** Drops what is known of an installation that is gone or new. */
  forget(id: string): void {
    this.#services.registry.invalidate(id);
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
    if (refused > 0) lines.push(`slack: refuses the token of ${refused} of the installations, whose digests wait`);
    return lines;
  }

  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#refusals.values()) clearTimeout(timer);
  }

  /** Stores the workspaces to which an organization added the bot, as far as Slack's list confirms them. */
  async #welcomeTeams(event: JsonRecord, body: JsonRecord): Promise<void> {
    const { registry, calls } = this.#services;
    const enterpriseId = readOrganizationId(body);
    if (enterpriseId === undefined) return;
    registry.invalidate(enterpriseId);
    for (const teamId of readTeamIds(event)) {
      registry.invalidate(teamId);
      await registry.find(teamId, enterpriseId).catch((error: unknown) => {
        const fields = { teamId, error: describe(error) };
        calls.runtime.log.warn(fields, 'workspace of an organization could not be added yet');
      });
    }
  }

  /**
   * A workspace that installed the bot itself keeps it, and so does one that Slack lists again: the event is outdated. If
   * Slack does not list the workspaces, the event is believed.
   */
  async #dismissTeams(event: JsonRecord, body: JsonRecord): Promise<void> {
    const { registry, calls, settings } = this.#services;
    const [enterpriseId, eventAt] = [readOrganizationId(body), readTimeMs(body)];
    if (enterpriseId === undefined || eventAt === undefined) return;
    registry.invalidate(enterpriseId);
    for (const teamId of readTeamIds(event)) {
      const installation = await settings.store.installations.find(teamId);
      if (installation?.isEnterpriseInstall !== true || installation.enterpriseId !== enterpriseId) continue;
      const requestedAt = calls.runtime.clock();
      registry.invalidate(teamId);
      const at = await registry.find(teamId, enterpriseId).then(
        (listed) => (listed ? undefined : requestedAt),
        () => eventAt,
      );
      if (at !== undefined) await this.uninstall(teamId, at, 'its organization took it away');
    }
  }

  #once(id: string, work: () => Promise<void>): Promise<void> {
    const begun =
      this.#inFlight.get(id) ??
      work()
        .catch((error: unknown) =>
          this.#services.calls.runtime.log.error(
            { teamId: id, error: describe(error) },
            'slack token could not be checked',
          ),
        )
        .finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, begun);
    return begun;
  }

  async #judge(id: string, isReported: boolean): Promise<void> {
    const { calls, settings, registry } = this.#services;
    const { clock, log } = calls.runtime;
    const requestedAt = clock();
    const error = await this.#errorOf(id);
    if (error === undefined) return this.#accept(id);
    if (!errorMeans(error, 'token_refused') && error !== 'invalid_refresh_token') return;
    if (isReported && errorMeans(error, 'token_removed')) return this.uninstall(id, requestedAt, error);
    const refusedForMs = await settings.store.installations.markRefused(id, error);
    registry.invalidate(id);
    if (error === removedError && refusedForMs >= removedAfterMs) return this.uninstall(id, requestedAt, error);
    const { attempts = 0, timer } = this.#refusals.get(id) ?? {};
    clearTimeout(timer);
    if (attempts === 0) log.error({ teamId: id, error }, 'slack refuses a token: digests wait until it is accepted');
    if (this.#isStopped) return;
    const again = setTimeout(() => void this.check(id), backoffMs(backoff, attempts + 1)).unref();
    this.#refusals.set(id, { attempts: attempts + 1, timer: again });
  }

  async #accept(id: string): Promise<void> {
    const { calls, settings, registry } = this.#services;
    clearTimeout(this.#refusals.get(id)?.timer);
    this.#refusals.delete(id);
    if (!(await settings.store.installations.markAccepted(id))) return;
    registry.invalidate(id);
    calls.runtime.log.info({ teamId: id }, 'slack accepts a token again');
  }

  /** @returns Slack's error for the current token; undefined if Slack accepts it or there is none */
  async #errorOf(id: string): Promise<string | undefined> {
    const { tokens, calls } = this.#services;
    const current = await tokens.current(id);
    if (current.kind === 'none') return undefined;
    if (current.kind !== 'token') return current.error;
    try {
      const { botToken } = current;
      const { response_metadata: about } = await calls.clients.of(botToken).auth.test();
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
      this.#services.calls.runtime.log.error(
        { teamId: id, error: describe(error) },
        'installer could not be notified of missing permissions',
      ),
    );
  }

  async #reportScopes(id: string, botToken: string, missing: readonly string[]): Promise<void> {
    const { calls, settings } = this.#services;
    const { store, publicUrl } = settings;
    if (!(await store.idempotencyKeys.claim(id, 'missing scopes', reportEveryMs))) return;
    calls.runtime.log.error({ teamId: id, missing }, 'an installation lacks permissions that the bot needs');
    const installation = await store.installations.find(id);
    const message = missingScopesMessage({ scopes: scopeWords(missing), installUrl: publicUrl + installPath });
    if (installation) await calls.posting.notifyUser({ botToken }, installation.installedBy, message);
  }
}

const teamsMax = 1_000;

function readTeamIds({ team_ids: teamIds }: JsonRecord): readonly string[] {
  return Array.isArray(teamIds) ? teamIds.filter(isWorkspaceId).slice(0, teamsMax) : [];
}

function readTimeMs({ event_time: seconds }: JsonRecord): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
