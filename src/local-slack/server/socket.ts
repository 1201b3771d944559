/** Socket Mode: tickets, connections, and envelopes that wait for their acknowledgement. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { limits } from '../../shared/block-kit/limits.ts';
import { type JsonRecord, parseJson, readRecord } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { Emitter } from '../state/emitter.ts';

export type Retry = {
  readonly attempt: number;
  readonly reason: '' | 'timeout' | 'connection_failed' | 'http_error';
};

/** The outcome of a delivery. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged'; readonly payload: unknown; readonly afterMs: number }
  | { readonly kind: 'timed_out' }
  /** The app could not be reached. */
  | { readonly kind: 'undelivered' }
  /** The app replied with an error status; `isFinal` if it refuses retries. */
  | { readonly kind: 'refused'; readonly status: number; readonly isFinal: boolean };

export type Envelope = {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: JsonRecord;
  readonly acceptsResponsePayload: boolean;
  /** Events are delivered again until they are acknowledged; a first delivery has attempt 0 and no reason. */
  readonly retry?: Retry;
};

/** Reason for which Slack asks a client to reconnect; `abrupt` is a broken network. */
export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'abrupt';

type SocketModeDeps = {
  readonly appId: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Timeout of an acknowledgement. */
  readonly ackTimeoutMs: number;
};

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

export class SocketMode {
  /** Emits true or false each time the first connection opens or the last one closes. */
  readonly connection = new Emitter<boolean>();
  readonly #deps: SocketModeDeps;
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

  constructor(deps: SocketModeDeps) {
    this.#deps = deps;
    this.#heartbeat = setInterval(() => {
      for (const socket of this.#open) socket.ping();
    }, pingEveryMs).unref();
  }

  isConnected(): boolean {
    return this.#open.length > 0;
  }

  connectionCount(): number {
    return this.#open.length;
  }

  /** @returns a ticket for one connection within 30 s */
  issueTicket(): string {
    const now = this.#deps.clock();
    for (const [old, until] of this.#tickets) if (until < now) this.#tickets.delete(old);
    const ticket = randomUUID();
    this.#tickets.set(ticket, now + ticketLifeMs);
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ticket: string): void {
    const until = this.#tickets.get(ticket) ?? Number.NEGATIVE_INFINITY;
    this.#tickets.delete(ticket);
    if (until < this.#deps.clock()) socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
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
    const stopWaiting = this.connection.on((isOpen) => {
      if (isOpen && pending.on.readyState !== pending.on.OPEN) pending.repeat();
    });
    const timer = setTimeout(() => end({ kind: 'timed_out' }), this.#deps.ackTimeoutMs).unref();
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
    const wasConnected = this.isConnected();
    this.#open = next;
    if (wasConnected !== this.isConnected()) this.connection.emit(this.isConnected());
  }

  #admit(socket: WebSocket): void {
    const { appId, log } = this.#deps;
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
    socket.send(frame('hello', { num_connections: this.#open.length + 1, connection_info: { app_id: appId } }));
    this.#setOpen([...this.#open, socket]);
  }

  /** Resolves the envelope that an acknowledgement names; logs a late, second or unknown one. */
  #acknowledge(data: string): void {
    const message = readRecord(parseJson(data));
    const envelopeId = message['envelope_id'];
    const pending = typeof envelopeId === 'string' ? this.#waiting.get(envelopeId) : undefined;
    if (pending) pending.acknowledge(message['payload']);
    else this.#deps.log.warn({ envelopeId }, 'An acknowledgement for no waiting envelope');
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
