/** A local Slack for one test on its own port, with the real SDK as its client; closed when the test ends. */
import { SocketModeClient } from '@slack/socket-mode';
import { type LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import { onTestFinished } from 'vitest';
import type { LocalSlackOptions } from '../../../src/local-slack/server/server.ts';
import { SlackDriver } from './driver.ts';

/** A Tuesday morning. */
export const slackNow = Date.UTC(2026, 10, 24, 9, 30);

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const error = 'error' as LogLevel.ERROR;
export const silentSdk = { ...silent, setLevel: () => {}, setName: () => {}, getLevel: () => error };

/** Ten times Slack's: the bot's own limits add up to less than three seconds (waiting-times.test.ts). @param options overrides */
export async function localSlack(options: Partial<LocalSlackOptions> = {}): Promise<SlackDriver> {
  const slack = await SlackDriver.start({
    host: '127.0.0.1',
    port: 0,
    slashCommand: '/workflow',
    hasHome: true,
    commands: [],
    clock: () => slackNow,
    log: silent,
    ackTimeoutMs: 30_000,
    ...options,
  });
  onTestFinished(() => slack.close());
  return slack;
}

/** The Web API client of the bot, without the SDK's retries. */
export function webClient(
  slack: SlackDriver,
  token: string = slack.botToken,
  options: WebClientOptions = {},
): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    logger: silentSdk,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    ...options,
  });
}

/** The argument of a listener of the SDK. */
export type SocketEvent = {
  readonly envelope_id?: string;
  readonly ack: (payload?: unknown) => Promise<void>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accepts_response_payload?: boolean;
  readonly retry_num?: number;
  readonly retry_reason?: string;
};
export type SocketListener = (event: SocketEvent) => unknown;

/** Long, since a loaded machine answers a ping late, and a new connection would miss an event. */
const pingTimeoutMs = 60_000;

/**
 * An app that is connected through Socket Mode.
 * @param on its listeners, such as `slash_commands` and `interactive`
 * @param clientPingTimeout also the SDK's wait before it connects again, in milliseconds
 */
export async function connectApp(
  slack: SlackDriver,
  on: Readonly<Record<string, SocketListener>> = {},
  clientPingTimeout: number = pingTimeoutMs,
): Promise<SocketModeClient> {
  const client = new SocketModeClient({
    appToken: slack.appToken,
    logger: silentSdk,
    clientPingTimeout,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
  });
  for (const [type, listener] of Object.entries(on)) client.on(type, listener);
  await client.start();
  onTestFinished(() => client.disconnect());
  return client;
}

/** The SDK's own wait before it connects again, in milliseconds. */
export const reconnectMs = 5_000;

/** Answers through a response_url as the bot does. */
export async function respond(
  url: string,
  payload: unknown,
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  return { status: response.status, body: await response.text() };
}
