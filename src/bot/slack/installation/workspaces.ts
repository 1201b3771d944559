/** Workspaces that this process serves, with their tokens: one in Socket Mode, many if people install the bot. */
import type { Authorize } from '@slack/bolt';
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import { isTeamId } from '../inbound/middleware/read-payload.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { classifyThrown, describe } from '../outbound/web-api/errors.ts';
import { missingScopes } from './scopes.ts';

export type Workspace = {
  readonly teamId: string;
  readonly botToken: string;
  readonly botUserId: string;
  readonly botId?: string;
  /** Id of this app; undefined if Slack has not named it. */
  readonly appId?: string;
};

export type Workspaces = {
  /**
   * @param enterpriseId set if Slack says that the whole enterprise installed the bot
   * @returns undefined if the bot is not installed. Rejects within 2 s if that cannot be found out now
   */
  readonly find: (teamId: string, enterpriseId?: string) => Promise<Workspace | undefined>;
};

/** Reasons to refuse a request. Bolt's context carries one from `authorize` to the middleware, which adds the last one. */
export const refusals = ['not_installed', 'unavailable', 'unreadable', 'other_app'] as const;
export type Refusal = (typeof refusals)[number];

/**
 * @returns Bolt's `authorize`, for tokens and for installations alike. It never throws: Bolt answers a throw with an
 *   empty acknowledgement, and the person sees nothing. It does not return the token either, since Bolt would keep a
 *   client for every token; the middleware that refuses requests passes the token to the listeners.
 */
export function createAuthorize(workspaces: Workspaces, log: Logger): Authorize<boolean> {
  return async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
    try {
      const through = isEnterpriseInstall && isTeamId(enterpriseId) ? enterpriseId : undefined;
      const workspace = isTeamId(teamId) ? await workspaces.find(teamId, through) : undefined;
      if (!workspace) return { refusal: 'not_installed' satisfies Refusal };
      const { botToken, ...known } = workspace;
      return { ...known, workspaceToken: botToken };
    } catch (error) {
      // The decryption has already logged it.
      if (error instanceof AppError && error.unreadable) return { refusal: 'unreadable' satisfies Refusal };
      log.error({ teamId, error: describe(error) }, 'workspace could not be looked up');
      return { refusal: 'unavailable' satisfies Refusal };
    }
  };
}

export type SingleWorkspace = Workspaces & {
  /** Asks Slack who owns the token. @throws AppError `unauthorized` or `unavailable` that names the variable to check */
  readonly verify: () => Promise<Workspace>;
  /** @param socketAppId the app whose socket was opened @returns an error if the bot token belongs to another app */
  readonly refuseApp: RefuseApp;
};

/** @returns undefined if the two apps do not contradict; Slack may have named only one */
export type RefuseApp = (socketAppId: string | undefined) => AppError | undefined;

/** The workspace that a fixed bot token belongs to. */
export function createSingleWorkspace(deps: TokenDeps): SingleWorkspace {
  let workspace: Workspace | undefined;
  return {
    find: async (teamId) => {
      if (!workspace) throw new Error('The bot token has not been verified yet.');
      return workspace.teamId === teamId ? workspace : undefined;
    },
    verify: async () => {
      workspace = await ownerOf(deps);
      return workspace;
    },
    refuseApp: (named) => {
      const [own, socketAppId] = [workspace?.appId, readAppId(named)];
      if (own !== undefined && socketAppId !== undefined)
        return own === socketAppId ? undefined : otherApp(own, socketAppId);
      deps.log.warn(
        { botTokenApp: own, socketApp: socketAppId },
        'slack did not say whether both tokens are of one app',
      );
      return undefined;
    },
  };
}

type TokenDeps = { readonly clients: SlackClients; readonly log: Logger; readonly botToken: string };

const scopesHint =
  'Add them as bot token scopes on the app’s page “OAuth & Permissions”, or take over manifest.yml, and install the app in the workspace again.';

async function ownerOf({ clients, log, botToken }: TokenDeps): Promise<Workspace> {
  try {
    const answer = await clients.of(botToken).auth.test();
    const { team_id: teamId, user_id: botUserId, bot_id: botId } = answer;
    const missing = missingScopes(answer.response_metadata?.scopes);
    if (missing.length > 0)
      log.error({ missing, hint: scopesHint }, 'SLACK_BOT_TOKEN lacks permissions that the bot needs');
    if (teamId && botUserId) {
      const appId = await appOfToken(clients, botToken, answer);
      return { teamId, botToken, botUserId, ...(botId && { botId }), ...(appId && { appId }) };
    }
  } catch (thrown) {
    throw refusedToken('SLACK_BOT_TOKEN', thrown);
  }
  throw new AppError('unavailable', 'Slack did not say which workspace SLACK_BOT_TOKEN belongs to.');
}

function otherApp(botTokenAppId: string, socketAppId: string): AppError {
  const sentence = `SLACK_BOT_TOKEN belongs to the app ${botTokenAppId} and SLACK_APP_TOKEN to the app ${socketAppId}.`;
  const hint =
    'Copy both from the pages of one app at api.slack.com/apps: the bot token from “OAuth & Permissions”, the app token from “Basic Information”.';
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

/** Facts from an answer of auth.test. */
export type TokenFacts = { readonly app_id?: string; readonly bot_id?: string };

/**
 * https://docs.slack.dev/reference/methods/auth.test names the app for some kinds of token, bots.info names it for
 * every bot.
 * @returns undefined if Slack does not say or cannot be reached; never rejects
 */
export async function appOfToken(clients: SlackClients, botToken: string, facts: TokenFacts) {
  const named = readAppId(facts.app_id);
  if (named !== undefined || facts.bot_id === undefined) return named;
  const info = await clients
    .of(botToken)
    .bots.info({ bot: facts.bot_id })
    .catch(() => undefined);
  return readAppId(info?.bot?.app_id);
}

/** @returns undefined unless the value has the form of an app id, so that it is safe in a sentence */
export function readAppId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined;
}
