/** Bolt's receiver for Socket Mode: keeps one connection up and acknowledges every delivery. */
import { setTimeout as wait } from 'node:timers/promises';
import { WebAPIRateLimitedError, WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import { AppError } from '../../../../shared/errors.ts';
import { isRecord, type JsonRecord, parseJson, readRecord, readText } from '../../../../shared/json.ts';
import { backoffMs } from '../../../../shared/retry.ts';
import { unlessAborted, withTimeout } from '../../../../shared/time/timeout.ts';
import type { Runtime } from '../../../domain/runtime.ts';
import { type Access, refusedToken } from '../../installation/access.ts';
import { payloadText } from '../../outbound/delivery/payload.ts';
import { type SlackClientDeps, slackClientOptions } from '../../outbound/web-api/client.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { readSlackAddress } from '../../outbound/web-api/slack-address.ts';
import { Processing, type SlackDelivery, type SlackReceiver } from './processing.ts';
import { type OpenSocket, openWebSocket } from './web-socket.ts';

export interface SocketServices {
  readonly runtime: Runtime;
  readonly web: SlackClientDeps;
  readonly dispatcher: Dispatcher;
  readonly access: Access;
  readonly appToken: string;
  readonly reconnecting?: Reconnecting;
}

export type Reconnecting = {
  /** Doubles with every consecutive failure. */
  readonly firstDelayMs: number;
  readonly delayMaxMs: number;
};

export const defaultReconnecting: Reconnecting = { firstDelayMs: 1_000, delayMaxMs: 30_000 };

/** A connection that ends is replaced at once, up to this many times a minute. */
const promptReplacementsMax = 3;
const promptSpanMs = 60_000;
/** Pending acknowledgements on a replaced connection get this long. */
const retireAfterMs = 2_000;

/** Limit from the address of the socket to Slack's first frame on it. */
const helloTimeoutMs = 10_000;

export class SocketReceiver extends Processing implements SlackReceiver {
  readonly #services: SocketServices;
  readonly #stopping = new AbortController();
  readonly #open = new Set<SocketConnection>();
  readonly #replacedAt: number[] = [];
  #current: SocketConnection | undefined;
  #replacing: Promise<void> | undefined;
  #others = 0;

  constructor(services: SocketServices) {
    super(services.runtime);
    this.#services = services;
  }

  /** @throws AppError `unauthorized` if Slack refuses the app token, `unavailable` if Slack cannot be reached */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (thrown) {
      throw refusedToken('SLACK_APP_TOKEN', thrown);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#replacing;
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  isConnected(): boolean {
    return this.#current?.isOpen() ?? false;
  }

  override notes(): readonly string[] {
    return [...(this.#others === 0 ? [] : [`slack: ${otherProcess}`]), ...super.notes()];
  }

  async #connect(): Promise<void> {
    const { log } = this.runtime;
    const { signal } = this.#stopping;
    // Slack may send several frames at once. `hasEnded` records a connection that ends before it is assigned.
    let connection: SocketConnection | undefined;
    let hasEnded = false;
    const onClosed = () => {
      hasEnded = true;
      if (connection && this.#current === connection) this.#replace();
    };
    const onLeaving = (reason: string) => {
      log.info({ reason }, 'slack closes the connection');
      onClosed();
    };
    const onDelivery = (delivery: SlackDelivery) => {
      if (!signal.aborted) this.receive(delivery);
    };
    connection = await openSocketConnection(this.#services, { onDelivery, onLeaving, onClosed }, signal);
    this.#retire(this.#current);
    this.#current = connection;
    this.#open.add(connection);
    const own = [...this.#open].filter(({ isOpen }) => isOpen()).length;
    this.#others = Math.max(0, (connection.connections ?? 0) - own);
    if (this.#others > 0) log.warn({ others: this.#others }, otherProcess);
    if (hasEnded) setImmediate(() => this.#replace());
  }

  /** Closes a replaced connection after a delay, so that pending acknowledgements still go out. */
  #retire(previous: SocketConnection | undefined): void {
    if (!previous) return;
    setTimeout(() => void previous.close().finally(() => this.#open.delete(previous)), retireAfterMs).unref();
  }

  #replace(): void {
    if (this.#stopping.signal.aborted || this.#replacing) return;
    this.#replacing = this.#keepConnecting(this.#failuresBefore()).finally(() => {
      this.#replacing = undefined;
      if (!this.#current?.isOpen()) this.#replace();
    });
  }

  /** @returns the number of failures to assume before the first attempt: none, unless connections end again and again */
  #failuresBefore(): number {
    const now = this.runtime.clock();
    const replacedAt = this.#replacedAt;
    replacedAt.push(now);
    while ((replacedAt[0] ?? now) <= now - promptSpanMs) replacedAt.shift();
    return Math.max(0, replacedAt.length - promptReplacementsMax);
  }

  /** Tries until it succeeds or the bot stops; never rejects. */
  async #keepConnecting(failuresBefore: number): Promise<void> {
    const { reconnecting = defaultReconnecting } = this.#services;
    const { log } = this.runtime;
    const { signal } = this.#stopping;
    let delayMs = delayAfter(reconnecting, failuresBefore);
    if (delayMs > 0) log.warn({ delayMs }, 'slack ends connections too often, pausing');
    for (let failures = failuresBefore + 1; !signal.aborted; failures += 1) {
      try {
        await wait(delayMs, undefined, { signal });
        await this.#connect();
        log.info({ failures: failures - 1 }, 'connected to slack again');
        return;
      } catch (error) {
        if (signal.aborted) return;
        const retryAfterMs = error instanceof WebAPIRateLimitedError ? error.retryAfter * 1000 : 0;
        delayMs = Math.max(delayAfter(reconnecting, failures), retryAfterMs);
        const { publicMessage: problem } = refusedToken('SLACK_APP_TOKEN', error);
        log.error({ problem, failures, delayMs }, 'the connection to slack is not restored yet, trying again');
      }
    }
  }
}

const otherProcess =
  'another process is connected with the same SLACK_APP_TOKEN and gets a part of the commands and presses';

/** Jittered by a fifth, so that processes that lost Slack together do not reconnect together. */
function delayAfter({ firstDelayMs, delayMaxMs }: Reconnecting, failures: number): number {
  return failures === 0 ? 0 : backoffMs({ firstMs: firstDelayMs, maxMs: delayMaxMs, jitter: 0.2 }, failures);
}

/** One connection, from its request to its end: https://docs.slack.dev/apis/events-api/using-socket-mode */
type SocketConnection = Pick<OpenSocket, 'isOpen' | 'close'> & {
  /** Connections of the app when this one opened, as Slack counts them; undefined if it does not say. */
  readonly connections: number | undefined;
};

type ConnectionEvents = {
  readonly onDelivery: (delivery: SlackDelivery) => void;
  /** Slack is about to close this connection, for this reason. */
  readonly onLeaving: (reason: string) => void;
  readonly onClosed: () => void;
};

/**
 * Asks for an address, connects and waits for `hello`.
 * @param signal aborts at once
 * @throws the errors of @slack/web-api for apps.connections.open, AppError `unauthorized` for the socket of another
 *   app, or an Error if the socket does not open
 */
async function openSocketConnection(
  services: SocketServices,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<SocketConnection> {
  const { runtime, access, dispatcher } = services;
  const { log } = runtime;
  const url = await requestAddress(services, signal);
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
        refusal = access.refuseApp?.(appId);
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
  const socket = openWebSocket(url, { dispatcher }, { onFrame, onClosed, onSilence });
  try {
    await withTimeout(helloTimeoutMs, unlessAborted(signal, hello.promise), 'Slack said no hello on the socket.');
    if (refusal) throw refusal;
    if (!socket.isOpen()) throw new Error('The socket closed right after Slack said hello.');
  } catch (error) {
    await socket.close();
    throw error;
  }
  isReady = true;
  return { isOpen: socket.isOpen, close: socket.close, connections };
}

/** Checks the address strictly: frames are not signed, so nothing else proves that the socket is Slack's. */
async function requestAddress({ web, appToken }: SocketServices, signal: AbortSignal): Promise<URL> {
  const fetch: SlackClientDeps['fetch'] = (url, init) =>
    web.fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal });
  const { url } = await new WebClient(appToken, slackClientOptions({ ...web, fetch })).apps.connections.open();
  signal.throwIfAborted();
  if (url === undefined) throw new Error('Slack’s answer to apps.connections.open names no socket.');
  const address = readSlackAddress('socket', url, web.slackApiUrl);
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
  const { envelope_id, payload: body, accepts_response_payload } = fields;
  return {
    body,
    // A payload that was measured is already serialised, and goes out as it is.
    ack: (payload = {}) =>
      socket.send(`{"envelope_id":${JSON.stringify(envelope_id)},"payload":${payloadText(payload)}}`),
    context: { acceptsAnswer: accepts_response_payload !== false, ...(appId !== undefined && { appId }) },
  };
}
