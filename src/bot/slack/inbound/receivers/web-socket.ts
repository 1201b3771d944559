/**
 * A web socket over undici's dispatcher: limits the size of frames, detects a silent peer, and always closes the
 * connection.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Duplex } from 'node:stream';
import { Dispatcher, ping, WebSocket } from 'undici';
import { waitUpTo } from '../../../../shared/time/timeout.ts';

export type SocketEvents = {
  /** @param text of a text frame; undefined for a binary frame */
  readonly onFrame: (text: string | undefined) => void;
  /** @param cause the reason, if the connection broke */
  readonly onClosed: (cause: unknown) => void;
  /** The peer stopped answering; the connection is destroyed. */
  readonly onSilence: () => void;
};

export type OpenSocket = {
  readonly isOpen: () => boolean;
  /** @throws Error if the connection is not open */
  readonly send: (text: string) => void;
  /** Asks the peer to close, then destroys the connection. Never rejects; takes at most a second. */
  readonly close: () => Promise<void>;
};

/** Milliseconds; tests shorten them. */
export type SocketTiming = {
  readonly pingEveryMs: number;
  /** Slack pings every few seconds. */
  readonly peerPingTimeoutMs: number;
};

const defaultTiming: SocketTiming = { pingEveryMs: 5_000, peerPingTimeoutMs: 30_000 };
/** Pings in a row without a pong after which the peer counts as gone. */
const unansweredPingsMax = 2;
const closeTimeoutMs = 1_000;
/** Slack's largest payload is a modal of 250 kB. */
const frameBytesMax = 1024 * 1024;
const fragmentsMax = 1_000;

export type WebSocketDeps = { readonly dispatcher: Dispatcher; readonly socketTiming?: Partial<SocketTiming> };

/** @returns before the connection is open */
export function openWebSocket(
  url: URL,
  { dispatcher: over, socketTiming }: WebSocketDeps,
  events: SocketEvents,
): OpenSocket {
  let connection: Duplex | undefined;
  const dispatcher = new SocketDispatcher(over, (upgraded) => {
    connection = upgraded;
  });
  const socket = new WebSocket(url, { dispatcher });
  const closed = Promise.withResolvers<void>();
  let cause: unknown;
  const stopWatching = watchPeer(socket, { ...defaultTiming, ...socketTiming }, () => {
    events.onSilence();
    connection?.destroy();
  });
  socket.addEventListener('message', ({ data }) => events.onFrame(typeof data === 'string' ? data : undefined));
  socket.addEventListener('error', ({ error }) => {
    cause = error;
  });
  socket.addEventListener('close', () => {
    stopWatching();
    closed.resolve();
    events.onClosed(cause);
  });
  const isOpen = () => socket.readyState === WebSocket.OPEN;
  const joinWrites = createWriteJoiner(() => connection);
  return {
    isOpen,
    send: (text) => {
      // undici drops what is sent while the connection closes.
      if (!isOpen()) throw new Error('The socket is not open.');
      joinWrites();
      socket.send(text);
    },
    close: async () => {
      socket.close(1000);
      await waitUpTo(closeTimeoutMs, closed.promise);
      connection?.destroy();
    },
  };
}

/** Frames in one write. With more, the first would wait long for the last. */
const framesPerWriteMax = 16;

/**
 * A write to the kernel takes as long as the rest of an answer from the cache. Frames that are sent in one turn, such
 * as the acknowledgements of deliveries that arrived together, therefore share writes.
 * @returns a function to call before each frame
 */
function createWriteJoiner(connectionOf: () => Duplex | undefined): () => void {
  let joined: Duplex | undefined;
  let frames = 0;
  const write = () => {
    joined?.uncork();
    joined = undefined;
    frames = 0;
  };
  return () => {
    if (frames === framesPerWriteMax) write();
    frames += 1;
    if (joined) return;
    joined = connectionOf();
    joined?.cork();
    // Runs after the promises of this turn.
    process.nextTick(write);
  };
}

/** Pings the peer and counts its pings once the connection is open. @returns a function that stops the watch */
function watchPeer(socket: WebSocket, timing: SocketTiming, onSilence: () => void): () => void {
  let unanswered = 0;
  let peerPingedAt: number | undefined;
  const onPing = (message: unknown) => {
    if (isFor(socket, message)) peerPingedAt = performance.now();
  };
  const onPong = (message: unknown) => {
    if (isFor(socket, message)) unanswered = 0;
  };
  // undici reports these frames only through diagnostics channels, for every socket in the process.
  subscribe('undici:websocket:ping', onPing);
  subscribe('undici:websocket:pong', onPong);
  const timer = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const silentMs = peerPingedAt === undefined ? 0 : performance.now() - peerPingedAt;
    if (unanswered >= unansweredPingsMax || silentMs > timing.peerPingTimeoutMs) return onSilence();
    unanswered += 1;
    ping(socket);
  }, timing.pingEveryMs);
  return () => {
    clearInterval(timer);
    unsubscribe('undici:websocket:ping', onPing);
    unsubscribe('undici:websocket:pong', onPong);
  };
}

function isFor(socket: WebSocket, message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'websocket' in message && message.websocket === socket;
}

/** Dispatches one upgrade: exposes the raw connection, which undici's WebSocket hides, and limits the frames that it reads. */
class SocketDispatcher extends Dispatcher {
  readonly webSocketOptions = { maxPayloadSize: frameBytesMax, maxFragments: fragmentsMax };
  readonly #dispatch: Dispatcher['dispatch'];

  constructor(base: Dispatcher, onConnection: (connection: Duplex) => void) {
    super();
    const composed = base.compose((dispatch) => (options, handler) => dispatch(options, tapped(handler, onConnection)));
    this.#dispatch = (options, handler) => composed.dispatch(options, handler);
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#dispatch(options, handler);
  }
}

function tapped(
  handler: Dispatcher.DispatchHandler,
  onConnection: (connection: Duplex) => void,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (controller, status, headers, connection) => {
      onConnection(connection);
      handler.onRequestUpgrade?.(controller, status, headers, connection);
    },
    onResponseStart: (...head) => handler.onResponseStart?.(...head),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
