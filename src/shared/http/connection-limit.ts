/** Limits connections: closes those that have waited longest, so that a server stays reachable during a flood. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionLimit = {
  /** Maximum number of open connections. */
  readonly connectionsMax: number;
  /**
   * Called for each closed connection. `evicted`: a waiting one was closed to make room. `refused`: the new one was
   * closed, because no other waits.
   */
  readonly onClosed: (outcome: 'evicted' | 'refused') => void;
};

type Connection = {
  readonly socket: Socket;
  readonly network: string;
  /** Exchange of the latest request; undefined before its head is complete, and once it is answered. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  hasBeenAnswered: boolean;
};

/** If newcomers are fewer than this share, connections that idle between two requests are closed first. */
const newcomersShare = 0.25;
/** Share of the connections that is closed at a time, so that a flood needs one scan for many connections. */
const evictedShare = 0.02;

/**
 * Closes waiting connections if there are too many, but never one whose complete request is being answered. The network
 * with the most waiting connections loses its oldest; behind a proxy, which is one network, these are simply the
 * oldest. A connection that is reused outlives newcomers that send nothing.
 */
export function limitConnections(server: Server, { connectionsMax, onClosed }: ConnectionLimit): void {
  // Connections in the order in which they began to wait.
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
      // Cleared in place, because the garbage collector would otherwise keep the exchange as long as the old
      // connection.
      connection.exchange = undefined;
      connection.hasBeenAnswered = true;
      if (open.delete(connection.socket)) open.set(connection.socket, connection);
    });
  });
}

/**
 * @returns the oldest waiting connections of the network that has the most; never an empty list, because the newest one
 *   waits
 */
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

/** @returns an IPv4 address unchanged, or the half of an IPv6 address that names its network */
function networkOf(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = tail ? Array(8 - head.length - tail.length).fill('0') : [];
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}
