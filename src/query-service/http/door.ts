/** The service's door. Every request passes in this order: size, key, how much its key may ask, body, and only then its document. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../shared/log/logger.ts';
import type { KeyLimits } from '../fairness/key-limits.ts';
import { internalRefusal } from '../graphql/refusal.ts';
import type { DocumentAnswer, DocumentRequest } from '../graphql/run.ts';
import type { Caller } from '../keys/keys.ts';
import { isJsonType, type MediaType, mediaTypeFor } from './accept.ts';
import { parseBody, readBody } from './body.ts';
import { bodyLengthMax, type HttpRefusal, httpRefusals, limited, type Said } from './reply.ts';

export type DoorDeps = {
  readonly authenticate: (authorization: readonly string[]) => Promise<Caller | null>;
  /** @param log takes faults of the service @param response closes early where the client does not wait */
  readonly answer: (
    request: DocumentRequest,
    caller: Caller,
    log: Logger,
    response: ServerResponse,
  ) => Promise<DocumentAnswer>;
  readonly limits: Pick<KeyLimits, 'begin' | 'turn' | 'end' | 'stopped' | 'chargeAnswer'>;
  /** While true, whatever is new is refused. */
  readonly isDraining: () => boolean;
  /** Whether what is asked now can be answered. */
  readonly isReady: () => Promise<boolean>;
};

/** A key that asks again at once gains nothing by it, and refusing it takes little of the process. */
const limitedAfterMs = 100;
/** How long the rest of a body is read that is refused already. */
const restTimeoutMs = 2_000;

/** @returns answers one request, or null where its client left before it was read */
export function createDoor(deps: DoorDeps) {
  return async (request: IncomingMessage, response: ServerResponse, log: Logger): Promise<Said | null> => {
    const mediaType = mediaTypeFor(request.headers.accept);
    try {
      const probe = probeOf(request);
      if (probe !== null) return await answerProbe(deps, probe);
      const caller = await identify(deps, request);
      if ('status' in caller) return refused(caller, mediaType, request);
      const limit = deps.limits.begin(caller.keyId);
      if (limit) {
        await wait(limitedAfterMs);
        return refused(limited(limit), mediaType, request);
      }
      try {
        const turn = deps.limits.turn(caller.keyId);
        if (turn !== undefined) await turn;
        const document = await readDocument(request);
        if ('status' in document) return refused(document, mediaType, request);
        return await answer(deps, { document, caller, mediaType, log, response });
      } finally {
        deps.limits.end(caller.keyId);
      }
    } catch (error) {
      if (request.destroyed && !request.complete) return null;
      return refused({ status: 500, errors: [internalRefusal(error, log)] }, mediaType);
    }
  };
}

/** @returns who asks, or why what is asked is not even read */
async function identify(deps: DoorDeps, request: IncomingMessage): Promise<Caller | HttpRefusal> {
  if (request.headers.host === undefined && request.httpVersion !== '1.0') return httpRefusals.noHost;
  if (!/^(100-continue)?$/i.test(request.headers.expect ?? '')) return httpRefusals.noExpectation;
  if (pathOf(request) !== '/graphql') return httpRefusals.noPath;
  if (request.method !== 'POST') return httpRefusals.noPost;
  if (deps.isDraining()) return httpRefusals.draining;
  if (Number(request.headers['content-length'] ?? 0) > bodyLengthMax) return httpRefusals.tooLong;
  return (await deps.authenticate(request.headersDistinct['authorization'] ?? [])) ?? httpRefusals.noKey;
}

async function readDocument(request: IncomingMessage): Promise<DocumentRequest | HttpRefusal> {
  const isPlain = (request.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (!isPlain || !isJsonType(request.headers['content-type'])) return httpRefusals.noJson;
  const text = await readBody(request);
  return typeof text === 'string' ? parseBody(text) : text;
}

type Asked = {
  readonly document: DocumentRequest;
  readonly caller: Caller;
  readonly mediaType: MediaType;
  readonly log: Logger;
  readonly response: ServerResponse;
};

async function answer(deps: DoorDeps, { document, caller, mediaType, log, response }: Asked): Promise<Said> {
  const { keyId, organizationId } = caller;
  const { outcome, operation } = await deps.answer(document, caller, log, response);
  const isLimited = outcome.errors?.some(({ extensions }) => extensions.code === 'RATE_LIMITED') ?? false;
  if (isLimited) return { ...refused(limited(deps.limits.stopped(keyId)), mediaType), operation, organizationId };
  const hasRun = 'data' in outcome || mediaType === 'application/json';
  const charge = (bytes: number) => deps.limits.chargeAnswer(keyId, bytes);
  return {
    status: hasRun ? 200 : 400,
    mediaType,
    body: outcome,
    operation,
    organizationId,
    charge,
  };
}

/** Whoever is refused before the end of their body sees why only if the rest is still read: a while, and no longer. */
function boundRest(request: IncomingMessage): void {
  const timer = setTimeout(() => void (request.complete || request.destroy()), restTimeoutMs);
  request.once('close', () => clearTimeout(timer));
}

/** @param request where it may not have been read to its end */
function refused({ status, errors, headers, limit }: HttpRefusal, mediaType: string, request?: IncomingMessage): Said {
  if (request) boundRest(request);
  return {
    ...{ status, mediaType, body: { errors }, operation: 'none' },
    ...(headers && { headers }),
    ...(limit && { limit }),
  };
}

type Probe = '/healthz' | '/readyz';

/** What a load balancer asks: without a key, and as often as it likes. */
function probeOf(request: IncomingMessage): Probe | null {
  const path = pathOf(request);
  const isAsked = request.method === 'GET' || request.method === 'HEAD';
  return isAsked && (path === '/healthz' || path === '/readyz') ? path : null;
}

async function answerProbe(deps: DoorDeps, probe: Probe): Promise<Said> {
  const mediaType = 'application/json';
  if (deps.isDraining()) return refused(httpRefusals.draining, mediaType);
  if (probe === '/readyz' && !(await deps.isReady())) return refused(httpRefusals.unready, mediaType);
  const body = { status: probe === '/healthz' ? 'ok' : 'ready' };
  return { status: 200, mediaType, body, operation: 'probe' };
}

/** Some proxies write the whole address on the request's first line. */
function pathOf(request: IncomingMessage): string | undefined {
  return request.url?.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0];
}
