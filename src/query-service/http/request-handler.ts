/** Handles one HTTP request: runs the request pipeline, writes the reply, and logs and measures it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isRecord, type JsonRecord, parseJson } from '../../shared/json.ts';
import type { LogFields, Logger } from '../../shared/log/logger.ts';
import type { DocumentAnswer, DocumentRequest } from '../graphql/documents.ts';
import { internalRefusal, isUnavailable } from '../graphql/refusal.ts';
import type { Caller, Keys } from '../keys/keys.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { ServiceMeasure } from '../measurement.ts';
import { authorizationOf, isJsonType, type MediaType, mediaTypeFor, requestIdOf } from './headers.ts';
import { bodyLengthMax, type HttpRefusal, httpRefusals, limited, outcomeOf, type Reply, writeReply } from './reply.ts';

export type RequestHandlerDeps = {
  readonly pipeline: ReturnType<typeof createPipeline>;
  readonly measure: ServiceMeasure;
  readonly log: Logger;
};

/** @returns a handler of one request, which never rejects */
export function createRequestHandler({ pipeline, measure, log }: RequestHandlerDeps) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    try {
      const reply = await pipeline(request, response, new RequestLog(log, requestId, response));
      const isGone = reply === null || response.closed;
      if (!isGone) writeReply(response, reply, requestId);
      if (reply?.operation === 'probe') return;
      const operation = reply?.operation ?? 'none';
      const outcome = isGone ? 'gone' : outcomeOf(reply);
      // More digits than microseconds are noise in the log.
      const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
      measure({ kind: 'request', operation, outcome, durationMs });
      if (reply?.limit) measure({ kind: 'limited', reason: reply.limit });
      const status = isGone ? undefined : reply.status;
      const organizationId = reply?.organizationId;
      log.info({ requestId, organizationId, status, operation, outcome, durationMs }, 'request');
    } catch (error) {
      log.error({ requestId, err: error }, 'an answer could not be written');
      response.destroy();
    }
  };
}

/** Adds the id of the request. Logs errors at debug level once the client has disconnected: the abort causes them. */
class RequestLog implements Logger {
  readonly #log: Logger;
  readonly #requestId: string;
  readonly #response: ServerResponse;

  constructor(log: Logger, requestId: string, response: ServerResponse) {
    this.#log = log;
    this.#requestId = requestId;
    this.#response = response;
  }

  debug(fields: LogFields, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#write(this.#response.closed ? 'debug' : 'error', fields, message);
  }

  #write(level: keyof Logger, fields: LogFields, message: string): void {
    this.#log[level]({ requestId: this.#requestId, ...fields }, message);
  }
}

export type PipelineDeps = {
  readonly authenticate: Keys['authenticate'];
  /** @param log for faults of the service @param response closes early if the client disconnects */
  readonly runDocument: (
    request: DocumentRequest,
    caller: Caller,
    log: Logger,
    response: ServerResponse,
  ) => DocumentAnswer | Promise<DocumentAnswer>;
  readonly limits: Pick<KeyLimits, 'admit' | 'acquireEventLoop' | 'release' | 'abortReason' | 'chargeReply'>;
  /** @returns true if the database is usable */
  readonly isReady: () => Promise<boolean>;
};

/** Delays refusals of limited keys, so that an immediate retry gains nothing and costs little. */
const limitedAfterMs = 100;
/** Limits for reading the rest of a body after its request was refused: between two parts, and altogether. */
const [restIdleMs, restTotalMs] = [2_000, 30_000];

/**
 * Checks run from cheap to expensive: size, key, limits of the key, body, document.
 * @param isDraining while true, new requests are refused
 * @returns a function from a request to its reply, or to null if the client disconnected before the request was read
 */
export function createPipeline(deps: PipelineDeps, isDraining: () => boolean) {
  return async (request: IncomingMessage, response: ServerResponse, log: Logger): Promise<Reply | null> => {
    const mediaType = mediaTypeFor(request.headers.accept);
    try {
      const probe = probeOf(request);
      if (probe !== null) return await answerProbe(deps, isDraining, probe);
      const found = authenticateHead(deps, isDraining, request);
      const caller = found instanceof Promise ? await found : found;
      if ('status' in caller) return refused(caller, mediaType, request);
      const limit = deps.limits.admit(caller.keyId);
      if (limit) {
        await wait(limitedAfterMs);
        return refused(limited(limit), mediaType, request);
      }
      try {
        const due = deps.limits.acquireEventLoop(caller.keyId);
        if (due !== undefined) await due;
        const document = await readDocument(request);
        if ('status' in document) return refused(document, mediaType, request);
        const run = deps.runDocument(document, caller, log, response);
        return replyOf(deps, run instanceof Promise ? await run : run, caller, mediaType);
      } finally {
        deps.limits.release(caller.keyId);
      }
    } catch (error) {
      if (request.destroyed && !request.complete) return null;
      if (isUnavailable(error)) {
        log.error({ err: error }, 'the database did not answer a request');
        return refused(httpRefusals.unready, mediaType);
      }
      return refused({ status: 500, errors: [internalRefusal(error, log)] }, mediaType);
    }
  };
}

/** Checks the head of a request and its key. @returns the caller, or the refusal */
function authenticateHead(
  deps: PipelineDeps,
  isDraining: () => boolean,
  request: IncomingMessage,
): Caller | HttpRefusal | Promise<Caller | HttpRefusal> {
  if (request.headers.host === undefined && request.httpVersion !== '1.0') return httpRefusals.noHost;
  const { expect } = request.headers;
  if (expect && !/^100-continue$/i.test(expect)) return httpRefusals.noExpectation;
  if (pathOf(request) !== '/graphql') return httpRefusals.noPath;
  if (request.method !== 'POST') return httpRefusals.noPost;
  if (isDraining()) return httpRefusals.draining;
  if (Number(request.headers['content-length'] ?? 0) > bodyLengthMax) return httpRefusals.tooLong;
  const caller = deps.authenticate(authorizationOf(request));
  return caller instanceof Promise
    ? caller.then((found) => found ?? httpRefusals.noKey)
    : (caller ?? httpRefusals.noKey);
}

async function readDocument(request: IncomingMessage): Promise<DocumentRequest | HttpRefusal> {
  const encoding = request.headers['content-encoding'];
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity';
  if (!isPlain || !isJsonType(request.headers['content-type'])) return httpRefusals.noJson;
  const text = await readBody(request);
  return typeof text === 'string' ? parseBody(text) : text;
}

function replyOf(
  deps: PipelineDeps,
  { outcome, operation }: DocumentAnswer,
  { keyId, organizationId }: Caller,
  mediaType: MediaType,
): Reply {
  const { data, errors, isUnavailable: isAway } = outcome;
  if (isAway) return { ...refused(httpRefusals.unready, mediaType), operation, organizationId };
  const isLimited = errors?.some(({ extensions }) => extensions.code === 'RATE_LIMITED') ?? false;
  if (isLimited) return { ...refused(limited(deps.limits.abortReason(keyId)), mediaType), operation, organizationId };
  const status = data !== undefined || mediaType === 'application/json' ? 200 : 400;
  const ending = data === undefined ? '' : `,"data":${data}`;
  const body = errors === undefined ? `{"data":${data}}` : `{"errors":${JSON.stringify(errors)}${ending}}`;
  const charge = (bytes: number) => deps.limits.chargeReply(keyId, bytes);
  return { status, mediaType, body, errors, operation, organizationId, charge };
}

/** A client that still sends its body reads a refusal only if the rest is read: reads on for a limited time. */
function boundRest(request: IncomingMessage): void {
  const cut = () => void (request.complete || request.destroy());
  const idle = setTimeout(cut, restIdleMs);
  const total = setTimeout(cut, restTotalMs);
  request.on('data', () => idle.refresh());
  request.once('close', () => {
    clearTimeout(idle);
    clearTimeout(total);
  });
}

/** @param request set if its body may not have been read to the end */
function refused({ status, errors, headers, limit }: HttpRefusal, mediaType: string, request?: IncomingMessage): Reply {
  if (request) boundRest(request);
  return {
    ...{ status, mediaType, body: JSON.stringify({ errors }), errors, operation: 'none' },
    ...(headers && { headers }),
    ...(limit && { limit }),
  };
}

type Probe = '/healthz' | '/readyz';

/** Health checks of a load balancer need no key and have no limit. */
function probeOf(request: IncomingMessage): Probe | null {
  const path = pathOf(request);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && (path === '/healthz' || path === '/readyz') ? path : null;
}

async function answerProbe(deps: PipelineDeps, isDraining: () => boolean, probe: Probe): Promise<Reply> {
  const mediaType = 'application/json';
  if (isDraining()) return refused(httpRefusals.draining, mediaType);
  if (probe === '/readyz' && !(await deps.isReady())) return refused(httpRefusals.unready, mediaType);
  const body = JSON.stringify({ status: probe === '/healthz' ? 'ok' : 'ready' });
  return { status: 200, mediaType, body, operation: 'probe' };
}

/** Some proxies send the absolute URL in the request line. */
function pathOf(request: IncomingMessage): string | undefined {
  return request.url?.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Uses events: leaving an async loop would close the connection before the reply.
 * @returns the text of the body, or the refusal
 * @throws Error if the connection breaks before the end
 */
function readBody(request: IncomingMessage): Promise<string | HttpRefusal> {
  return new Promise((resolve, reject) => {
    // A client that disconnected during authentication sends no further event.
    if (request.destroyed) return reject(new Error('The sender left before the body was read.'));
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyLengthMax) {
        chunks.push(chunk);
        return;
      }
      // Drops a refused body; the request handler reads and discards the rest.
      chunks.length = 0;
      request.off('data', take);
      resolve(httpRefusals.tooLong);
    };
    request.on('data', take);
    request.on('end', () => resolve(textOf(chunks)));
    request.on('error', reject);
  });
}

function textOf(chunks: readonly Buffer[]): string | HttpRefusal {
  const [only, ...others] = chunks;
  try {
    return utf8.decode(only && others.length === 0 ? only : Buffer.concat(chunks));
  } catch {
    return httpRefusals.badJson;
  }
}

/** Parses a body. Null members count as missing. @returns the request, or the refusal */
function parseBody(text: string): DocumentRequest | HttpRefusal {
  const body = parseJson(text);
  if (body === undefined) return httpRefusals.badJson;
  if (!isRecord(body)) return httpRefusals.badShape;
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== 'string' || !isOptionalObject(variables) || !isOptionalObject(extensions)) {
    return httpRefusals.badShape;
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    return httpRefusals.badShape;
  }
  return { query, variables: variables ?? {}, operationName: operationName ?? null };
}

function isOptionalObject(value: unknown): value is JsonRecord | null | undefined {
  return value === undefined || value === null || isRecord(value);
}
