/** Socket Mode: tickets, connections, and envelopes that wait for their acknowledgement. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { Emitter } from '../state/emitter.ts';
import type { Acknowledgement, Envelope } from './envelope.ts';

/** Reason for which Slack asks a client to reconnect; `abrupt` is a broken network. */
export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'abrupt';

export type SocketMode = {
  /** Emits true or false each time the first connection opens or the last one closes. */
  readonly connection: Emitter<boolean>;
  readonly isConnected: () => boolean;
  readonly connectionCount: () => number;
  /** @returns a ticket for one connection within 30 s */
  readonly issueTicket: () => string;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, ticket: string) => void;
  /** Sends to one of the connections. */
  readonly deliver: (envelope: Envelope) => Promise<Acknowledgement>;
  readonly disconnect: (reason: DisconnectReason) => void;
  readonly close: () => void;
};

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

/** By envelope. */
type Waiting = Map<string, Pending>;

export function createSocketMode(deps: SocketModeDeps): SocketMode {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socket.frameBytesMax,
    perMessageDeflate: false,
  });
  const tickets = createTickets(deps.clock);
  const waiting: Waiting = new Map();
  const connections = createConnections(deps, {
    onMessage: (data) => acknowledge(data, waiting, deps.log),
    onClosed: (socket) => {
      for (const pending of [...waiting.values()]) if (pending.on === socket) pending.repeat();
    },
  });
  let next = 0;
  return {
    connection: connections.changes,
    isConnected: () => connections.open().length > 0,
    connectionCount: () => connections.open().length,
    issueTicket: tickets.issue,
    upgrade: (request, socket, head, ticket) => {
      if (tickets.redeem(ticket)) server.handleUpgrade(request, socket, head, connections.admit);
      else socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    },
    deliver: (envelope) => {
      const choose = () => {
        const open = connections.open();
        return open[next++ % Math.max(open.length, 1)];
      };
      return send({ choose, opened: connections.changes }, envelope, waiting, deps.ackTimeoutMs);
    },
    disconnect: (reason) => {
      // After a warning the connection keeps working until the client leaves.
      const leaving = reason === 'warning' ? connections.open() : connections.forget();
      for (const socket of leaving) closeConnection(socket, reason);
    },
    close: () => {
      connections.close();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

type SocketEvents = {
  readonly onMessage: (data: string) => void;
  readonly onClosed: (socket: WebSocket) => void;
};

function createConnections({ appId, log }: SocketModeDeps, { onMessage, onClosed }: SocketEvents) {
  const changes = new Emitter<boolean>();
  let open: readonly WebSocket[] = [];
  const setOpen = (next: readonly WebSocket[]) => {
    const wasConnected = open.length > 0;
    open = next;
    if (wasConnected !== open.length > 0) changes.emit(open.length > 0);
  };
  const heartbeat = setInterval(() => {
    for (const socket of open) socket.ping();
  }, pingEveryMs).unref();
  return {
    changes,
    open: () => open,
    forget: () => {
      const leaving = open;
      setOpen([]);
      return leaving;
    },
    admit: (socket: WebSocket) => {
      socket.on('error', (error) => log.warn({ err: error }, 'A Socket Mode connection failed'));
      if (open.length >= connectionsMax) {
        socket.send(frame('disconnect', { reason: 'too_many_websockets' }));
        socket.close(1000);
        return;
      }
      socket.on('message', (data) => onMessage(String(data)));
      socket.on('close', () => {
        setOpen(open.filter((other) => other !== socket));
        onClosed(socket);
      });
      socket.send(frame('hello', { num_connections: open.length + 1, connection_info: { app_id: appId } }));
      setOpen([...open, socket]);
    },
    close: () => clearInterval(heartbeat),
  };
}

/** Tickets, each valid for one connection. */
function createTickets(clock: Clock) {
  const tickets = new Map<string, number>();
  return {
    issue: () => {
      for (const [old, until] of tickets) if (until < clock()) tickets.delete(old);
      const ticket = randomUUID();
      tickets.set(ticket, clock() + ticketLifeMs);
      return ticket;
    },
    redeem: (ticket: string) => {
      const until = tickets.get(ticket);
      tickets.delete(ticket);
      return until !== undefined && until >= clock();
    },
  };
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

type Sockets = {
  readonly choose: () => WebSocket | undefined;
  /** Emits true when the first connection opens. */
  readonly opened: Emitter<boolean>;
};

/** Sends to another connection, as soon as there is one, if the connection closes before the acknowledgement. */
function send(sockets: Sockets, envelope: Envelope, waiting: Waiting, timeoutMs: number): Promise<Acknowledgement> {
  const first = sockets.choose();
  if (first === undefined) return Promise.resolve({ kind: 'undelivered' });
  const envelopeId = randomUUID();
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const write = (socket: WebSocket) => {
      pending.on = socket;
      socket.send(envelopeText(envelopeId, envelope));
    };
    const stopWaiting = sockets.opened.on((isOpen) => {
      if (isOpen && pending.on.readyState !== pending.on.OPEN) pending.repeat();
    });
    const end = (acknowledgement: Acknowledgement) => {
      waiting.delete(envelopeId);
      clearTimeout(timer);
      stopWaiting();
      resolve(acknowledgement);
    };
    const timer = setTimeout(() => end({ kind: 'timed_out' }), timeoutMs).unref();
    const pending: Pending = {
      on: first,
      acknowledge: (payload) => end({ kind: 'acknowledged', payload, afterMs: performance.now() - sentAt }),
      repeat: () => {
        const other = sockets.choose();
        if (other) write(other);
      },
    };
    waiting.set(envelopeId, pending);
    write(first);
  });
}

function envelopeText(envelopeId: string, { type, acceptsResponsePayload, payload, retry }: Envelope): string {
  return JSON.stringify({
    ...{ type, envelope_id: envelopeId, accepts_response_payload: acceptsResponsePayload, payload },
    ...(retry && { retry_attempt: retry.attempt, retry_reason: retry.reason }),
  });
}

/** Resolves the envelope that an acknowledgement names; logs a late, second or unknown one. */
function acknowledge(data: string, waiting: Waiting, log: Logger): void {
  const message = parseJson(data);
  const envelopeId = isRecord(message) ? message['envelope_id'] : undefined;
  const pending = typeof envelopeId === 'string' ? waiting.get(envelopeId) : undefined;
  if (!pending || !isRecord(message)) {
    log.warn({ envelopeId }, 'An acknowledgement for no waiting envelope');
    return;
  }
  pending.acknowledge(message['payload']);
}
