/** Installation by people themselves: OAuth, tokens, uninstallation and hourly upkeep. */
import { AppError } from '../../../shared/errors.ts';
import { hourMs, type Repetition, repeat } from '../../../shared/time/repeat.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Runtime } from '../../domain/runtime.ts';
import { MessagePoster, posterServices } from '../../outbox/message-poster.ts';
import { type DeliveryServices, withLease } from '../../outbox/results.ts';
import { type OpenDelivery, rootName } from '../../store/outbox/delivery.ts';
import type { PendingDelivery } from '../../store/outbox/open-delivery.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import { reportUnreadable } from '../../store/secrets/secrets.ts';
import type { Store, StoreStep } from '../../store/store.ts';
import { installedMessage } from '../../views/notices/workspace-notices.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { Access } from './access.ts';
import { InstallationHealth } from './installation-health.ts';
import { type Grant, Oauth } from './oauth.ts';
import { installPath } from './pages.ts';
import { InstallationRegistry, type InstallationSource } from './registry.ts';
import { installRoutes } from './routes.ts';
import { missingScopes, scopeWords } from './scopes.ts';
import type { InstallSettings, SlackCalls } from './services.ts';
import { TokenRefresh } from './token-refresh.ts';
import { appOfToken, readAppId } from './workspaces.ts';

export function createInstallation(calls: SlackCalls, settings: InstallSettings): Access {
  const { clients, runtime } = calls;
  const { clock, log } = runtime;
  const { store, audit, publicUrl } = settings;
  const openTokens = reportUnreadable(audit.record, log, store.installations.openTokens);
  const installations = { ...store.installations, openTokens };
  const oauth = new Oauth(calls, settings);
  const source: InstallationSource = {
    find: (id) => installations.find(id),
    current: (id) => tokens.current(id),
    renew: (id, botToken) => tokens.renew(id, botToken),
    saveGrant: (teamId, enterpriseId) => saveGrant(runtime, settings, teamId, enterpriseId),
  };
  const registry = new InstallationRegistry({ source, clients, clock });
  const tokens = new TokenRefresh({ installations, leases: store.leases, oauth, clock, log, registry });
  const health = new InstallationHealth({ calls, settings, tokens, registry });
  const welcome = new Welcome(calls, store, tokens);
  const upkeep = createUpkeep(store, runtime, health, welcome);
  const welcomes = new Set<Promise<unknown>>();
  const install = async (grant: Grant) => {
    refuseIncomplete(grant, await installations.find(grant.teamId));
    await refuseOtherApp(calls, grant);
    const { teamId } = grant;
    await audit.audited((step, record) => saveInstallation(step, record, grant));
    health.forget(teamId);
    log.info({ teamId, scopes: grant.installation.scopes }, 'bot was installed');
    const isConnected = (await store.credentials.find(teamId)) !== undefined;
    const welcoming = welcome.send(teamId).finally(() => welcomes.delete(welcoming));
    welcomes.add(welcoming);
    return isConnected;
  };
  return {
    workspaces: registry,
    installUrl: publicUrl + installPath,
    routes: installRoutes({ calls, settings, oauth, install }),
    listen: (app) => health.listen(app),
    renew: (botToken) => registry.renew(botToken),
    onRefusal: (botToken, error) => health.refused(botToken, error),
    notes: () => health.notes(),
    start: async () => upkeep.start(),
    stop: async () => {
      health.stop();
      await Promise.all([upkeep.stop(), tokens.drain(), ...welcomes]);
    },
  };
}

/** Leaves an existing installation as it is. @throws AppError `forbidden` if a required scope was not granted */
function refuseIncomplete({ installation }: Grant, before: Installation | undefined): void {
  const missing = missingScopes(installation.scopes);
  if (missing.length === 0) return;
  const isThere = before !== undefined && before.uninstalledAt === null;
  const consequence = isThere ? 'The existing installation is unchanged.' : 'Nothing was installed or stored.';
  throw new AppError(
    'forbidden',
    `Slack granted the bot fewer permissions than it needs: ${scopeWords(missing)} ${missing.length === 1 ? 'is' : 'are'} missing. ${consequence} Start again and allow all of them. If Slack does not offer them, ask the person who runs this bot to add them to the app first.`,
  );
}

/** @throws AppError `forbidden` if Slack says that the token belongs to another app than the installed one */
async function refuseOtherApp({ clients, runtime }: SlackCalls, { teamId, appId, installation }: Grant): Promise<void> {
  const { botToken } = installation;
  const facts = await clients
    .of(botToken)
    .auth.test()
    .catch(() => ({}));
  const [own, installed] = [await appOfToken(clients, botToken, facts), readAppId(appId)];
  if (own === undefined || installed === undefined) {
    runtime.log.warn(
      { teamId, botTokenApp: own, installedApp: installed },
      'slack did not return the app of the token, so it is not known if the token belongs to the installed app',
    );
  } else if (own !== installed) {
    const sentence = `Slack granted a token of the app ${own} while the app ${installed} was installed, so nothing was stored. `;
    throw new AppError(
      'forbidden',
      `${sentence}Check that SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong to the same app, then install again.`,
    );
  }
}

async function saveInstallation(
  step: StoreStep,
  record: AuditRecorder,
  { teamId, installation }: Pick<Grant, 'installation' | 'teamId'>,
): Promise<void> {
  const { installedBy: userId, scopes, isEnterpriseInstall } = installation;
  const isFirst = await step.installations.save(teamId, installation);
  const { installedAt } = installation;
  const welcome = { teamId, kind: 'welcome', subject: userId, occurrenceId: String(installedAt) };
  await step.outbox.schedule(welcome, installedAt);
  // Any person may install the bot again; roles from the earlier installation stay. Each workspace of an organization
  // gets its admin when it gets the bot.
  if (isFirst && !isEnterpriseInstall) await appoint(step, record, teamId, installation);
  await record({ teamId, userId }, 'installed', { scopes: scopes.join(', ') });
}

/** The first person who installs the bot becomes its admin. */
async function appoint(
  { roles }: StoreStep,
  record: AuditRecorder,
  teamId: string,
  { installedBy: userId, installedAt: at }: Pick<Installation, 'installedAt' | 'installedBy'>,
): Promise<void> {
  await roles.grant(teamId, { userId, role: 'admin', grantedBy: userId, grantedAt: at });
  await record({ teamId, userId }, 'role granted', { to: userId, role: 'admin', before: 'reader' });
}

/**
 * A workspace that gets the bot from its organization has the installer as its first admin, and an audit of its own.
 * Several processes may notice it at once; one stores it.
 */
async function saveGrant(
  { log, clock }: Runtime,
  { audit }: InstallSettings,
  teamId: string,
  enterpriseId: string,
): Promise<void> {
  const isNew = await audit.audited(async (step, record) => {
    if (!(await step.installations.saveGrant(enterpriseId, teamId, clock()))) return false;
    const organization = await step.installations.find(enterpriseId);
    if (!organization) return false;
    const { installedBy: userId, scopes } = organization;
    await record({ teamId, userId }, 'installed', { through: enterpriseId, scopes: scopes.join(', ') });
    if ((await step.roles.list(teamId)).length === 0) await appoint(step, record, teamId, organization);
    return true;
  });
  if (isNew) log.info({ teamId, enterpriseId }, 'an organization added the bot to a workspace');
}

/** No data stays longer than a day, including the hour until the next round. */
const retentionMs = 23 * hourMs;
/** A little less than a day, so that the checks keep their time of day. */
const checkEveryMs = 23.5 * hourMs;
const pageSize = 100;

function createUpkeep(store: Store, runtime: Runtime, health: InstallationHealth, welcome: Welcome): Repetition {
  const onError = (error: unknown) =>
    runtime.log.error({ error: describe(error) }, 'maintenance failed, retrying in an hour');
  return repeat((stopping) => maintain(store, runtime, health, welcome, stopping).catch(onError), hourMs);
}

/** Sends owed welcomes, deletes uninstalled workspaces and detects workspaces that removed the bot. */
async function maintain(
  store: Store,
  { clock, log }: Runtime,
  health: InstallationHealth,
  welcome: Welcome,
  signal: AbortSignal,
): Promise<void> {
  await welcome.send();
  const before = clock() - retentionMs;
  for (const teamId of await store.installations.uninstalledBefore(before)) {
    // A workspace that cannot be deleted now does not block the others or the rest of the upkeep.
    const isDeleted = await store.deleteUninstalled(teamId, before).catch((error: unknown) => {
      log.error({ teamId, error: describe(error) }, 'workspace could not be deleted, retrying in an hour');
    });
    if (isDeleted) log.info({ teamId }, 'data of a workspace was deleted');
  }
  for await (const installation of installed(store)) {
    if (signal.aborted) return;
    const { teamId, enterpriseId, isEnterpriseInstall } = installation;
    // One of all processes asks, once a day.
    const isDue = await store.idempotencyKeys.claim(teamId, 'token check', checkEveryMs);
    if (isEnterpriseInstall && enterpriseId !== teamId) await (isDue && health.checkGrant(installation));
    // A new version of the bot may need further scopes. It reports at the start which installations lack them.
    else if (isDue || installation.refusedSince !== null || missingScopes(installation.scopes).length > 0)
      await health.check(teamId);
  }
}

async function* installed({ installations }: Store): AsyncGenerator<Installation> {
  let after = '';
  for (;;) {
    const page = await installations.page(after, pageSize);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.teamId;
  }
}

/** A later welcome would surprise. */
const owedMsMax = 24 * 60 * 60_000;

/** The next step for the person who installed the bot: owed since the installation, sent once, also after a crash. No method rejects. */
class Welcome {
  readonly #calls: SlackCalls;
  readonly #store: Store;
  readonly #tokens: TokenRefresh;
  readonly #poster: DeliveryServices;

  constructor(calls: SlackCalls, store: Store, tokens: TokenRefresh) {
    this.#calls = calls;
    this.#store = store;
    this.#tokens = tokens;
    this.#poster = posterServices(calls, store);
  }

  /** Sends what is owed in one installation; without an id, what earlier processes left and what Slack did not take. */
  async send(id?: string): Promise<void> {
    const logged = (error: unknown) =>
      this.#calls.runtime.log.warn({ error: describe(error) }, 'welcome was not sent yet');
    try {
      for (const owed of await this.#store.outbox.pending('welcome', id)) await this.#sendOne(owed).catch(logged);
    } catch (error) {
      logged(error);
    }
  }

  async #sendOne({ key, dueAt }: PendingDelivery): Promise<void> {
    const { posting, runtime } = this.#calls;
    const { teamId, subject: userId } = key;
    const installation = await this.#store.installations.find(teamId);
    const current = await this.#tokens.current(teamId);
    const isWanted = installation && current.kind === 'token' && runtime.clock() - dueAt <= owedMsMax;
    const channelId = isWanted ? await posting.directChannel(current.botToken, userId) : '';
    if (channelId === undefined) return;
    const claim = await this.#store.outbox.open(key, { channelId, leaseMs: this.#poster.timing.leaseMs });
    if (claim.kind !== 'mine') return;
    const work = isWanted ? () => this.#post(claim.delivery, installation) : async () => true;
    await withLease(this.#poster, claim.delivery, work, (isDone) => isDone);
  }

  /** @returns true if it was sent, or never will be */
  async #post(delivery: OpenDelivery, installation: Installation): Promise<boolean> {
    const { runtime, slashCommand } = this.#calls;
    const { teamId } = delivery.key;
    const isConnected = (await this.#store.credentials.find(teamId)) !== undefined;
    const isOrganization = installation.isEnterpriseInstall && installation.enterpriseId === teamId;
    const message = installedMessage({ slashCommand, isConnected, isOrganization });
    const poster = new MessagePoster(this.#poster, delivery);
    if (!(await poster.add([rootName]))) return false;
    const sent = await poster.post(rootName, message, null);
    if (sent.kind === 'sent' || sent.kind === 'passed') return sent.kind === 'sent';
    runtime.log.warn({ teamId, error: sent.error, class: sent.kind }, 'welcome was not sent');
    return sent.kind === 'refused' || sent.kind === 'uncertain';
  }
}
