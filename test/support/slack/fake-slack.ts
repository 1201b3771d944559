/** A small real Slack for faults that the local Slack does not have: HTTP and a socket, scripted call by call. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { limits } from '../../../src/shared/block-kit/limits.ts';

type FakeCall = {
  readonly method: string;
  readonly token: string;
  readonly fields: Readonly<Record<string, string>>;
};

type FakeResponse = { readonly path: string; readonly payload: Readonly<Record<string, unknown>> };

/** `hang` never answers; `drop` closes the connection after the request was read. */
export type FakeReply =
  | 'hang'
  | 'drop'
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown };

export const fakeTeamId = 'T0FAKE';
export const fakeTokens = { bot: 'xoxb-fake-bot-token-1', app: 'xapp-fake-app-token-1' } as const;
const callMethods: Readonly<Record<string, unknown>> = {
  'auth.test': { ok: true, team_id: fakeTeamId, user_id: 'U0BOT', bot_id: 'B0BOT' },
  'users.info': { ok: true, user: { tz: 'Europe/Vienna', team_id: fakeTeamId } },
  'conversations.info': { ok: true, channel: { is_ext_shared: false } },
  'chat.postEphemeral': { ok: true, message_ts: '1.1' },
  'chat.postMessage': { ok: true, ts: '1.1' },
};

export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>;

export async function startFakeSlack() {
  const news = new EventEmitter();
  const calls: FakeCall[] = [];
  const responses: FakeResponse[] = [];
  const acks = new Map<string, unknown>();
  const scripts = new Map<string, FakeReply[]>();
  const sockets: WebSocket[] = [];
  const pipes = new Set<Socket>();
  let envelopes = 0;
  let port = 0;
  let server: Server;
  const hub = new WebSocketServer({ noServer: true, maxPayload: limits.socket.frameBytesMax });

  const answer = (response: ServerResponse, name: string, fallback: FakeReply) => {
    const reply = scripts.get(name)?.shift() ?? fallback;
    if (reply === 'hang') return;
    if (reply === 'drop') {
      response.destroy();
      return;
    }
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status ?? 200, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...reply.headers,
    });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await textOf(request);
    const path = request.url ?? '';
    if (path.startsWith('/response/')) {
      responses.push({ path, payload: JSON.parse(body) });
      news.emit('news');
      answer(response, 'response_url', { body: { ok: true } });
      return;
    }
    const method = path.replace('/api/', '');
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    calls.push({ method, token, fields: Object.fromEntries(new URLSearchParams(body)) });
    news.emit('news');
    const open = { ok: true, url: `ws://127.0.0.1:${port}/link` };
    answer(response, method, {
      body: method === 'apps.connections.open' ? open : (callMethods[method] ?? { ok: false, error: 'unknown_method' }),
    });
  };

  const greet = (socket: WebSocket, pipe: Duplex) => {
    sockets.push(socket);
    socket.on('message', (data) => {
      const { envelope_id, payload } = JSON.parse(String(data));
      acks.set(envelope_id, payload);
      news.emit('news');
    });
    socket.on('close', () => {
      sockets.splice(sockets.indexOf(socket), 1);
      news.emit('news');
    });
    const greeting = scripts.get('hello')?.shift();
    news.emit('news');
    if (greeting === 'hang') return;
    // `drop` sends a hello and a disconnect at once.
    if (greeting === 'drop') pipe.cork();
    const said = typeof greeting === 'object' ? Object(greeting.body) : {};
    socket.send(JSON.stringify({ type: 'hello', ...said }));
    if (greeting === 'drop') {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
      pipe.uncork();
    }
  };

  /** Starts on its earlier port, if it had one. */
  const listen = async () => {
    server = createServer((request, response) => void handle(request, response));
    server.on('connection', (pipe) => {
      pipes.add(pipe);
      pipe.on('close', () => pipes.delete(pipe));
    });
    server.on('upgrade', (request, pipe, head) =>
      hub.handleUpgrade(request, pipe, head, (socket) => greet(socket, pipe)),
    );
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };

  /** Nothing answers from now on, as in a network failure. */
  const goDown = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const pipe of pipes) pipe.destroy();
    await closed;
  };

  /** @returns the first value that `look` finds, now or after an event */
  const until = async <Found>(look: () => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await once(news, 'news');
    }
  };

  /** @returns the acknowledgement's payload */
  const send = async (type: string, payload: unknown, extra: Readonly<Record<string, unknown>> = {}) => {
    envelopes += 1;
    const envelope_id = `e${envelopes}`;
    const socket = await until(() => sockets.at(-1));
    socket.send(
      JSON.stringify({ type, envelope_id, payload, accepts_response_payload: type === 'slash_commands', ...extra }),
    );
    return until(() => (acks.has(envelope_id) ? { payload: acks.get(envelope_id) } : undefined));
  };

  await listen();
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    origin: `http://127.0.0.1:${port}`,
    calls,
    responses,
    sockets,
    /** The next answers to this method, to `response_url` or to `hello`, in order; then it answers normally. */
    script: (name: string, ...replies: FakeReply[]) => void scripts.set(name, replies),
    until,
    send,
    sendRaw: (text: string) => sockets.at(-1)?.send(text),
    goDown,
    comeBack: listen,
    close: async () => {
      hub.close();
      if (server.listening) await goDown();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
