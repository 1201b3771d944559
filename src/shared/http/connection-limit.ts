/** Limits connections: closes those that have waited longest, so that a server under a flood stays reachable. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionLimit = {
  /** Of them all at once. */
  readonly connectionsMax: number;
  /** A waiting one was closed to make room, or a new one because none of the others waits. */
  readonly onClosed: (outcome: 'evicted' | 'refused') => void;
};

type Connection = {
  readonly socket: Socket;
  readonly network: string;
  /** Of the latest request; undefined before its head is whole, and once it is answered. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  hasBeenAnswered: boolean;
};

/** If newcomers are fewer than this share, connections that idle between two requests are closed first. */
const newcomersShare = 0.25;
/** Closed at a time, so that a flood costs one look at all of them for many connections. */
const evictedShare = 0.02;

/**
 * Closes what waits where there are too many, never what has sent a whole request that is being answered. Of those that
 * wait, the network with the most loses its oldest: behind a proxy, which is one network, simply the oldest. A connection
 * that serves again and again outlives newcomers that send nothing.
 */
export function limitConnections(server: Server, { connectionsMax, onClosed }: ConnectionLimit): void {
  // In the order in which they began to wait.
  const open = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
    const network = networkOf(socket.remoteAddress);
    open.set(socket, { socket, network, exchange: undefined, hasBeenAnswered: false });
    socket.once('close', () => open.delete(socket));
    if (open.size <= connectionsMax) return;
    for (const { socket: evicted } of chosen([...open.values()], connectionsMax)) {
      open.delete(evicted);
      evicted.destroy();
      onClosed(evicted === socket ? 'refused' : 'evicted');
    }
  });
  server.on('request', (request, response) => {
    const connection = open.get(request.socket);
    if (!connection) return;
    const exchange = { request, response };
    connection.exchange = exchange;
    response.once('close', () => {
      // A client may have sent the next request meanwhile.
      if (connection.exchange !== exchange) return;
      // Cleared in place: a connection is old when it is dropped, and would take the exchange into the old generation with it.
      connection.exchange = undefined;
      connection.hasBeenAnswered = true;
      if (open.delete(connection.socket)) open.set(connection.socket, connection);
    });
  });
}

/** @returns the oldest of the network that has the most of those that wait; never none, as the newest one waits */
function chosen(connections: readonly Connection[], connectionsMax: number): readonly Connection[] {
  const waiting = connections.filter(
    ({ exchange }) => !exchange?.request.complete || exchange.response.writableFinished,
  );
  const newcomers = waiting.filter(({ hasBeenAnswered }) => !hasBeenAnswered);
  const areMostNew = newcomers.length > connectionsMax * newcomersShare || newcomers.length === waiting.length;
  const candidates = areMostNew ? newcomers : waiting.filter(({ hasBeenAnswered }) => hasBeenAnswered);
  const [most = []] = [...Map.groupBy(candidates, ({ network }) => network).values()].sort(
    (a, b) => b.length - a.length,
  );
  return most.slice(0, Math.max(1, Math.floor(connectionsMax * evictedShare)));
}

/** @returns an IPv4 address as it is, and of an IPv6 address the half that names its network */
function networkOf(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = tail ? Array(8 - head.length - tail.length).fill('0') : [];
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}
