/** The workspaces that this process serves, with their tokens: one in Socket Mode, many once people install the bot. */
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
  /** Of this app, where Slack has named it. */
  readonly appId?: string;
};

export type Workspaces = {
  /**
   * @param enterpriseId where Slack says that the whole of it was given the bot at once
   * @returns undefined where the bot is not installed. Rejects, within 2 s, when that cannot be found out now
   */
  readonly find: (teamId: string, enterpriseId?: string) => Promise<Workspace | undefined>;
};

/** Why a request is refused: Bolt's context carries it from `authorize` to the middleware, which adds the last two. */
export type Refusal = 'not_installed' | 'unavailable' | 'unreadable' | 'outsider' | 'other_app';

/**
 * @returns Bolt's `authorize`, for tokens and for installations alike. It never throws: Bolt answers a throw with an empty
 *   acknowledgement, and the person sees nothing. Bolt does not get the token either, since it would keep a client for every
 *   token; the middleware that refuses outsiders puts the token where the listeners look for it.
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
      // Written down where it was opened, once.
      if (error instanceof AppError && error.unreadable) return { refusal: 'unreadable' satisfies Refusal };
      log.error({ teamId, error: describe(error) }, 'workspace could not be looked up');
      return { refusal: 'unavailable' satisfies Refusal };
    }
  };
}

export type SingleWorkspace = Workspaces & {
  /** Learns whose token it is. @throws AppError `unauthorized` or `unavailable`, naming the variable to look at */
  readonly verify: () => Promise<Workspace>;
  /** @param socketAppId of the app whose socket was opened @returns why it is not the one that the bot token belongs to */
  readonly refuseApp: RefuseApp;
};

/** @returns undefined where nothing contradicts, though Slack may have left one of the two unsaid */
export type RefuseApp = (socketAppId: string | undefined) => AppError | undefined;

/** The workspace a bot token belongs to. */
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

/** @returns the AppError that a failed start shows: `unauthorized` when the token is refused, else `unavailable`; an AppError stays itself */
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

/** From an answer of auth.test. */
export type TokenFacts = { readonly app_id?: string; readonly bot_id?: string };

/**
 * https://docs.slack.dev/reference/methods/auth.test names the app of some kinds of token, bots.info that of every bot.
 * @returns undefined where Slack does not say, or cannot be asked; never rejects
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

/** @returns undefined for what no sentence may repeat */
export function readAppId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined;
}
