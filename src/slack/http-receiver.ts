/** Bolt's receiver for HTTP: guards the ingress, acknowledges everything, and serves what else this address has. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { describe } from './errors.ts';
import { readBytes, writeAnswer, writeRefusal } from './http-exchange.ts';
import { createRouter, type Route } from './http-routes.ts';
import { createIngressGuard } from './ingress-guard.ts';
import { createProcessing, type Processing } from './processing.ts';
import { readRecord, readText } from './read.ts';
import type { SlackReceiver } from './receiver.ts';
import type { SignatureDeps } from './signature.ts';

export type HttpReceiverDeps = SignatureDeps & {
  readonly log: Logger;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** What else is served: by method and path, such as `GET /healthz`. One that throws is answered for. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Tests shorten them. */
  readonly timing?: Partial<typeof defaultTiming>;
};

export type HttpReceiver = SlackReceiver & {
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
  /** Requests that are still coming in when the bot stops get this long. */
  farewellMs: 3_000,
};

/** Starts listening with `start`. @throws AppError `unavailable` there, where the address is taken */
export function createHttpReceiver(deps: HttpReceiverDeps): HttpReceiver {
  const processing = createProcessing(deps);
  const route = createRouter({ ...deps.routes, 'POST /slack/events': createIngress(deps, processing) });
  const timing = { ...defaultTiming, ...deps.timing };
  const server = createServer(serverOptions(timing), (request, response) => {
    if (!server.listening) response.setHeader('connection', 'close');
    route(request, response).catch((error: unknown) => {
      // Nobody is there any more.
      if (request.destroyed && !request.complete) return;
      deps.log.error({ error: describe(error) }, 'http request could not be answered');
      writeRefusal(response, 500);
    });
  });
  return {
    init: processing.init,
    start: () => listen(server, deps),
    stop: () => close(server, timing.farewellMs),
    isConnected: () => server.listening,
    settled: processing.settled,
    origin: () => originOf(server),
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

/** From a request of Slack's to Bolt. */
function createIngress(deps: HttpReceiverDeps, processing: Processing): Route {
  const guard = createIngressGuard(deps);
  return async (request, response) => {
    const bytes = await readBytes(request);
    if (!bytes) {
      deps.log.warn({ reason: 'size' }, 'http request refused');
      writeRefusal(response, 413);
      return;
    }
    const ingress = guard(request.headers, bytes);
    switch (ingress.kind) {
      case 'refused':
        deps.log.warn({ reason: ingress.reason }, 'http request refused');
        return writeRefusal(response, ingress.status);
      case 'answered':
        return writeAnswer(response, ingress.payload);
      case 'received':
        processing.receive({
          body: ingress.body,
          ack: (payload) => writeAnswer(response, payload),
          context: { signature: ingress.signature },
          ...retryOf(request),
        });
    }
  };
}

/** Slack says so when it delivers an event again. */
function retryOf({ headers }: IncomingMessage) {
  const reason = readText(headers, 'x-slack-retry-reason');
  const number = Number(headers['x-slack-retry-num']);
  return { retryReason: reason, retryNum: Number.isInteger(number) ? number : undefined };
}

async function listen(server: Server, { host, port }: HttpReceiverDeps): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const problem = `Nobody can listen on ${host} port ${port}: ${readText(readRecord(cause), 'code') ?? 'no reason given'}.`;
    throw new AppError('unavailable', problem, { cause, hint: 'Set HOST and PORT to an address that is free.' });
  }
}

/** Takes nothing new, and waits a moment for what is still being read or answered. */
async function close(server: Server, farewellMs: number): Promise<void> {
  if (!server.listening) return;
  const patience = setTimeout(() => server.closeAllConnections(), farewellMs);
  server.close();
  await once(server, 'close');
  clearTimeout(patience);
}

function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
