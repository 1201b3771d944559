/** Delivers payloads to the app, over Socket Mode or as signed HTTP requests, and takes its acknowledgements. */
import { createHmac, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isRecord, type JsonRecord, parseJson, readRecord } from '../../../src/shared/json.ts';
import { app } from './workspace.ts';

export type PayloadKind = 'slash_commands' | 'interactive' | 'events_api';

/** An acknowledgement: its content, if it has any. */
type Ack = { readonly answer: unknown };

export type Delivery = {
  /**
   * @param attempt from 0; Slack repeats an event whose acknowledgement it has not seen
   * @throws Error if the app does not acknowledge as Slack documents it
   */
  readonly deliver: (kind: PayloadKind, payload: JsonRecord, attempt?: number) => Promise<Ack>;
};

/** Slack closes the connection at a longer frame: revelrylabs/slax#614. */
const frameBytesMax = 20_480;

/** After it nothing is expected any more; whether the answer was in time is judged later. */
const answerWithinMs = 60_000;
const connectionWithinMs = 100_000;

/** Only these may be answered in the acknowledgement. */
function takesAnswer(kind: PayloadKind, { type }: JsonRecord): boolean {
  return (
    kind === 'slash_commands' || ['view_submission', 'block_suggestion', 'url_verification'].includes(String(type))
  );
}

export type SocketMode = Delivery & {
  /** @returns the address of a new connection, which works once: https://docs.slack.dev/reference/methods/apps.connections.open */
  readonly open: (host: string) => string;
  /** Asks the app for another connection, and closes the present one when it is there. */
  readonly refresh: () => Promise<void>;
  readonly upgrade: (request: IncomingMessage, pipe: Duplex, head: Buffer) => void;
  readonly close: () => void;
};

/** https://docs.slack.dev/apis/events-api/using-socket-mode */
export function createSocketMode(): SocketMode {
  const news = new EventEmitter().setMaxListeners(0);
  const hub = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax });
  const tickets = new Set<string>();
  const sockets: WebSocket[] = [];
  const acks = new Map<string, Ack>();
  const until = async (wanted: string, withinMs: number, isThere: () => boolean) => {
    const signal = AbortSignal.timeout(withinMs);
    while (!isThere()) {
      await once(news, 'news', { signal }).catch(() => {
        throw new Error(`There was no ${wanted} within ${withinMs} ms; ${sockets.length} connections are open.`);
      });
    }
  };
  const greet = (socket: WebSocket) => {
    sockets.push(socket);
    socket.on('message', (data) => {
      const { envelope_id: id, payload, ...rest } = readRecord(parseJson(String(data)));
      if (typeof id === 'string' && Object.keys(rest).length === 0) acks.set(id, { answer: payload });
      news.emit('news');
    });
    // Too long a frame is an error of the socket, which closes then.
    socket.on('error', () => undefined);
    socket.on('close', () => void sockets.splice(sockets.indexOf(socket), 1));
    const debug = {
      host: 'applink-1',
      started: '2026-11-01 00:00:00.000',
      build_number: 1,
      approximate_connection_time: 18_060,
    };
    const hello = {
      type: 'hello',
      num_connections: sockets.length,
      debug_info: debug,
      connection_info: { app_id: app.id },
    };
    socket.send(JSON.stringify(hello));
    news.emit('news');
  };
  return {
    open: (host) => {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `ws://${host}/link/?ticket=${ticket}&app_id=${app.id}`;
    },
    upgrade: (request, pipe, head) => {
      const ticket = new URL(request.url ?? '', 'ws://slack').searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) pipe.destroy();
      else hub.handleUpgrade(request, pipe, head, greet);
    },
    deliver: async (kind, payload, attempt = 0) => {
      await until('connection', connectionWithinMs, () => sockets.length > 0);
      const id = randomUUID();
      const accepts = takesAnswer(kind, payload);
      const retry = kind === 'events_api' ? { retry_attempt: attempt, retry_reason: attempt > 0 ? 'timeout' : '' } : {};
      const envelope = { envelope_id: id, payload, type: kind, accepts_response_payload: accepts, ...retry };
      sockets.at(-1)?.send(JSON.stringify(envelope));
      await until('acknowledgement', answerWithinMs, () => acks.has(id));
      const { answer } = withoutEmpty(acks.get(id));
      if (answer !== undefined && !accepts) throw new Error(`An envelope of ${kind} accepts no payload.`);
      return { answer };
    },
    refresh: async () => {
      const old = [...sockets];
      const farewell = { type: 'disconnect', reason: 'refresh_requested', debug_info: { host: 'applink-1' } };
      for (const socket of old) socket.send(JSON.stringify(farewell));
      await until('new connection', connectionWithinMs, () => sockets.some((socket) => !old.includes(socket)));
      for (const socket of old) socket.close();
    },
    close: () => {
      for (const socket of sockets) socket.terminate();
      hub.close();
    },
  };
}

/** Slack's own SDK sends an empty object where an app answers nothing. */
function withoutEmpty(ack: Ack | undefined): Ack {
  const { answer } = ack ?? {};
  return { answer: isRecord(answer) && Object.keys(answer).length === 0 ? undefined : answer };
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function createSignedHttp(url: string, signingSecret: string): Delivery {
  return {
    deliver: async (kind, payload, attempt = 0) => {
      const { type, body } = encoded(kind, payload);
      const at = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex');
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': type,
          'x-slack-request-timestamp': String(at),
          'x-slack-signature': `v0=${signature}`,
          ...(attempt > 0 && { 'x-slack-retry-num': String(attempt), 'x-slack-retry-reason': 'http_timeout' }),
        },
        signal: AbortSignal.timeout(answerWithinMs),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`The app answered ${response.status} to ${kind}.`);
      const answer = text === '' ? undefined : (parseJson(text) ?? text);
      if (answer !== undefined && !takesAnswer(kind, payload))
        throw new Error(`The app answered ${kind} with ${text}.`);
      return { answer };
    },
  };
}

/** Commands are a form, interactions a form with one field, events JSON. */
function encoded(kind: PayloadKind, payload: JsonRecord) {
  if (kind === 'events_api') return { type: 'application/json', body: JSON.stringify(payload) };
  const fields = kind === 'interactive' ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>);
  return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(fields).toString() };
}
