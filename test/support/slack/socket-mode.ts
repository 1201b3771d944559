/** Socket Mode of the local Slack: tickets, connections, and envelopes that wait for their acknowledgement. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Acknowledgement, AppLink, Envelope } from '../../../src/local-slack/server/delivery.ts';
import { isOwnHost, jsonAnswer } from '../../../src/local-slack/server/http.ts';
import type { AppCall, Fault } from '../../../src/local-slack/server/local-slack.ts';
import type { RunningSlack } from '../../../src/local-slack/server/server.ts';
import { Emitter } from '../../../src/local-slack/state/emitter.ts';
import { limits } from '../../../src/shared/block-kit/limits.ts';
import { parseJson, readRecord } from '../../../src/shared/json.ts';
import type { Calls } from './faults.ts';

/** Reason for which Slack asks a client to reconnect; `abrupt` is a broken network. */
export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'abrupt';

const connectionsMax = 10;
const ticketLifeMs = 30_000;
const pingEveryMs = 10_000;
const lingerMs = 2000;
type Pending = {
  readonly acknowledge: (payload: unknown) => void;
  /** Sends the envelope again, when the connection that had it closes. */
  readonly repeat: () => void;
  on: WebSocket;
};

export class SocketMode implements AppLink {
  readonly appToken: string;
  /** Emits true or false each time the first connection opens or the last one closes. */
  readonly #connection = new Emitter<boolean>();
  readonly #slack: RunningSlack;
  readonly #ackTimeoutMs: number;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socket.frameBytesMax,
    perMessageDeflate: false,
  });
  /** Expiry of each ticket. */
  readonly #tickets = new Map<string, number>();
  /** By envelope. */
  readonly #waiting = new Map<string, Pending>();
  readonly #heartbeat: NodeJS.Timeout;
  #open: readonly WebSocket[] = [];
  #next = 0;
  #isUsed = true;

  constructor(slack: RunningSlack, calls: Calls, ackTimeoutMs: number) {
    this.appToken = `xapp-1-${slack.app.id}-${randomBytes(16).toString('hex')}`;
    this.#slack = slack;
    this.#ackTimeoutMs = ackTimeoutMs;
    slack.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const url = URL.parse(slack.baseUrl + (request.url ?? ''));
      const isHere = isOwnHost(request.headers.host, slack.baseUrl) && url?.pathname === '/link/';
      if (calls.take('socket') || !isHere) socket.destroy();
      else this.#upgrade(request, socket, head, url.searchParams.get('ticket') ?? '');
    });
    this.#heartbeat = setInterval(() => {
      for (const socket of this.#open) socket.ping();
    }, pingEveryMs).unref();
  }

  /** Delivers the local Slack's envelopes while a connection is open. @param isUsed false if something else delivers them */
  use(isUsed: boolean): void {
    this.#isUsed = isUsed;
    if (isUsed) this.#slack.delivery.use(this.#isConnected() ? this : null);
  }

  connectionCount(): number {
    return this.#open.length;
  }

  #isConnected(): boolean {
    return this.#open.length > 0;
  }

  /** Answers `apps.connections.open` with the address of one connection, and refuses the wrong type of token. */
  answer({ name, headers }: AppCall): Fault | undefined {
    const token = headers.authorization?.replace(/^Bearer /, '');
    const isOpening = name === 'apps.connections.open';
    if (isOpening === (token === this.appToken)) return isOpening ? this.#opened() : undefined;
    const error = isOpening && !token?.startsWith('xox') ? 'invalid_auth' : 'not_allowed_token_type';
    return { isCarriedOut: false, answer: jsonAnswer({ ok: false, error }) };
  }

  #opened(): Fault {
    const { baseUrl, app } = this.#slack;
    const url = `${baseUrl.replace('http', 'ws')}/link/?ticket=${this.#issueTicket()}&app_id=${app.id}`;
    return { isCarriedOut: false, answer: jsonAnswer({ ok: true, url }) };
  }

  /** @returns a ticket for one connection within 30 s */
  #issueTicket(): string {
    const now = this.#slack.clock();
    for (const [old, until] of this.#tickets) if (until < now) this.#tickets.delete(old);
    const ticket = randomUUID();
    this.#tickets.set(ticket, now + ticketLifeMs);
    return ticket;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ticket: string): void {
    const until = this.#tickets.get(ticket) ?? Number.NEGATIVE_INFINITY;
    this.#tickets.delete(ticket);
    if (until < this.#slack.clock()) socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    else this.#server.handleUpgrade(request, socket, head, (admitted) => this.#admit(admitted));
  }

  /** Sends to one of the connections; to another one, as soon as there is one, if it closes before the acknowledgement. */
  async deliver(envelope: Envelope): Promise<Acknowledgement> {
    const first = this.#choose();
    if (first === undefined) return { kind: 'undelivered' };
    const envelopeId = randomUUID();
    const sentAt = performance.now();
    const { promise, resolve } = Promise.withResolvers<Acknowledgement>();
    const end = (acknowledgement: Acknowledgement) => {
      this.#waiting.delete(envelopeId);
      resolve(acknowledgement);
    };
    const write = (socket: WebSocket) => {
      pending.on = socket;
      socket.send(envelopeText(envelopeId, envelope));
    };
    const pending: Pending = {
      on: first,
      acknowledge: (payload) => end({ kind: 'acknowledged', payload, afterMs: performance.now() - sentAt }),
      repeat: () => {
        const other = this.#choose();
        if (other) write(other);
      },
    };
    const stopWaiting = this.#connection.on((isOpen) => {
      if (isOpen && pending.on.readyState !== pending.on.OPEN) pending.repeat();
    });
    const timer = setTimeout(() => end({ kind: 'timed_out' }), this.#ackTimeoutMs).unref();
    this.#waiting.set(envelopeId, pending);
    write(first);
    const acknowledgement = await promise;
    clearTimeout(timer);
    stopWaiting();
    return acknowledgement;
  }

  /** After a warning the connections keep working until the client leaves. */
  disconnect(reason: DisconnectReason): void {
    const leaving = this.#open;
    if (reason !== 'warning') this.#setOpen([]);
    for (const socket of leaving) closeConnection(socket, reason);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }

  #choose(): WebSocket | undefined {
    return this.#open[this.#next++ % Math.max(this.#open.length, 1)];
  }

  #setOpen(next: readonly WebSocket[]): void {
    const wasConnected = this.#isConnected();
    this.#open = next;
    if (wasConnected === this.#isConnected()) return;
    this.use(this.#isUsed);
    this.#connection.emit(this.#isConnected());
  }

  #admit(socket: WebSocket): void {
    const { app, log } = this.#slack;
    socket.on('error', (error) => log.warn({ err: error }, 'A Socket Mode connection failed'));
    if (this.#open.length >= connectionsMax) {
      socket.send(frame('disconnect', { reason: 'too_many_websockets' }));
      socket.close(1000);
      return;
    }
    socket.on('message', (data) => this.#acknowledge(String(data)));
    socket.on('close', () => {
      this.#setOpen(this.#open.filter((other) => other !== socket));
      for (const pending of [...this.#waiting.values()]) if (pending.on === socket) pending.repeat();
    });
    socket.send(frame('hello', { num_connections: this.#open.length + 1, connection_info: { app_id: app.id } }));
    this.#setOpen([...this.#open, socket]);
  }

  /** Resolves the envelope that an acknowledgement names; logs a late, second or unknown one. */
  #acknowledge(data: string): void {
    const message = readRecord(parseJson(data));
    const envelopeId = message['envelope_id'];
    const pending = typeof envelopeId === 'string' ? this.#waiting.get(envelopeId) : undefined;
    if (pending) pending.acknowledge(message['payload']);
    else this.#slack.log.warn({ envelopeId }, 'An acknowledgement for no waiting envelope');
  }
}

/** Closes after a delay, so that the client can still acknowledge. */
function closeConnection(socket: WebSocket, reason: DisconnectReason): void {
  if (reason === 'abrupt') {
    socket.terminate();
    return;
  }
  socket.send(frame('disconnect', { reason }));
  if (reason === 'warning') return;
  const closing = setTimeout(() => socket.close(1000), lingerMs).unref();
  socket.once('close', () => clearTimeout(closing));
}

function frame(type: 'hello' | 'disconnect', fields: Readonly<Record<string, unknown>>): string {
  const debug = { host: 'applink-local', build_number: 1, approximate_connection_time: 18_060 };
  return JSON.stringify({ type, ...fields, debug_info: debug });
}

function envelopeText(envelopeId: string, { type, acceptsResponsePayload, payload, retry }: Envelope): string {
  return JSON.stringify({
    ...{ type, envelope_id: envelopeId, accepts_response_payload: acceptsResponsePayload, payload },
    ...(retry && { retry_attempt: retry.attempt, retry_reason: retry.reason }),
  });
}
