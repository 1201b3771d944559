/** An HTTP server of the bot's own: guarded against slow clients, answering every request, ending without losing one. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { limitConnections } from './connection-limit.ts';
import { writeRefusal } from './exchange.ts';
import { type Address, listen, originOf } from './listen.ts';
import { createRouter, type Route } from './routes.ts';

export type HttpServerDeps = Address & {
  /** By method and path, such as `GET /healthz`. One that throws is answered for. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Takes what a route threw. */
  readonly onError: (error: unknown) => void;
  /** Tests shorten them. */
  readonly timing?: Partial<typeof defaultTiming>;
  /** For the error where the address is taken: who cannot listen, and what to do. The bot and its settings by default. */
  readonly who?: string;
  readonly hint?: string;
  /** Of them all at once; beyond them those that wait make room for new ones. */
  readonly connectionsMax?: number;
  /** Told at most once a minute that connections were closed because there are too many. */
  readonly onConnectionLimit?: () => void;
};

export type HttpServer = {
  /** @throws AppError `unavailable` where the address is taken */
  readonly start: () => Promise<void>;
  /** Takes nothing new, and waits a moment for what is still being read or answered. */
  readonly stop: () => Promise<void>;
  readonly isListening: () => boolean;
  /** Without a path; while it listens. */
  readonly origin: () => string;
};

/** Milliseconds. */
const defaultTiming = {
  /** From a connection to the end of a request's headers, and to the end of its body. */
  headersMs: 5_000,
  requestMs: 10_000,
  /** Longer than load balancers keep theirs: who closes first is who can lose a request. */
  idleMs: 75_000,
  /** Requests that are still coming in when it stops get this long. */
  farewellMs: 3_000,
};

/** Strangers may fill a body of each before anything is known of them: 256 MB are the most that they can hold. */
const connectionsDefaultMax = 1_000;
const limitWarningEveryMs = 60_000;
const usualHint = 'Set HOST and PORT to an address that is free.';

export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { routes, onError, connectionsMax = connectionsDefaultMax } = deps;
  const timing = { ...defaultTiming, ...deps.timing };
  const route = createRouter(routes);
  const server = createServer(serverOptions(timing), (request, response) => {
    // A route keeps the connection of a known client; every other connection ends with its answer.
    response.setHeader('connection', 'close');
    route(request, response).catch((error: unknown) => {
      // The client is gone.
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

/** @returns a function that calls the other one, and then does nothing for a while */
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
    // How late a time-out may be noticed.
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
