/** The bot's own HTTP server: limits slow clients, answers every request, and stops without losing one. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { limitConnections } from './connection-limit.ts';
import { writeRefusal } from './exchange.ts';
import { type Address, listen, originOf } from './listen.ts';
import { createRouter, type Route } from './routes.ts';

export type ServerSettings = Address & {
  /** Tests shorten them. */
  readonly timing?: Partial<typeof defaultTiming>;
  /** Maximum number of open connections. Above it, waiting connections make room for new ones. */
  readonly connectionsMax?: number;
};

export type HttpServerDeps = ServerSettings & {
  /** Routes by method and path, such as `GET /healthz`. The server answers for a route that throws. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Called with the error of a route. */
  readonly onError: (error: unknown) => void;
  /** Begins the error for an address that is taken; `The bot` and its settings by default. */
  readonly who?: string;
  readonly hint?: string;
  /** Called at most once a minute if connections were closed because there are too many. */
  readonly onConnectionLimit?: () => void;
};

export type HttpServer = {
  /** @throws AppError `unavailable` if the address is taken */
  readonly start: () => Promise<void>;
  /** Accepts no new requests, and waits a moment for those that are being read or answered. */
  readonly stop: () => Promise<void>;
  readonly isListening: () => boolean;
  /** Address without a path; valid while the server listens. */
  readonly origin: () => string;
};

/** Milliseconds. */
const defaultTiming = {
  /** Limit for the headers of a request, from its connection, and then for its body. */
  headersMs: 5_000,
  requestMs: 10_000,
  /** Longer than load balancers keep their connections: if the server closes first, a request may be lost. */
  idleMs: 75_000,
  /** Limit for incoming requests when the server stops. */
  farewellMs: 3_000,
};

/** Unknown clients may each fill a body, so these connections can use at most 256 MB. */
const connectionsDefaultMax = 1_000;
const limitWarningEveryMs = 60_000;
const usualHint = 'Set HOST and PORT to an address that is free.';

export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { routes, onError, connectionsMax = connectionsDefaultMax, timing: shortened } = deps;
  const timing = { ...defaultTiming, ...shortened };
  const route = createRouter(routes);
  const server = createServer(serverOptions(timing), (request, response) => {
    // A route keeps the connection of a known client; every other connection ends with its answer.
    response.setHeader('connection', 'close');
    route(request, response).catch((error: unknown) => {
      // The client has disconnected.
      if (request.destroyed && !request.complete) return;
      onError(error);
      writeRefusal(response, 500);
    });
  });
  limitConnections(server, { connectionsMax, onClosed: atMostEvery(limitWarningEveryMs, deps.onConnectionLimit) });
  return {
    start: () => listen(server, deps, deps.who ?? 'The bot', deps.hint ?? usualHint),
    stop: () => close(server, timing.farewellMs),
    isListening: () => server.listening,
    origin: () => originOf(server),
  };
}

/** @returns a function that calls `call` and then ignores further calls for a while */
function atMostEvery(ms: number, call: () => void = () => {}): () => void {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    call();
  };
}

function serverOptions({ headersMs, requestMs, idleMs }: typeof defaultTiming) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    // Maximum delay until a time-out is noticed.
    connectionsCheckingInterval: headersMs / 5,
  };
}

async function close(server: Server, farewellMs: number): Promise<void> {
  if (!server.listening) return;
  const deadline = setTimeout(() => server.closeAllConnections(), farewellMs);
  server.close();
  await once(server, 'close');
  clearTimeout(deadline);
}
