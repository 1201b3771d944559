/** Workspaces that this process serves, with their tokens: one in Socket Mode, many if people install the bot. */
import type { Authorize } from '@slack/bolt';
import { AppError } from '../../../shared/errors.ts';
import { readRecord } from '../../../shared/json.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { withTimeout } from '../../../shared/time/timeout.ts';
import { type Origin, readOrigin } from '../inbound/middleware/read-origin.ts';
import { isEnterpriseId, isWorkspaceId } from '../inbound/middleware/read-payload.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { classifyThrown, describe } from '../outbound/web-api/errors.ts';
import { createOrganizations, type Organizations } from './organizations.ts';
import { missingScopes, scopeWords } from './scopes.ts';

export type Workspace = {
  readonly teamId: string;
  readonly botToken: string;
  readonly botUserId: string;
  readonly botId?: string;
  /** True while Slack refuses the token: nothing is sent that can wait. */
  readonly isRefused?: boolean;
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

export type ServedWorkspaces = Workspaces & {
  /**
   * For a payload of an organization's installation that names no workspace.
   * @returns undefined if the organization did not install the bot. Rejects as `find`
   */
  readonly locate: (enterpriseId: string, channelId: string | undefined) => Promise<Located | undefined>;
};

type Located = {
  /** Undefined if several workspaces of the organization are possible. */
  readonly teamId: string | undefined;
  /** The token of the organization. */
  readonly botToken: string;
};

/** Reasons to refuse a request. Bolt's context carries one from `authorize` to the middleware, which adds the last one. */
export const refusals = ['not_installed', 'workspace_unknown', 'unavailable', 'unreadable', 'other_app'] as const;
export type Refusal = (typeof refusals)[number];

/** Slack waits three seconds for the acknowledgement. */
const findWithinMs = 2_000;

/**
 * @returns Bolt's `authorize`, for tokens and for installations alike. It never throws: Bolt answers a throw with an
 *   empty acknowledgement, and the person sees nothing. It does not return the token either, since Bolt would keep a
 *   client for every token; the middleware that refuses requests passes the token to the listeners.
 */
export function createAuthorize(workspaces: ServedWorkspaces, log: Logger): Authorize<boolean> {
  return async (_source, body) => {
    const origin = readOrigin(readRecord(body));
    // Bolt would take the workspace from the person.
    const teamId = origin.teamIds.find(isWorkspaceId) ?? origin.enterpriseId ?? 'unknown';
    try {
      const found = findWorkspace(workspaces, origin);
      return { teamId, ...(await withTimeout(findWithinMs, found, 'The workspace was not found in time.')) };
    } catch (error) {
      // The decryption has already logged it.
      if (error instanceof AppError && error.unreadable) return { teamId, refusal: 'unreadable' satisfies Refusal };
      log.error({ teamId, error: describe(error) }, 'workspace could not be looked up');
      return { teamId, refusal: 'unavailable' satisfies Refusal };
    }
  };
}

type Authorized = (Omit<Workspace, 'botToken'> | { readonly refusal: Refusal }) & { readonly workspaceToken?: string };

async function findWorkspace(workspaces: ServedWorkspaces, origin: Origin): Promise<Authorized> {
  const { teamIds, enterpriseId, channelId } = origin;
  if (teamIds.length > 0) return findFirst(workspaces, teamIds, enterpriseId);
  const located = enterpriseId === undefined ? undefined : await workspaces.locate(enterpriseId, channelId);
  if (located?.teamId !== undefined) return findFirst(workspaces, [located.teamId], enterpriseId);
  // With the organization's token the person can be answered.
  if (located) return { refusal: 'workspace_unknown', workspaceToken: located.botToken };
  return { refusal: enterpriseId === undefined ? 'workspace_unknown' : 'not_installed' };
}

/** @returns the first workspace in which the bot is installed */
async function findFirst(
  workspaces: Workspaces,
  teamIds: readonly string[],
  enterpriseId: string | undefined,
): Promise<Authorized> {
  for (const teamId of teamIds) {
    const workspace = isWorkspaceId(teamId) ? await workspaces.find(teamId, enterpriseId) : undefined;
    if (!workspace) continue;
    const { botToken, ...known } = workspace;
    return { ...known, workspaceToken: botToken };
  }
  return { refusal: 'not_installed' };
}

export type SingleWorkspace = ServedWorkspaces & {
  /** Asks Slack who owns the token. @throws AppError `unauthorized` or `unavailable` that names the variable to check */
  readonly verify: () => Promise<Workspace>;
  /** @returns a line for an operator, if the token lacks required scopes */
  readonly notes: () => readonly string[];
  /** @param socketAppId the app whose socket was opened @returns an error if the bot token belongs to another app */
  readonly refuseApp: RefuseApp;
};

/** @returns undefined if the two apps do not contradict; Slack may have named only one */
export type RefuseApp = (socketAppId: string | undefined) => AppError | undefined;

/** The workspace that a fixed bot token belongs to, or the workspaces of an organization that has the bot as a whole. */
export function createSingleWorkspace(deps: TokenDeps): SingleWorkspace {
  const organizations = createOrganizations(deps);
  let owner: Workspace | undefined;
  let missing: readonly string[] = [];
  const verified = (): Workspace => {
    if (!owner) throw new Error('The bot token has not been verified yet.');
    return owner;
  };
  const withDeadline = <Value>(value: Promise<Value>) =>
    withTimeout(findWithinMs, value, 'Slack did not list the workspaces of the organization in time.');
  return {
    find: async (teamId) => {
      const { teamId: ownerId, botToken, ...known } = verified();
      if (!isEnterpriseId(ownerId)) return teamId === ownerId ? verified() : undefined;
      const granted = await withDeadline(organizations.workspacesOf(ownerId, botToken));
      return granted.has(teamId) ? { ...known, teamId, botToken } : undefined;
    },
    locate: async (enterpriseId, channelId) => {
      const { teamId: ownerId, botToken } = verified();
      if (ownerId !== enterpriseId) return undefined;
      return { botToken, teamId: await withDeadline(organizations.locate(enterpriseId, botToken, channelId)) };
    },
    verify: async () => {
      const report = (scopes: readonly string[]) => {
        missing = scopes;
      };
      owner = await ownerOf(deps, organizations, report);
      if (isEnterpriseId(owner.teamId)) deps.log.warn({ enterpriseId: owner.teamId }, organizationHint);
      return owner;
    },
    notes: () =>
      missing.length === 0 ? [] : [`slack: SLACK_BOT_TOKEN lacks required permissions: ${scopeWords(missing)}`],
    refuseApp: (named) => {
      const [own, socketAppId] = [owner?.appId, readAppId(named)];
      if (own !== undefined && socketAppId !== undefined)
        return own === socketAppId ? undefined : otherApp(own, socketAppId);
      deps.log.warn(
        { botTokenApp: own, socketApp: socketAppId },
        'Slack did not return the apps of both tokens, so it is not known if they belong to the same app',
      );
      return undefined;
    },
  };
}

const organizationHint =
  'SLACK_BOT_TOKEN belongs to an organization: the bot serves every workspace to which it was added, and QUERY_SERVICE_API_KEY answers in all of them';

type TokenDeps = {
  readonly clients: SlackClients;
  readonly clock: Clock;
  readonly log: Logger;
  readonly botToken: string;
};

const scopesHint =
  'Add them as bot token scopes on the app’s page “OAuth & Permissions”, or take over manifest.yml, and install the app in the workspace again.';

/** @returns the workspace; with the organization's id in the place of the workspace's if the token is an organization's */
async function ownerOf(
  deps: TokenDeps,
  { workspacesOf }: Organizations,
  onMissing: (scopes: readonly string[]) => void,
): Promise<Workspace> {
  const { clients, log, botToken } = deps;
  try {
    const answer = await clients.of(botToken).auth.test();
    const { user_id: botUserId, bot_id: botId, is_enterprise_install: isWhole, enterprise_id: enterpriseId } = answer;
    const teamId = isWhole ? enterpriseId : answer.team_id;
    const missing = missingScopes(answer.response_metadata?.scopes);
    onMissing(missing);
    if (missing.length > 0)
      log.error({ missing, hint: scopesHint }, 'SLACK_BOT_TOKEN lacks permissions that the bot needs');
    if (teamId && botUserId) {
      const [first] = isWhole ? await workspacesOf(teamId, botToken) : [];
      const appId = await appOfToken(clients, botToken, answer, first);
      return { teamId, botToken, botUserId, ...(botId && { botId }), ...(appId && { appId }) };
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

/** Facts from an answer of auth.test. */
export type TokenFacts = { readonly app_id?: string; readonly bot_id?: string };

/**
 * https://docs.slack.dev/reference/methods/auth.test names the app for some kinds of token, bots.info names it for
 * every bot.
 * @param teamId a workspace, which bots.info needs with the token of an organization
 * @returns undefined if Slack does not say or cannot be reached; never rejects
 */
export async function appOfToken(clients: SlackClients, botToken: string, facts: TokenFacts, teamId?: string) {
  const named = readAppId(facts.app_id);
  if (named !== undefined || facts.bot_id === undefined) return named;
  const info = await clients
    .of(botToken)
    .bots.info({ bot: facts.bot_id, ...(teamId !== undefined && { team_id: teamId }) })
    .catch(() => undefined);
  return readAppId(info?.bot?.app_id);
}

/** @returns undefined unless the value has the form of an app id, so that it is safe in a sentence */
export function readAppId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined;
}
