/** Bolt's receiver for HTTP: guards the ingress, acknowledges everything, and serves what else this address has. */
import type { IncomingMessage } from 'node:http';
import { keepConnection, readBytes, writeAnswer, writeRefusal } from '../../../../shared/http/exchange.ts';
import type { Route } from '../../../../shared/http/routes.ts';
import { createHttpServer, type HttpServerDeps } from '../../../../shared/http/server.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import { readText } from '../../json-record.ts';
import { payloadBytes } from '../../outbound/delivery/payload.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { createIngressGuard } from './ingress-guard.ts';
import { createProcessing, type Processing, type SlackReceiver } from './processing.ts';
import type { SignatureDeps } from './signature.ts';

export type HttpReceiverDeps = SignatureDeps & {
  readonly log: Logger;
  /** What else is served: by method and path, such as `GET /healthz`. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Routes that report whether the server listens. */
  readonly operationsRoutes?: (isListening: () => boolean) => Readonly<Record<string, Route>>;
} & Pick<HttpServerDeps, 'connectionsMax' | 'host' | 'port' | 'timing'>;

export type HttpReceiver = SlackReceiver & {
  /** Without a path; while it listens. */
  readonly origin: () => string;
};

/** Starts listening with `start`. @throws AppError `unavailable` there, where the address is taken */
export function createHttpReceiver(deps: HttpReceiverDeps): HttpReceiver {
  const processing = createProcessing(deps);
  const isListening = () => server.isListening();
  const ingress = createIngress(deps, processing, isListening);
  const server = createHttpServer({
    ...deps,
    routes: { ...deps.operationsRoutes?.(isListening), ...deps.routes, 'POST /slack/events': ingress },
    onError: (error) => deps.log.error({ error: describe(error) }, 'http request could not be answered'),
    onConnectionLimit: () => deps.log.warn({}, 'too many connections: those that waited longest were closed'),
  });
  return {
    init: processing.init,
    start: server.start,
    stop: server.stop,
    isConnected: server.isListening,
    drain: processing.drain,
    origin: server.origin,
  };
}

/** From a request of Slack's to Bolt. */
function createIngress(deps: HttpReceiverDeps, processing: Processing, isOpen: () => boolean): Route {
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
        return writeAnswer(response, spelled(ingress.payload));
      case 'received':
        processing.receive({
          body: ingress.body,
          ack: (payload) => {
            if (isOpen()) keepConnection(response);
            writeAnswer(response, spelled(payload));
          },
          context: { signature: ingress.signature },
          ...retryOf(request),
        });
    }
  };
}

function spelled(payload: object | undefined): Buffer | undefined {
  return payload === undefined ? undefined : payloadBytes(payload);
}

/** Slack says so when it delivers an event again. */
function retryOf({ headers }: IncomingMessage) {
  const reason = readText(headers, 'x-slack-retry-reason');
  const number = Number(headers['x-slack-retry-num']);
  return { retryReason: reason, retryNum: Number.isInteger(number) ? number : undefined };
}
