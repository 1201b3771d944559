/** The service's door. Every request passes in this order: size, key, body, and only then its document. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../core/log.ts';
import { internalRefusal } from '../document/refusal.ts';
import type { DocumentRequest, Outcome } from '../document/run.ts';
import type { Caller } from '../keys/keys.ts';
import { isJsonType, mediaTypeFor } from './accept.ts';
import { parseBody, readBody } from './body.ts';
import { bodyLengthMax, type HttpRefusal, httpRefusals, writeJson } from './reply.ts';

export type DoorDeps = {
  readonly authenticate: (authorization: readonly string[]) => Promise<Caller | null>;
  readonly answer: (request: DocumentRequest, caller: Caller) => Promise<Outcome>;
  /** While true, whatever is new is refused. */
  readonly isDraining: () => boolean;
  readonly log: Logger;
};

/** How long the rest of a body is read that is refused already. */
const restTimeoutMs = 2_000;

/** @returns handles one request; never rejects */
export function createDoor(deps: DoorDeps) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const mediaType = mediaTypeFor(request.headers.accept);
    try {
      if (isHealthCheck(request)) return writeHealth(deps, response);
      const passed = await pass(deps, request);
      if ('status' in passed) {
        boundRest(request);
        return refuse(response, mediaType, passed);
      }
      const outcome = await deps.answer(passed.document, passed.caller);
      const hasRun = 'data' in outcome || mediaType === 'application/json';
      writeJson(response, hasRun ? 200 : 400, mediaType, outcome);
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      refuse(response, mediaType, { status: 500, errors: [internalRefusal(error, deps.log)] });
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

function refuse(response: ServerResponse, mediaType: string, { status, errors, headers }: HttpRefusal): void {
  writeJson(response, status, mediaType, { errors }, headers);
}

function isHealthCheck(request: IncomingMessage): boolean {
  return pathOf(request) === '/healthz' && (request.method === 'GET' || request.method === 'HEAD');
}

function writeHealth(deps: DoorDeps, response: ServerResponse): void {
  if (deps.isDraining()) refuse(response, 'application/json', httpRefusals.draining);
  else writeJson(response, 200, 'application/json', { status: 'ok' });
}

/** Some proxies write the whole address on the request's first line. */
function pathOf(request: IncomingMessage): string | undefined {
  return request.url?.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0];
}
