/** The HTTP server: timeouts, malformed requests, and graceful shutdown. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import { limitConnections } from '../../shared/http/connection-limit.ts';
import { listen as bind, originOf } from '../../shared/http/listen.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { refusal } from '../graphql/refusal.ts';
import type { ServiceMeasure } from '../measurement.ts';
import { createPipeline, createRequestHandler, type PipelineDeps } from './request-handler.ts';

/** Milliseconds. */
const defaultTiming = {
  /** Limit for the headers, from the connection or the previous request, and then for the body. */
  headersMs: 5_000,
  requestMs: 15_000,
  /** Longer than most clients keep idle connections: if the server closes first, a request may be lost. */
  idleMs: 30_000,
  /** Time for the client to read a whole reply. */
  answerMs: 30_000,
  /** Interval between checks of request timeouts. */
  checkMs: 1_000,
};
/** Maximum number of connections, including unauthenticated ones. Above it, a new connection evicts a waiting one. */
const connectionsDefaultMax = 2_000;
/** New requests get 503 for this long during shutdown, because closing at once would reset requests already sent. */
const farewellMs = 100;
/** Limit for in-flight requests during shutdown. */
const drainTimeoutMs = 4_000;

const who = 'The service';
const hint = 'Choose another port with --port or SERVICE_PORT, or stop what listens there.';

/** Tests set them. */
export type ListenLimits = {
  readonly timing?: Partial<typeof defaultTiming>;
  readonly connectionsMax?: number;
};

export type ListenDeps = PipelineDeps &
  ListenLimits & {
    readonly host: string;
    readonly port: number;
    readonly log: Logger;
    readonly measure: ServiceMeasure;
  };

export type ListeningServer = {
  /** Address without a path. */
  readonly origin: string;
  /** Refuses new requests, waits for in-flight ones, then closes. */
  drain(): Promise<void>;
};

/** @throws AppError `unavailable` if the address cannot be bound, such as a port in use */
export async function listen(deps: ListenDeps): Promise<ListeningServer> {
  const { log, measure, timing: shortened } = deps;
  const timing = { ...defaultTiming, ...shortened };
  const state = { isDraining: false, requests: 0 };
  const inFlight = trackInFlightResponses(timing.answerMs, () => {
    measure({ kind: 'connection', outcome: 'cut' });
    log.warn({}, 'a client did not read its answer in time, so its connection was closed');
  });
  const serve = createRequestHandler({
    pipeline: createPipeline(deps, () => state.isDraining),
    measure,
    log,
  });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    state.requests += 1;
    inFlight.add(response);
    void serve(request, response);
  };
  const server = createGuardedServer(timing, handle);
  limitConnections(server, {
    connectionsMax: deps.connectionsMax ?? connectionsDefaultMax,
    onClosed: (outcome) => measure({ kind: 'connection', outcome }),
  });
  await bind(server, deps, who, hint);
  return {
    origin: originOf(server),
    async drain() {
      state.isDraining = true;
      inFlight.endConnections();
      const deadline = performance.now() + drainTimeoutMs;
      await inFlight.idle(drainTimeoutMs);
      // The clients of those requests may have asked again, too.
      await untilNoNewRequests(state);
      await inFlight.idle(Math.max(0, deadline - performance.now()));
      inFlight.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

function createGuardedServer(timing: typeof defaultTiming, handle: RequestListener): Server {
  const options = {
    headersTimeout: timing.headersMs,
    requestTimeout: timing.requestMs,
    keepAliveTimeout: timing.idleMs,
    connectionsCheckingInterval: timing.checkMs,
    requireHostHeader: false,
  };
  const server = createServer(options, handle);
  // Node would refuse these requests silently, or not in JSON. The handler or the code below replies to them.
  server.on('checkExpectation', handle);
  server.on('connect', (_request, socket) => {
    // Node passes the raw socket: an unhandled error event would end the process.
    socket.on('error', () => {});
    answerRaw(socket, 405, 'Method Not Allowed');
  });
  server.on('clientError', answerBroken);
  return server;
}

/** Binds the address and closes again. @throws AppError `unavailable` as `listen` does */
export async function checkAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  await bind(server, { host, port }, who, hint);
  server.close();
  await once(server, 'close');
}

/**
 * On a busy machine the timer may fire before all arrived data is read, so this waits until no new request comes for a
 * while.
 */
async function untilNoNewRequests(state: { readonly requests: number }): Promise<void> {
  const deadline = performance.now() + 10 * farewellMs;
  for (let before = -1; before !== state.requests && performance.now() < deadline; ) {
    before = state.requests;
    await wait(farewellMs);
    for (let turn = 0; turn < 10; turn += 1) await immediate();
  }
}

/** Replies to malformed HTTP in JSON. */
function answerBroken(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  answerRaw(socket, ...brokenRequest(error.code));
}

function answerRaw(socket: Duplex, status: number, message: string): void {
  const body = JSON.stringify({ errors: [refusal('BAD_USER_INPUT', `${message}.`)] });
  socket.end(
    `HTTP/1.1 ${status} ${message}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function brokenRequest(code: string | undefined): readonly [status: number, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'Request Header Fields Too Large'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout'];
  return [400, 'Bad Request'];
}

/** Checks per timeout. */
const checksPerTimeout = 5;

/**
 * @param answerTimeoutMs how long a client may take to read a reply, which is in memory until then
 * @param onCut called for each connection that was cut
 */
function trackInFlightResponses(answerTimeoutMs: number, onCut: () => void) {
  /** For each response, the time at which it was first seen written but not read; undefined before. */
  const responses = new Map<ServerResponse, number | undefined>();
  let whenIdle = () => {};
  const check = () => {
    const now = performance.now();
    for (const [response, since] of responses) {
      if (!response.writableEnded) continue;
      if (since === undefined) responses.set(response, now);
      else if (now - since >= answerTimeoutMs) {
        response.destroy();
        onCut();
      }
    }
  };
  const timer = setInterval(check, answerTimeoutMs / checksPerTimeout).unref();
  return {
    add(response: ServerResponse) {
      responses.set(response, undefined);
      response.on('close', () => {
        responses.delete(response);
        if (responses.size === 0) whenIdle();
      });
    },
    /** Resolves when no response is left, or at the timeout. */
    async idle(timeoutMs: number): Promise<void> {
      if (responses.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const deadline = setTimeout(resolve, timeoutMs);
      whenIdle = resolve;
      await promise;
      clearTimeout(deadline);
    },
    /** Each reply that is not written yet ends its connection, so that its client sends nothing more on it. */
    endConnections() {
      for (const response of responses.keys()) response.shouldKeepAlive = false;
    },
    stop: () => clearInterval(timer),
  };
}
