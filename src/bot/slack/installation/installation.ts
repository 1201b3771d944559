/** Installation by people themselves: OAuth, tokens, uninstallation and hourly upkeep. */
import type { App } from '@slack/bolt';
import { AppError } from '../../../shared/errors.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Installation, Installations } from '../../store/repositories/installations.ts';
import { createOpenReported, type UnreadableDeps } from '../../store/secrets/unreadable.ts';
import type { Store } from '../../store/store.ts';
import { installedMessage } from '../../views/notices/workspace-notices.ts';
import type { Access, AccessDeps } from './access.ts';
import { createInstalledWorkspaces, type InstalledWorkspaces } from './installed-workspaces.ts';
import { createMissingScopes } from './missing-scopes.ts';
import { createOauth, type Grant } from './oauth.ts';
import { createStateSigner } from './oauth-state.ts';
import { installPath } from './pages.ts';
import { installRoutes, redirectPath } from './routes.ts';
import { missingScopes, scopeWords } from './scopes.ts';
import { createTokenCheck } from './token-check.ts';
import { createTokenRefresh, type TokenRefresh } from './token-refresh.ts';
import { createUninstall, listenToUninstalls } from './uninstall.ts';
import { createUpkeep } from './upkeep.ts';
import { appOfToken, readAppId } from './workspaces.ts';

/** The app as Slack knows it, where it is reached, and what is kept of those who install it. */
export type InstallSettings = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** An origin. */
  readonly publicUrl: string;
  readonly store: Store;
  readonly record: AuditRecorder;
  /** For whatever else remembers something of a workspace. */
  readonly onGone?: (teamId: string) => void;
};

export function createInstallation(deps: AccessDeps, settings: InstallSettings): Access {
  const { clients, clock, log } = deps;
  const { store, record, publicUrl, onGone = () => undefined } = settings;
  const installations = reporting(store.installations, { record, log });
  const stateSigner = createStateSigner({ secret: settings.clientSecret, clock });
  const oauth = createOauth({ ...deps, ...settings, redirectUrl: publicUrl + redirectPath });
  const onReplaced = (id: string) => workspaces.forget(id);
  const tokens = createTokenRefresh({ ...deps, ...store, installations, oauth, onReplaced });
  const workspaces = createInstalledWorkspaces({ installations, tokens, clients, clock });
  const leave = createUninstall({ installations, record, workspaces, log, onGone });
  const reportMissing = createMissingScopes({ ...deps, store, publicUrl });
  const check = createTokenCheck({ ...deps, tokens, workspaces, leave, onMissingScopes: reportMissing });
  const upkeep = createUpkeep({ store, check, clock, log });
  const welcomes = new Set<Promise<unknown>>();
  const welcome = createWelcome(deps, settings);
  const install = async (grant: Grant) => {
    refuseIncomplete(grant, await installations.find(grant.teamId));
    await refuseOtherApp(deps, grant);
    // Whoever installs it again may be anybody; what was laid down since the first time stands.
    if (!(await installations.find(grant.teamId))) await appoint(settings, grant);
    await installations.save(grant.teamId, grant.installation);
    workspaces.forget(grant.teamId);
    const isConnected = (await store.credentials.find(grant.teamId))?.hasKey ?? false;
    const welcoming = welcome(grant, isConnected).finally(() => welcomes.delete(welcoming));
    welcomes.add(welcoming);
    return isConnected;
  };
  return {
    workspaces,
    installUrl: publicUrl + installPath,
    routes: installRoutes({ ...deps, oauth, stateSigner, states: store.oauthStates, install, publicUrl }),
    listen: (app: App) => listenToUninstalls(app, { leave, check: check.check, log }),
    onRefusal: check.refused,
    renew: createRenew(workspaces, tokens),
    start: async () => upkeep.start(),
    stop: async () => {
      await Promise.all([upkeep.stop(), tokens.drain(), ...welcomes]);
    },
  };
}

function createRenew(workspaces: InstalledWorkspaces, tokens: TokenRefresh): NonNullable<Access['renew']> {
  return async (botToken) => {
    const id = workspaces.issuedTo(botToken);
    if (id === undefined) return { kind: 'ended' };
    const renewed = await tokens.renew(id, botToken);
    if (renewed.kind === 'token') workspaces.forget(id);
    return renewed;
  };
}

/** An installation that is there already stays as it is. @throws AppError `forbidden` where a required scope was not granted */
function refuseIncomplete({ installation }: Grant, before: Installation | undefined): void {
  const missing = missingScopes(installation.scopes);
  if (missing.length === 0) return;
  const isThere = before !== undefined && before.uninstalledAt === null;
  const consequence = isThere
    ? 'The installation from before stays as it was.'
    : 'Nothing was installed, and nothing is kept of it.';
  throw new AppError(
    'forbidden',
    `Slack granted the bot fewer permissions than it needs: ${scopeWords(missing)} ${missing.length === 1 ? 'is' : 'are'} missing. ${consequence} Start again and allow all of them. If Slack does not offer them, ask the person who runs this bot to add them to the app first.`,
  );
}

/** Writes down tokens that do not open. */
function reporting(installations: Installations, deps: UnreadableDeps): Installations {
  const openReported = createOpenReported(deps);
  return { ...installations, openTokens: (id) => openReported(id, () => installations.openTokens(id)) };
}

/** @throws AppError `forbidden` where Slack says that the token is not of the app that was installed */
async function refuseOtherApp({ clients, log }: AccessDeps, { teamId, appId, installation }: Grant): Promise<void> {
  const { botToken } = installation;
  const facts = await clients
    .of(botToken)
    .auth.test()
    .catch(() => ({}));
  const [own, installed] = [await appOfToken(clients, botToken, facts), readAppId(appId)];
  if (own === undefined || installed === undefined) {
    log.warn(
      { teamId, botTokenApp: own, installedApp: installed },
      'slack did not say whether the token is of the installed app',
    );
  } else if (own !== installed) {
    const sentence = `Slack granted a token of the app ${own} while the app ${installed} was installed, so nothing was stored. `;
    throw new AppError(
      'forbidden',
      `${sentence}Check that SLACK_CLIENT_ID and SLACK_CLIENT_SECRET are of one app, then install again.`,
    );
  }
}

/** Somebody has to be the first who may set it up, and whoever brought it here is. */
async function appoint({ store, record }: InstallSettings, { teamId, installation }: Grant): Promise<void> {
  const { installedBy: userId, installedAt: at } = installation;
  await store.roles.grant(teamId, { userId, role: 'admin', grantedBy: userId, grantedAt: at });
  await record({ teamId, userId }, 'role granted', { to: userId, role: 'admin', before: 'reader' });
}

/** Written down, and the next step sent to whoever installed it. Never rejects. */
function createWelcome(deps: AccessDeps, { record }: InstallSettings) {
  const { log, slashCommand, notifyUser } = deps;
  return async ({ teamId, installation }: Grant, isConnected: boolean): Promise<void> => {
    const { installedBy, botToken, scopes } = installation;
    log.info({ teamId, scopes }, 'bot was installed');
    await record({ teamId, userId: installedBy }, 'installed', { scopes: scopes.join(', ') });
    await notifyUser({ botToken }, installedBy, installedMessage({ slashCommand, isConnected }));
  };
}
