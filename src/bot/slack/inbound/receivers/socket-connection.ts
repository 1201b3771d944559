/** One Socket Mode connection, from its request to its end: https://docs.slack.dev/apis/events-api/using-socket-mode */
import { WebClient } from '@slack/web-api';
import { AppError } from '../../../../shared/errors.ts';
import { isRecord, type JsonRecord, parseJson, readRecord, readText } from '../../../../shared/json.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { RefuseApp } from '../../installation/access.ts';
import { payloadText } from '../../outbound/delivery/payload.ts';
import { type SlackClientDeps, slackClientOptions } from '../../outbound/web-api/client.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { readSlackAddress } from '../../outbound/web-api/slack-address.ts';
import type { SlackDelivery } from './processing.ts';
import { type OpenSocket, openWebSocket, type WebSocketDeps } from './web-socket.ts';

export type SocketDeps = SlackClientDeps &
  WebSocketDeps & {
    readonly appToken: string;
    readonly refuseApp?: RefuseApp | undefined;
  };

export type ConnectionEvents = {
  readonly onDelivery: (delivery: SlackDelivery) => void;
  /** Slack is about to close this connection, for this reason. */
  readonly onLeaving: (reason: string) => void;
  readonly onClosed: () => void;
};

export type SocketConnection = Pick<OpenSocket, 'isOpen' | 'close'> & {
  /** Connections of the app when this one opened, as Slack counts them; undefined if it does not say. */
  readonly connections: number | undefined;
};

/** Limit from the address of the socket to Slack's first frame on it. */
const helloTimeoutMs = 10_000;

/**
 * Asks for an address, connects and waits for `hello`.
 * @param signal aborts at once
 * @throws the errors of @slack/web-api for apps.connections.open, AppError `unauthorized` for the socket of another
 *   app, or an Error if the socket does not open
 */
export async function openSocketConnection(
  deps: SocketDeps,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<SocketConnection> {
  const { log } = deps;
  const url = await requestAddress(deps, signal);
  const hello = Promise.withResolvers<void>();
  let isReady = false;
  let appId: string | undefined;
  let connections: number | undefined;
  let refusal: AppError | undefined;
  const onFrame = (text: string | undefined) => {
    const frame = readFrame(text);
    switch (frame?.type) {
      case undefined:
        return log.warn({}, 'slack sent a malformed or unknown frame');
      case 'disconnect':
        return events.onLeaving(frame.reason);
      case 'hello':
        ({ appId, connections } = frame);
        refusal = deps.refuseApp?.(appId);
        return hello.resolve();
      case 'envelope':
        if (!refusal) events.onDelivery(deliveryOf(socket, frame.fields, appId));
    }
  };
  const onClosed = (cause: unknown) => {
    if (cause) log.warn({ error: describe(cause) }, 'the connection to slack broke');
    if (isReady) events.onClosed();
    else hello.reject(new Error('The socket closed before Slack said hello.', { cause }));
  };
  const onSilence = () => log.warn({}, 'slack does not answer on the socket, so it is closed');
  const socket = openWebSocket(url, deps, { onFrame, onClosed, onSilence });
  const onAbort = () => hello.reject(new Error('Stopped while connecting.'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await withTimeout(helloTimeoutMs, hello.promise, 'Slack said no hello on the socket.');
    if (refusal) throw refusal;
    if (!socket.isOpen()) throw new Error('The socket closed right after Slack said hello.');
  } catch (error) {
    await socket.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  isReady = true;
  return { isOpen: socket.isOpen, close: socket.close, connections };
}

/** Checks the address strictly: frames are not signed, so nothing else proves that the socket is Slack's. */
async function requestAddress(deps: SocketDeps, signal: AbortSignal): Promise<URL> {
  const fetch: SlackClientDeps['fetch'] = (url, init) =>
    deps.fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal });
  const { url } = await new WebClient(deps.appToken, slackClientOptions({ ...deps, fetch })).apps.connections.open();
  signal.throwIfAborted();
  if (url === undefined) throw new Error('Slack’s answer to apps.connections.open names no socket.');
  const address = readSlackAddress('socket', url, deps.slackApiUrl);
  if (address) return address;
  const sentence =
    'Slack’s answer to apps.connections.open names a socket that is not Slack’s, so the bot does not open it.';
  throw new AppError('unavailable', sentence, { hint: 'Check SLACK_API_URL and the proxy settings.' });
}

type Frame =
  | { readonly type: 'disconnect'; readonly reason: string }
  /** @property appId the app whose connection it is */
  | { readonly type: 'hello'; readonly appId: string | undefined; readonly connections: number | undefined }
  | { readonly type: 'envelope'; readonly fields: JsonRecord };

/** @returns undefined for a frame that is malformed or of an unknown type */
function readFrame(text: string | undefined): Frame | undefined {
  const frame = readRecord(parseJson(text ?? ''));
  switch (frame['type']) {
    case 'disconnect':
      return { type: 'disconnect', reason: readText(frame, 'reason') ?? 'no reason given' };
    case 'hello': {
      const { num_connections: connections } = frame;
      return {
        type: 'hello',
        appId: readText(readRecord(frame['connection_info']), 'app_id'),
        connections: typeof connections === 'number' ? connections : undefined,
      };
    }
    case 'slash_commands':
    case 'interactive':
      return isRecord(frame['payload']) ? { type: 'envelope', fields: frame } : undefined;
    case 'events_api': {
      const payload = readRecord(frame['payload']);
      const isKnown =
        payload['type'] === 'app_rate_limited' || readText(readRecord(payload['event']), 'type') !== undefined;
      return isKnown ? { type: 'envelope', fields: frame } : undefined;
    }
    default:
      return undefined;
  }
}

function deliveryOf(socket: OpenSocket, fields: JsonRecord, appId: string | undefined): SlackDelivery {
  const { envelope_id, payload: body, accepts_response_payload, retry_attempt } = fields;
  return {
    body,
    // A payload that was measured is already serialised, and goes out as it is.
    ack: (payload = {}) =>
      socket.send(`{"envelope_id":${JSON.stringify(envelope_id)},"payload":${payloadText(payload)}}`),
    context: { acceptsAnswer: accepts_response_payload !== false, ...(appId !== undefined && { appId }) },
    retryNum: typeof retry_attempt === 'number' ? retry_attempt : undefined,
    retryReason: readText(fields, 'retry_reason'),
  };
}
