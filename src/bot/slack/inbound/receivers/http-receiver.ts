/** Bolt's receiver for HTTP: checks requests, acknowledges every delivery, and serves the other routes of this address. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { keepConnection, readBytes, writeAnswer, writeRefusal } from '../../../../shared/http/exchange.ts';
import type { Route } from '../../../../shared/http/routes.ts';
import { createHttpServer, type HttpServer, type ServerSettings } from '../../../../shared/http/server.ts';
import { isRecord, type JsonRecord, parseJson } from '../../../../shared/json.ts';
import type { Runtime } from '../../../domain/runtime.ts';
import { payloadBytes } from '../../outbound/delivery/payload.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { Processing, type SlackReceiver } from './processing.ts';
import { type CheckSignature, createSignatureCheck } from './signature.ts';

export type HttpReceiverDeps = ServerSettings & {
  readonly runtime: Runtime;
  readonly signingSecret: string;
  /** Further routes by method and path, such as `GET /healthz`. */
  readonly routes?: Readonly<Record<string, Route>>;
};

export class HttpReceiver extends Processing implements SlackReceiver {
  readonly #requestUrl: RequestUrl;
  readonly #check: CheckSignature;
  readonly #server: HttpServer;

  constructor({ runtime, signingSecret, routes, ...settings }: HttpReceiverDeps) {
    super(runtime);
    const { log, clock } = runtime;
    this.#requestUrl = new RequestUrl(runtime);
    this.#check = createSignatureCheck(signingSecret, clock);
    this.#server = createHttpServer({
      ...settings,
      routes: { ...routes, 'POST /slack/events': (...exchange) => this.#receive(...exchange) },
      onError: (error) => log.error({ error: describe(error) }, 'http request could not be answered'),
      onConnectionLimit: () => log.warn({}, 'too many connections: those that waited longest were closed'),
    });
  }

  /** @throws AppError `unavailable` if the address is taken */
  start(): Promise<void> {
    return this.#server.start();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  isConnected(): boolean {
    return this.#server.isListening();
  }

  override notes(): readonly string[] {
    return [this.#requestUrl.note(), ...super.notes()];
  }

  origin(): string {
    return this.#server.origin();
  }

  /** Passes Slack's requests to Bolt. */
  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log } = this.runtime;
    const bytes = await readBytes(request);
    if (!bytes) {
      log.warn({ reason: 'size' }, 'http request refused');
      return writeRefusal(response, 413);
    }
    const ingress = readIngress(this.#check, request.headers, bytes);
    switch (ingress.kind) {
      case 'refused':
        log.warn({ reason: ingress.reason }, 'http request refused');
        return writeRefusal(response, ingress.status);
      case 'answered':
        if (ingress.payload) this.#requestUrl.onConfirmed();
        return writeAnswer(response, jsonBytesOf(ingress.payload));
      case 'received':
        this.#requestUrl.onSigned();
        this.receive({
          body: ingress.body,
          ack: (payload) => {
            if (this.isConnected()) keepConnection(response);
            writeAnswer(response, jsonBytesOf(payload));
          },
          context: { signature: ingress.signature },
        });
    }
  }
}

function jsonBytesOf(payload: object | undefined): Buffer | undefined {
  return payload === undefined ? undefined : payloadBytes(payload);
}

type Ingress =
  /** `reason` goes to the log only. */
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 415; readonly reason: string }
  /** A check of this address by Slack, which no listener sees. The signed one, of the request URL, has a payload. */
  | { readonly kind: 'answered'; readonly payload?: JsonRecord }
  | { readonly kind: 'received'; readonly body: JsonRecord; readonly signature: string };

/** Never throws. @param bytes the whole body */
function readIngress(check: CheckSignature, headers: IncomingHttpHeaders, bytes: Buffer): Ingress {
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

/**
 * Slack confirms a request URL only while the bot runs with its signing secret, and not again for a URL that it
 * confirmed before (https://github.com/slackapi/bolt-python/issues/923). Signed requests therefore count as well.
 * Requests with another signature do not, since anybody can send them.
 */
class RequestUrl {
  readonly #runtime: Runtime;
  #confirmedAt: number | undefined;
  #signedAt: number | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  onSigned(): void {
    if (this.#signedAt === undefined) this.#runtime.log.info({}, 'first signed request from slack');
    this.#signedAt ??= this.#runtime.clock();
  }

  onConfirmed(): void {
    this.onSigned();
    this.#confirmedAt = this.#runtime.clock();
    this.#runtime.log.info({}, 'slack confirmed the request URL');
  }

  /** @returns one line for an operator: what has arrived at this process since its start */
  note(): string {
    if (this.#confirmedAt !== undefined) return `slack: request URL confirmed at ${timeOf(this.#confirmedAt)}`;
    if (this.#signedAt !== undefined) return `slack: signed requests since ${timeOf(this.#signedAt)}`;
    return 'slack: no signed request yet; confirm the request URL on the app’s page “Event Subscriptions”, and check SLACK_SIGNING_SECRET if that fails';
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
