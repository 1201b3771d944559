/** Workspaces that this process serves, with their tokens: one in Socket Mode, many if people install the bot. */
import type { Authorize } from '@slack/bolt';
import { AppError } from '../../../shared/errors.ts';
import { readRecord } from '../../../shared/json.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import { withTimeout } from '../../../shared/time/timeout.ts';
import { type Origin, readOrigin } from '../inbound/middleware/read-origin.ts';
import { isWorkspaceId } from '../inbound/middleware/read-payload.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { describe } from '../outbound/web-api/errors.ts';

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

export type Located = {
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
