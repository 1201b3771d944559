/** Clients of Slack's Web API: one for each token, none of which repeats a write by itself. */
import { type FetchFunction, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from '../core/log.ts';
import { createSdkLog } from './sdk-log.ts';

export type SlackClientDeps = {
  /** With a trailing slash. */
  readonly slackApiUrl: string;
  readonly fetch: FetchFunction;
  readonly log: Logger;
  /** The SDK's own default is to wait for ever. */
  readonly callTimeoutMs: number;
};

/** Workspaces whose clients are kept; the longest unused is dropped. */
const clientsMax = 100;

/**
 * @returns a new object for each caller: the SDK writes into the options it is given. Without these settings it waits for
 *   ever, sends the same post four times when an answer is lost, and pauses every call of a client on one 429.
 */
export function slackClientOptions({ slackApiUrl, fetch, log, callTimeoutMs }: SlackClientDeps): WebClientOptions {
  return {
    slackApiUrl,
    fetch,
    timeout: callTimeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: createSdkLog(log),
  };
}

export type SlackClients = {
  readonly of: (botToken: string) => WebClient;
};

export function createSlackClients(deps: SlackClientDeps): SlackClients {
  const clientByToken = new Map<string, WebClient>();
  return {
    of: (botToken) => {
      const client = clientByToken.get(botToken) ?? new WebClient(botToken, slackClientOptions(deps));
      clientByToken.delete(botToken);
      clientByToken.set(botToken, client);
      const [oldest] = clientByToken.keys();
      if (clientByToken.size > clientsMax && oldest !== undefined) clientByToken.delete(oldest);
      return client;
    },
  };
}
