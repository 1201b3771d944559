/** A real HTTP server with scripted faults, which records its requests. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type HostileRequest = {
  /** From 1. */
  readonly number: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Behaviour = (request: HostileRequest, response: ServerResponse) => unknown;

export type HostileHttp = AsyncDisposable & {
  readonly url: string;
  /** Every request so far, in order. */
  readonly requests: readonly HostileRequest[];
  /** The number of connections opened so far. */
  readonly connections: () => number;
  readonly behaveAs: (behaviour: Behaviour) => void;
};

export type Tls = { readonly key: Uint8Array<ArrayBuffer>; readonly cert: Uint8Array<ArrayBuffer> };

/** @param tls speaks HTTPS with it */
export async function startHostileHttp(first: Behaviour, tls?: Tls): Promise<HostileHttp> {
  let behaviour = first;
  const requests: HostileRequest[] = [];
  const listener = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const request = { number: requests.length + 1, headers: incoming.headers, body };
    requests.push(request);
    await behaviour(request, response);
  };
  const server = tls
    ? createTlsServer({ key: Buffer.from(tls.key), cert: Buffer.from(tls.cert) }, listener)
    : createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests,
    connections: () => connections,
    behaveAs: (next) => {
      behaviour = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @param body an object becomes JSON */
export function answer(status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): Behaviour {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (_request, response) => response.writeHead(status, headers).end(status === 204 ? undefined : text);
}

export function data(value: unknown): Behaviour {
  return answer(200, { data: value }, { 'content-type': 'application/json' });
}

/** One after the other; the last one stays. */
export function inTurn(...behaviours: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  let turn = 0;
  return (request, response) => {
    const behaviour = behaviours[Math.min(turn, behaviours.length - 1)] ?? behaviours[0];
    turn += 1;
    return behaviour(request, response);
  };
}

/** The connection is reset before a byte of the answer. */
export const reset: Behaviour = (_request, response) => response.socket?.resetAndDestroy();

/** Headers, half an answer, then a reset. */
export const resetMidBody: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":{"getOrganization":', () => response.socket?.resetAndDestroy());
};

/** Accepts the request and never answers. */
export const hang: Behaviour = () => undefined;

/** A byte every 20 ms, forever. */
export const drip: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** @param announced whether the answer has a Content-Length */
export function flood(megabytes: number, announced: boolean): Behaviour {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const length = announced ? { 'content-length': String(megabytes * chunk.length) } : {};
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...length });
    const chunks = Readable.from(Array.from({ length: megabytes }, () => chunk));
    // The client may disconnect before the end.
    await pipeline(chunks, response).catch(() => undefined);
  };
}

/** Passes every request on to another server, and its answer back. */
export function relayTo(url: string): Behaviour {
  return async ({ headers, body }, response) => {
    const { authorization = '', accept = '' } = headers;
    const real = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', authorization, accept },
    });
    const type = real.headers.get('content-type') ?? 'text/plain';
    response.writeHead(real.status, { 'content-type': type }).end(await real.text());
  };
}
