/** Bolt's receiver for HTTP: checks requests, acknowledges every delivery, and serves the other routes of this address. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { keepConnection, readBytes, writeAnswer, writeRefusal } from '../../../../shared/http/exchange.ts';
import type { Route } from '../../../../shared/http/routes.ts';
import { createHttpServer, type HttpServerDeps } from '../../../../shared/http/server.ts';
import { isRecord, type JsonRecord, parseJson, readText } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { payloadBytes } from '../../outbound/delivery/payload.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { createProcessing, type Processing, type SlackReceiver } from './processing.ts';
import { createSignatureCheck, type SignatureDeps } from './signature.ts';

export type HttpReceiverDeps = SignatureDeps & {
  readonly log: Logger;
  /** Further routes by method and path, such as `GET /healthz`. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Routes that report whether the server listens, and which requests of Slack have arrived or never arrived. */
  readonly operationsRoutes?: (
    isListening: () => boolean,
    notes: () => readonly string[],
  ) => Readonly<Record<string, Route>>;
} & Pick<HttpServerDeps, 'connectionsMax' | 'host' | 'port' | 'timing'>;

export type HttpReceiver = SlackReceiver & Required<Pick<SlackReceiver, 'origin'>>;

/** Starts listening with `start`, which throws AppError `unavailable` if the address is taken. */
export function createHttpReceiver(deps: HttpReceiverDeps): HttpReceiver {
  const processing = createProcessing(deps);
  const requestUrl = createRequestUrl(deps);
  const isListening = () => server.isListening();
  const notes = () => [requestUrl.note(), ...processing.notes()];
  const ingress = createIngress(deps, { processing, requestUrl, isListening });
  const server = createHttpServer({
    ...deps,
    routes: { ...deps.operationsRoutes?.(isListening, notes), ...deps.routes, 'POST /slack/events': ingress },
    onError: (error) => deps.log.error({ error: describe(error) }, 'http request could not be answered'),
    onConnectionLimit: () => deps.log.warn({}, 'too many connections: those that waited longest were closed'),
  });
  return {
    init: processing.init,
    start: server.start,
    stop: server.stop,
    isConnected: server.isListening,
    drain: processing.drain,
    notes,
    origin: server.origin,
  };
}

type IngressParts = {
  readonly processing: Processing;
  readonly requestUrl: RequestUrl;
  readonly isListening: () => boolean;
};

/** Creates the route that passes Slack's requests to Bolt. */
function createIngress(deps: HttpReceiverDeps, { processing, requestUrl, isListening }: IngressParts): Route {
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
        if (ingress.payload) requestUrl.onConfirmed();
        return writeAnswer(response, jsonBytesOf(ingress.payload));
      case 'received':
        requestUrl.onSigned();
        processing.receive({
          body: ingress.body,
          ack: (payload) => {
            if (isListening()) keepConnection(response);
            writeAnswer(response, jsonBytesOf(payload));
          },
          context: { signature: ingress.signature },
          ...retryOf(request),
        });
    }
  };
}

function jsonBytesOf(payload: object | undefined): Buffer | undefined {
  return payload === undefined ? undefined : payloadBytes(payload);
}

/** Reads the headers that Slack adds when it repeats an event. */
function retryOf({ headers }: IncomingMessage) {
  const reason = readText(headers, 'x-slack-retry-reason');
  const number = Number(headers['x-slack-retry-num']);
  return { retryReason: reason, retryNum: Number.isInteger(number) ? number : undefined };
}

type Ingress =
  /** `reason` goes to the log only. */
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 415; readonly reason: string }
  /** A check of this address by Slack, which no listener sees. The signed one, of the request URL, has a payload. */
  | { readonly kind: 'answered'; readonly payload?: JsonRecord }
  | { readonly kind: 'received'; readonly body: JsonRecord; readonly signature: string };

/** Never throws. @param bytes the whole body */
type IngressGuard = (headers: IncomingHttpHeaders, bytes: Buffer) => Ingress;

function createIngressGuard(deps: SignatureDeps): IngressGuard {
  const check = createSignatureCheck(deps);
  return (headers, bytes) => {
    const type = contentType(headers);
    if (!type) return { kind: 'refused', status: 415, reason: 'content type' };
    const text = bytes.toString();
    // Slack documents this check as unsigned, so nothing else in the body is read.
    if (type === 'form' && isSslCheck(text)) return { kind: 'answered' };
    const signature = headers['x-slack-signature'];
    const fault = check(signature, headers['x-slack-request-timestamp'], bytes);
    if (fault) return { kind: 'refused', status: 401, reason: fault };
    const body = read(type, text);
    if (!body) return { kind: 'refused', status: 400, reason: 'no object' };
    const { type: kind, challenge } = body;
    if (kind === 'url_verification') return { kind: 'answered', payload: { challenge } };
    return { kind: 'received', body, signature: String(signature) };
  };
}

type BodyType = 'form' | 'json';

const bodyTypes: ReadonlyMap<string, BodyType> = new Map([
  ['application/x-www-form-urlencoded', 'form'],
  ['application/json', 'json'],
]);

/** Ignores parameters such as a charset, since Slack always sends UTF-8. */
function contentType(headers: IncomingHttpHeaders): BodyType | undefined {
  const [name = ''] = (headers['content-type'] ?? '').split(';', 1);
  return bodyTypes.get(name.trim().toLowerCase());
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands: Slack checks whether this address speaks TLS. */
function isSslCheck(text: string): boolean {
  return text.includes('ssl_check=1') && parseForm(text)['ssl_check'] === '1';
}

/** Reads JSON, or a form. Interactions come as JSON in the only field of a form. */
function read(type: BodyType, text: string): JsonRecord | undefined {
  if (type === 'json') return parseObject(text);
  const form = parseForm(text);
  const { payload } = form;
  if (payload === undefined) return form;
  return typeof payload === 'string' ? parseObject(payload) : undefined;
}

function parseObject(text: string): JsonRecord | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

type RequestUrl = {
  readonly onConfirmed: () => void;
  readonly onSigned: () => void;
  /** @returns one line for an operator: what has arrived at this process since its start */
  readonly note: () => string;
};

/**
 * Slack confirms a request URL only while the bot runs with its signing secret, and not again for a URL that it
 * confirmed before (https://github.com/slackapi/bolt-python/issues/923). Signed requests therefore count as well.
 * Requests with another signature do not, since anybody can send them.
 */
function createRequestUrl({ clock, log }: { readonly clock: Clock; readonly log: Logger }): RequestUrl {
  let [confirmedAt, signedAt]: [number?, number?] = [];
  const onSigned = () => {
    if (signedAt === undefined) log.info({}, 'first signed request from slack');
    signedAt ??= clock();
  };
  return {
    onSigned,
    onConfirmed: () => {
      onSigned();
      confirmedAt = clock();
      log.info({}, 'slack confirmed the request URL');
    },
    note: () => {
      if (confirmedAt !== undefined) return `slack: request URL confirmed at ${timeOf(confirmedAt)}`;
      if (signedAt !== undefined) return `slack: signed requests since ${timeOf(signedAt)}`;
      return 'slack: no signed request yet; confirm the request URL on the app’s page “Event Subscriptions”, and check SLACK_SIGNING_SECRET if that fails';
    },
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
