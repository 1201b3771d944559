/** One Socket Mode connection, from opening to closing: the SDK's client without its reconnecting. */
import { SocketModeClient } from '@slack/socket-mode';
import type { Dispatcher } from 'undici';
import { AppError } from '../../../../shared/errors.ts';
import { waitUpTo } from '../../../../shared/time/timeout.ts';
import type { RefuseApp } from '../../installation/workspaces.ts';
import { payloadText } from '../../outbound/delivery/payload.ts';
import { type SlackClientDeps, slackClientOptions } from '../../outbound/web-api/client.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { createSdkLog } from '../../outbound/web-api/sdk-log.ts';
import { readSlackAddress } from '../../outbound/web-api/slack-address.ts';
import { readFrame } from './socket-frame.ts';

export type SocketDeps = SlackClientDeps & {
  readonly appToken: string;
  readonly refuseApp?: RefuseApp | undefined;
  /** For a proxy; without it the SDK owns the socket and can close it under a peer that has stalled. */
  readonly socketDispatcher?: Dispatcher;
};

/** What the SDK emits for every envelope. */
export type Envelope = {
  readonly envelope_id: string;
  readonly ack: (payload?: object) => Promise<void>;
  readonly body: unknown;
  readonly retry_num?: number;
  readonly retry_reason?: string;
  readonly accepts_response_payload?: boolean;
  /** Whose connection it came over, where Slack has said so. */
  readonly appId?: string;
};

export type SocketEvents = {
  readonly onEnvelope: (envelope: Envelope) => void;
  /** Slack is about to close this connection, and says why. */
  readonly onLeaving: (reason: string) => void;
  readonly onClosed: () => void;
};

export type SocketConnection = {
  readonly isOpen: () => boolean;
  /** Never rejects; takes at most a second. */
  readonly close: () => Promise<void>;
};

/** From the address of the socket to Slack's first word on it. */
const helloTimeoutMs = 10_000;
const closeTimeoutMs = 1_000;

/**
 * Asks for an address, connects and waits for `hello`.
 * @param signal gives up at once
 * @throws what @slack/web-api throws for apps.connections.open, AppError `unauthorized` for the socket of another app, or an
 *   Error when the socket does not come up
 */
export async function openSocketConnection(
  deps: SocketDeps,
  events: SocketEvents,
  signal: AbortSignal,
): Promise<SocketConnection> {
  const client = createClient(deps, signal);
  let isReady = false;
  let isClosed = false;
  let appId: string | undefined;
  let refusal: AppError | undefined;
  const closed = Promise.withResolvers<void>();
  client.on('disconnected', () => {
    const wasOpen = isReady && !isClosed;
    isClosed = true;
    closed.resolve();
    if (wasOpen) events.onClosed();
  });
  client.on('slack_event', (envelope: Envelope) => {
    const ack = (payload?: object) => acknowledge(client, envelope, payload);
    if (!refusal) events.onEnvelope({ ...envelope, ack, ...(appId !== undefined && { appId }) });
  });
  const onHello = (named: string | undefined) => {
    appId = named;
    refusal = deps.refuseApp?.(named);
  };
  guardFrames(client, deps, { onLeaving: events.onLeaving, onHello });
  const close = () => closeClient(client, closed.promise);
  await connect(client, close, signal);
  if (refusal) {
    await close();
    throw refusal;
  }
  if (isClosed) throw new Error('The socket closed right after Slack said hello.');
  isReady = true;
  return { isOpen: () => !isClosed, close };
}

/** The SDK writes every payload as JSON; one that was measured is written already, and goes out as it is. */
async function acknowledge(client: SocketModeClient, { envelope_id, ack }: Envelope, payload?: object): Promise<void> {
  if (payload === undefined || !client.websocket?.isActive()) return ack(payload);
  const sent = Promise.withResolvers<void>();
  const frame = `{"envelope_id":${JSON.stringify(envelope_id)},"payload":${payloadText(payload)}}`;
  client.websocket.send(frame, (error) => (error ? sent.reject(error) : sent.resolve()));
  return sent.promise;
}

/** The SDK's own reconnecting waits for seconds and, when it fails, ends the process with an unhandled rejection. */
function createClient(deps: SocketDeps, signal: AbortSignal): SocketModeClient {
  const { logger: _ours, ...clientOptions } = slackClientOptions({
    ...deps,
    fetch: (url, init) =>
      deps.fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
  });
  const client = new SocketModeClient({
    appToken: deps.appToken,
    autoReconnectEnabled: false,
    clientOptions,
    logger: createSdkLog(deps.log),
    ...(deps.socketDispatcher && { dispatcher: deps.socketDispatcher }),
  });
  // Thrown between the answer and the connection, so that none is made: what comes over a socket is signed by nothing else.
  client.on('authenticated', ({ url }: { readonly url?: string }) => {
    if (!readSlackAddress('socket', url ?? '', deps.slackApiUrl)) throw foreignSocket();
  });
  return client;
}

function foreignSocket(): AppError {
  const sentence =
    'Slack’s answer to apps.connections.open names a socket that is not Slack’s, so the bot does not open it.';
  return new AppError('unavailable', sentence, { hint: 'Check SLACK_API_URL and the proxy settings.' });
}

async function connect(client: SocketModeClient, close: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const hello = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  client.once('authenticated', () => {
    timer = setTimeout(() => hello.reject(new Error('Slack said no hello on the socket.')), helloTimeoutMs);
  });
  const abort = () => hello.reject(new Error('Stopped while connecting.'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([started(client), hello.promise]);
    signal.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** The SDK rejects with nothing at all when the socket closes before `hello`. */
async function started(client: SocketModeClient): Promise<void> {
  try {
    await client.start();
  } catch (error) {
    throw error ?? new Error('The socket closed before Slack said hello.');
  }
}

/** The first call asks the peer to close; the second, for a peer that does not answer, destroys the socket. */
async function closeClient(client: SocketModeClient, closed: Promise<void>): Promise<void> {
  await waitUpTo(closeTimeoutMs, Promise.race([closed, client.disconnect()]));
  await client.disconnect();
}

/**
 * Looks at every frame before the SDK does: a frame that is not what it expects would end the process there, and on
 * `disconnect` it closes at once, while Slack leaves time to bring up the next connection first.
 */
function guardFrames(
  client: SocketModeClient,
  deps: SocketDeps,
  { onLeaving, onHello }: Pick<SocketEvents, 'onLeaving'> & { readonly onHello: (appId: string | undefined) => void },
): void {
  const [handle] = client.listeners('ws_message');
  if (!handle) throw new Error('@slack/socket-mode does not listen for ws_message any more.');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    const frame = readFrame(data);
    if (frame === undefined) deps.log.warn({}, 'slack sent a frame that is none');
    else if (frame.type === 'disconnect') onLeaving(frame.reason);
    else {
      if (frame.type === 'hello') onHello(frame.appId);
      Promise.resolve(handle(data, isBinary)).catch((error: unknown) =>
        deps.log.error({ error: describe(error), type: frame.type }, 'slack frame could not be handled'),
      );
    }
  });
}
