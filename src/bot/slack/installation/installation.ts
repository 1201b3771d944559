/** Installation by people themselves: OAuth, tokens, uninstallation and hourly upkeep. */
import { AppError } from '../../../shared/errors.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Runtime } from '../../domain/runtime.ts';
import type { Installation, Installations } from '../../store/repositories/installations.ts';
import { createOpenReported, type UnreadableDeps } from '../../store/secrets/unreadable.ts';
import type { StoreStep } from '../../store/store.ts';
import type { Access } from './access.ts';
import { InstallationHealth } from './installation-health.ts';
import { type Grant, Oauth } from './oauth.ts';
import { installPath } from './pages.ts';
import { InstallationRegistry, type InstallationSource } from './registry.ts';
import { installRoutes } from './routes.ts';
import { missingScopes, scopeWords } from './scopes.ts';
import type { InstallSettings, SlackCalls } from './services.ts';
import { TokenRefresh } from './token-refresh.ts';
import { createUpkeep } from './upkeep.ts';
import { Welcome } from './welcome.ts';
import { appOfToken, readAppId } from './workspaces.ts';

export function createInstallation(calls: SlackCalls, settings: InstallSettings): Access {
  const { clients, runtime } = calls;
  const { clock, log } = runtime;
  const { store, audit, publicUrl } = settings;
  const installations = reporting(store.installations, { record: audit.record, log });
  const oauth = new Oauth(calls, settings);
  const onReplaced = (id: string) => registry.invalidate(id);
  const tokens = new TokenRefresh({ installations, leases: store.leases, oauth, clock, log, onReplaced });
  const source: InstallationSource = {
    find: (id) => installations.find(id),
    current: (id) => tokens.current(id),
    renew: (id, botToken) => tokens.renew(id, botToken),
    saveGrant: (teamId, enterpriseId) => saveGrant(runtime, settings, teamId, enterpriseId),
  };
  const registry = new InstallationRegistry({ source, clients, clock });
  const health = new InstallationHealth({ calls, settings, tokens, registry });
  const welcome = new Welcome(calls, store, tokens);
  const upkeep = createUpkeep({ runtime, store, health, welcome });
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

/** Reports tokens that cannot be decrypted. */
function reporting(installations: Installations, deps: UnreadableDeps): Installations {
  const openReported = createOpenReported(deps);
  return { ...installations, openTokens: (id) => openReported(id, () => installations.openTokens(id)) };
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
