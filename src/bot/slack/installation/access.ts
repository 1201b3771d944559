/** Access to workspaces: by the one bot token of the settings, or by those of all workspaces in which people installed the bot. */
import type { App } from '@slack/bolt';
import { AppError } from '../../../shared/errors.ts';
import type { Route } from '../../../shared/http/routes.ts';
import { isWorkspaceId } from '../inbound/middleware/read-payload.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { classifyThrown } from '../outbound/web-api/errors.ts';
import type { Renewed } from '../outbound/web-api/slack-fetch.ts';
import { InstallationRegistry, type ServedInstallation } from './registry.ts';
import { missingScopes, scopeWords } from './scopes.ts';
import type { SlackCalls } from './services.ts';
import { appOfToken, readAppId, type ServedWorkspaces } from './workspaces.ts';

export type Access = {
  readonly workspaces: ServedWorkspaces;
  /** Finds another token for one that Slack calls expired. Never rejects. */
  readonly renew: (botToken: string) => Promise<Renewed>;
  /** Handles Slack's refusal of a call with this token. @param error as Slack names it */
  readonly onRefusal: (botToken: string, error: string) => void;
  /** Page on which people install the bot; undefined if the bot uses a fixed token. */
  readonly installUrl?: string;
  /** Routes for the bot's HTTP server. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Registers the listeners for uninstallations. */
  readonly listen: (app: App) => void;
  /**
   * Left out if people install the bot.
   * @param socketAppId the app whose socket was opened
   * @returns an error if the bot token belongs to another app; undefined also if Slack has not named both
   */
  readonly refuseApp?: (socketAppId: string | undefined) => AppError | undefined;
  /** @returns lines for an operator about missing permissions; none names a workspace */
  readonly notes: () => readonly string[];
  /** @throws AppError that names the variable to check, if a token is refused or Slack cannot be reached */
  readonly start: () => Promise<void>;
  /** Waits for running work; never rejects. */
  readonly stop: () => Promise<void>;
};

/** The workspace that a fixed bot token belongs to, or the workspaces of an organization that has the bot as a whole. */
export function createTokenAccess({ clients, runtime }: SlackCalls, botToken: string): Access {
  const { clock, log } = runtime;
  let owner: ServedInstallation | undefined;
  let missing: readonly string[] = [];
  const registry = new InstallationRegistry({
    clients,
    clock,
    source: {
      find: async (id) => {
        if (!owner) throw new Error('The bot token has not been verified yet.');
        if (id === owner.teamId) return owner;
        return owner.isEnterpriseInstall && isWorkspaceId(id) ? { ...owner, teamId: id } : undefined;
      },
      current: async (id) => (id === owner?.teamId ? { kind: 'token', botToken } : { kind: 'none' }),
      renew: async () => ({ kind: 'none' }),
      saveGrant: async () => undefined,
    },
  });
  return {
    workspaces: registry,
    routes: {},
    listen: () => undefined,
    onRefusal: () => undefined,
    renew: async () => ({ kind: 'none' }),
    refuseApp: (named) => {
      const [own, socketAppId] = [owner?.appId ?? undefined, readAppId(named)];
      if (own !== undefined && socketAppId !== undefined)
        return own === socketAppId ? undefined : otherApp(own, socketAppId);
      log.warn(
        { botTokenApp: own, socketApp: socketAppId },
        'slack did not return the apps of both tokens, so it is not known if they belong to the same app',
      );
      return undefined;
    },
    notes: () =>
      missing.length === 0 ? [] : [`slack: SLACK_BOT_TOKEN lacks required permissions: ${scopeWords(missing)}`],
    start: async () => {
      const verified = await verify(clients, registry, botToken);
      ({ owner, missing } = verified);
      if (missing.length > 0)
        log.error({ missing, hint: scopesHint }, 'SLACK_BOT_TOKEN lacks permissions that the bot needs');
      if (owner.isEnterpriseInstall) log.warn({ enterpriseId: owner.teamId }, organizationHint);
    },
    stop: async () => undefined,
  };
}

const organizationHint =
  'SLACK_BOT_TOKEN belongs to an organization: the bot serves every workspace to which it was added, and QUERY_SERVICE_API_KEY answers in all of them';

const scopesHint =
  'Add them as bot token scopes on the app’s page “OAuth & Permissions”, or take over manifest.yml, and install the app in the workspace again.';

/**
 * Asks Slack who owns the token.
 * @returns the installation of the workspace or the organization, and the required scopes that the token lacks
 * @throws AppError `unauthorized` or `unavailable` that names the variable to check
 */
async function verify(clients: SlackClients, registry: InstallationRegistry, botToken: string) {
  try {
    const answer = await clients.of(botToken).auth.test();
    const { user_id: botUserId, bot_id: botId = null, enterprise_id: enterpriseId = null } = answer;
    const isEnterpriseInstall = answer.is_enterprise_install === true;
    const teamId = isEnterpriseInstall ? enterpriseId : answer.team_id;
    if (teamId && botUserId) {
      const [first] = isEnterpriseInstall ? await registry.workspacesOf(teamId, botToken) : [];
      const appId = (await appOfToken(clients, botToken, answer, first)) ?? null;
      const about = { enterpriseId, isEnterpriseInstall, refusedSince: null, uninstalledAt: null };
      const owner: ServedInstallation = { teamId, botUserId, botId, appId, ...about };
      return { owner, missing: missingScopes(answer.response_metadata?.scopes) };
    }
  } catch (thrown) {
    throw refusedToken('SLACK_BOT_TOKEN', thrown);
  }
  throw new AppError('unavailable', 'Slack did not return the workspace of SLACK_BOT_TOKEN.');
}

function otherApp(botTokenAppId: string, socketAppId: string): AppError {
  const sentence = `SLACK_BOT_TOKEN belongs to the app ${botTokenAppId} and SLACK_APP_TOKEN to the app ${socketAppId}.`;
  const hint =
    'Copy both from the pages of the same app at api.slack.com/apps: the bot token from “OAuth & Permissions”, the app token from “Basic Information”.';
  return new AppError('unauthorized', sentence, { hint });
}

const tokenHints = {
  SLACK_BOT_TOKEN: 'It is the “Bot User OAuth Token” of the app’s page “OAuth & Permissions” and begins with xoxb-.',
  SLACK_APP_TOKEN:
    'It is an app-level token with the scope connections:write, from the app’s page “Basic Information”, and begins with xapp-.',
} as const;

/**
 * @returns the AppError that a failed start shows: `unauthorized` if the token is refused, otherwise `unavailable`; an
 *   AppError is returned unchanged
 */
export function refusedToken(variable: keyof typeof tokenHints, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const failure = classifyThrown(thrown);
  if (failure.kind === 'permanent' && !failure.error.startsWith('http_')) {
    const sentence = `Slack refused ${variable} (${failure.error}).`;
    return new AppError('unauthorized', sentence, { hint: tokenHints[variable], cause: thrown });
  }
  return new AppError('unavailable', `Slack could not be reached to check ${variable} (${failure.error}).`, {
    hint: 'Check the network, the proxy settings and SLACK_API_URL.',
    cause: thrown,
    isRetryable: true,
    ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
  });
}
