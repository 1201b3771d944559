/** The service's door. Every request passes in this order: size, key, how much its key may ask, body, and only then its document. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../core/log.ts';
import { internalRefusal } from '../document/refusal.ts';
import type { DocumentAnswer, DocumentRequest } from '../document/run.ts';
import type { Caller } from '../keys/keys.ts';
import { isJsonType, mediaTypeFor } from './accept.ts';
import { parseBody, readBody } from './body.ts';
import type { createRateLimit } from './rate-limit.ts';
import { bodyLengthMax, type HttpRefusal, httpRefusals, rateLimited, type Said } from './reply.ts';

export type DoorDeps = {
  readonly authenticate: (authorization: readonly string[]) => Promise<Caller | null>;
  /** @param log takes faults of the service @param response closes early where the client does not wait */
  readonly answer: (
    request: DocumentRequest,
    caller: Caller,
    log: Logger,
    response: ServerResponse,
  ) => Promise<DocumentAnswer>;
  /** Undefined where keys may ask as much as they like. */
  readonly rateLimit: ReturnType<typeof createRateLimit> | undefined;
  /** While true, whatever is new is refused. */
  readonly isDraining: () => boolean;
  /** Whether what is asked now can be answered. */
  readonly isReady: () => Promise<boolean>;
};

/** How long the rest of a body is read that is refused already. */
const restTimeoutMs = 2_000;
/** Each whole so many that a document asks for count as one request more. */
const recordsPerRequest = 100;

/** @returns answers one request, or null where its client left before it was read */
export function createDoor(deps: DoorDeps) {
  return async (request: IncomingMessage, response: ServerResponse, log: Logger): Promise<Said | null> => {
    const mediaType = mediaTypeFor(request.headers.accept);
    try {
      const probe = probeOf(request);
      if (probe !== null) return await answerProbe(deps, probe);
      const passed = await pass(deps, request);
      if ('status' in passed) {
        boundRest(request);
        return refused(passed, mediaType);
      }
      const { keyId, organizationId } = passed.caller;
      const { outcome, operation, amount } = await deps.answer(passed.document, passed.caller, log, response);
      deps.rateLimit?.spend(keyId, Math.floor(amount / recordsPerRequest));
      const hasRun = 'data' in outcome || mediaType === 'application/json';
      return { status: hasRun ? 200 : 400, mediaType, body: outcome, operation, organizationId };
    } catch (error) {
      if (request.destroyed && !request.complete) return null;
      return refused({ status: 500, errors: [internalRefusal(error, log)] }, mediaType);
    }
  };
}

type Passed = { readonly document: DocumentRequest; readonly caller: Caller };

async function pass(deps: DoorDeps, request: IncomingMessage): Promise<Passed | HttpRefusal> {
  if (request.headers.host === undefined && request.httpVersion !== '1.0') return httpRefusals.noHost;
  if (!/^(100-continue)?$/i.test(request.headers.expect ?? '')) return httpRefusals.noExpectation;
  if (pathOf(request) !== '/graphql') return httpRefusals.noPath;
  if (request.method !== 'POST') return httpRefusals.noPost;
  if (deps.isDraining()) return httpRefusals.draining;
  if (Number(request.headers['content-length'] ?? 0) > bodyLengthMax) return httpRefusals.tooLong;
  const caller = await deps.authenticate(request.headersDistinct['authorization'] ?? []);
  if (caller === null) return httpRefusals.noKey;
  const seconds = deps.rateLimit?.take(caller.keyId) ?? 0;
  if (seconds > 0) return rateLimited(seconds);
  const isPlain = (request.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (!isPlain || !isJsonType(request.headers['content-type'])) return httpRefusals.noJson;
  const text = await readBody(request);
  if (typeof text !== 'string') return text;
  const document = parseBody(text);
  return 'status' in document ? document : { document, caller };
}

/** Whoever is refused before the end of their body sees why only if the rest is still read: a while, and no longer. */
function boundRest(request: IncomingMessage): void {
  const timer = setTimeout(() => void (request.complete || request.destroy()), restTimeoutMs);
  request.once('close', () => clearTimeout(timer));
}

function refused({ status, errors, headers }: HttpRefusal, mediaType: string): Said {
  return { status, mediaType, body: { errors }, ...(headers && { headers }), operation: 'none' };
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
