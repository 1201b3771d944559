/** Slack's OAuth v2: builds the page where an admin agrees, and exchanges codes and refresh tokens for tokens. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type OauthV2AccessResponse, WebClient } from '@slack/web-api';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { NewInstallation, Tokens } from '../../store/repositories/installations.ts';
import { isTeamId } from '../inbound/middleware/read-payload.ts';
import { slackClientOptions } from '../outbound/web-api/client.ts';
import { classifyThrown } from '../outbound/web-api/errors.ts';
import { redirectPath } from './pages.ts';
import { requestedScopes } from './scopes.ts';
import type { InstallSettings, SlackCalls } from './services.ts';

/** The outcome of a completed installation. */
export type Grant = {
  /** The workspace, or the enterprise if it installed the bot as a whole. */
  readonly teamId: string;
  readonly teamName: string;
  readonly appId: string;
  readonly installation: NewInstallation;
};

/** No error, log line or URL contains a token, a code or a secret. */
export class Oauth {
  readonly #calls: SlackCalls;
  readonly #settings: InstallSettings;
  readonly #client: WebClient;

  constructor(calls: SlackCalls, settings: InstallSettings) {
    this.#calls = calls;
    this.#settings = settings;
    this.#client = new WebClient(undefined, slackClientOptions(calls.web));
  }

  /** @returns the address of Slack's page where an admin agrees */
  authorizeUrl(state: string): string {
    const { clientId: client_id, hasLinks = false } = this.#settings;
    const query = { client_id, scope: requestedScopes(hasLinks).join(), redirect_uri: this.#redirectUrl, state };
    return `${new URL('/oauth/v2/authorize', this.#calls.web.slackApiUrl)}?${new URLSearchParams(query)}`;
  }

  /** @throws AppError `forbidden` if Slack refuses the code, `unavailable` if Slack cannot be reached */
  async exchange(code: string): Promise<Grant> {
    const requestedAt = this.#calls.runtime.clock();
    const exchanging = this.#client.oauth.v2.access({ ...this.#app, code, redirect_uri: this.#redirectUrl });
    const grant = readGrant(await exchanging.catch(throwRefusal), requestedAt);
    if (grant) return grant;
    throw new AppError(
      'unavailable',
      'Slack’s answer to the installation cannot be read. Start the installation again.',
    );
  }

  /** A refresh token works once. @throws the errors of the SDK, which `classifyThrown` understands */
  async refresh(refreshToken: string): Promise<Tokens> {
    const requestedAt = this.#calls.runtime.clock();
    const refreshing = this.#client.oauth.v2.access({
      ...this.#app,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    const tokens = readTokens(await refreshing, requestedAt);
    if (!tokens) throw new Error('Slack refreshed a token but did not return the new one.');
    return tokens;
  }

  get #app() {
    return { client_id: this.#settings.clientId, client_secret: this.#settings.clientSecret };
  }

  get #redirectUrl(): string {
    return this.#settings.publicUrl + redirectPath;
  }
}

function throwRefusal(thrown: unknown): never {
  const { kind, error } = classifyThrown(thrown);
  if (kind === 'permanent' || kind === 'content')
    throw new AppError(
      'forbidden',
      `Slack refused the installation (${error}). Start it again; if it fails again, give this code to the person who runs the bot.`,
    );
  throw new AppError(
    'unavailable',
    `Slack could not be reached (${error}). Start the installation again in a minute.`,
    { isRetryable: true },
  );
}

/** @returns undefined if the workspace, the bot's token, its user or the installer is missing */
function readGrant(answer: OauthV2AccessResponse, now: number): Grant | undefined {
  const { team, enterprise, is_enterprise_install: isEnterpriseInstall = false, authed_user: installer } = answer;
  const { id: teamId, name = '' } = (isEnterpriseInstall ? enterprise : team) ?? {};
  const { bot_user_id: botUserId, app_id: appId = '', scope = '' } = answer;
  const tokens = readTokens(answer, now);
  if (!isTeamId(teamId) || !tokens || !botUserId || !installer?.id) return undefined;
  const installation = {
    ...tokens,
    enterpriseId: enterprise?.id ?? null,
    isEnterpriseInstall,
    botUserId,
    botId: null,
    appId: appId === '' ? null : appId,
    scopes: scope.split(',').filter((each) => each !== ''),
    installedBy: installer.id,
    installedAt: now,
  };
  return { teamId, teamName: name, appId, installation };
}

/** https://docs.slack.dev/authentication/using-token-rotation: a token that expires comes with a refresh token. */
function readTokens(answer: OauthV2AccessResponse, now: number): Tokens | undefined {
  const { access_token: botToken = '', refresh_token: refreshToken = null, expires_in: expiresInS } = answer;
  if (answer.token_type !== 'bot' || !/^(xoxe\.)?xoxb-/.test(botToken)) return undefined;
  if (expiresInS === undefined) return { botToken, refreshToken: null, tokenExpiresAt: null };
  return refreshToken === null ? undefined : { botToken, refreshToken, tokenExpiresAt: now + expiresInS * 1000 };
}

export const stateLifetimeMs = 10 * 60_000;
const [randomLength, timeLength, macLength] = [16, 6, 32];
const headLength = randomLength + timeLength;
/** Whole groups of base64, so that the same bytes have one spelling. */
const shape = new RegExp(`^[\\w-]{${((headLength + macLength) / 3) * 4}}$`);

export class StateSigner {
  readonly #secret: string;
  readonly #clock: Clock;

  /** @param secret client secret of the app, which every process of the bot has */
  constructor(secret: string, clock: Clock) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** @param browser id from the browser's cookie @returns the state that Slack returns with the code */
  sign(browser: string): string {
    const time = Buffer.alloc(timeLength);
    time.writeUIntBE(this.#clock() + stateLifetimeMs, 0, timeLength);
    const head = Buffer.concat([randomBytes(randomLength), time]);
    return Buffer.concat([head, this.#macOf(head, browser)]).toString('base64url');
  }

  /** @returns false if the state has expired, is forged or belongs to another browser */
  isValid(state: string, browser: string): boolean {
    if (!shape.test(state)) return false;
    const bytes = Buffer.from(state, 'base64url');
    const head = bytes.subarray(0, headLength);
    if (!timingSafeEqual(bytes.subarray(headLength), this.#macOf(head, browser))) return false;
    return head.readUIntBE(randomLength, timeLength) > this.#clock();
  }

  #macOf(head: Uint8Array, browser: string): Buffer {
    return createHmac('sha256', this.#secret).update('attempt to install').update(head).update(browser).digest();
  }
}
