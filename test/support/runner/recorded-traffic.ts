/** Records the traffic of a process that serves Slack or the service: requests to it, and the bot's answers to Slack. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { recordPayload } from '../service/record-payloads.ts';

export type Witness = {
  readonly secret: (text: string) => void;
  /** @param where a description of the traffic @returns takes each piece */
  readonly leaveBit: (where: string) => (bit: Uint8Array | string) => void;
};

/** Records from now on, until the process ends. */
export function watchDoors(witness: Witness): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    // The header is for credentials, so its value is one.
    witness.secret(/^\w+ +(.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.headers['x-slack-signature'] !== undefined) watchAnswer(witness, response, pathname);
    else if (!pathname.startsWith('/page/')) watchBody(witness, request, pathname);
  });
  watchSockets(witness);
}

/** Slack's signed requests contain a person's input, so only the bot's answers are recorded. */
function watchAnswer({ leaveBit }: Witness, response: ServerResponse, path: string): void {
  const take = leaveBit(`the answer to Slack’s ${path}`);
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) take(chunk);
  };
  const { write, end } = response;
  response.write = (...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(write, response, given);
  };
  response.end = (...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(end, response, given);
  };
}

function watchBody(witness: Witness, request: IncomingMessage, path: string): void {
  const isForm = /\/(auth\.test|oauth\.v2\.access|apps\.uninstall)$/.test(path);
  const take = isForm ? takeForm(witness, path) : witness.leaveBit(path);
  const record = recordPayload(request, path);
  const { push } = request;
  request.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array || chunk === null) {
      take(chunk ?? '');
      record(chunk ?? '');
    }
    return push.call(request, chunk, encoding);
  };
}

/** @returns takes each chunk of the form, and an empty text at its end */
function takeForm(witness: Witness, path: string): (chunk: Uint8Array | string) => void {
  const chunks: Uint8Array[] = [];
  return (chunk) => {
    if (typeof chunk !== 'string') chunks.push(Buffer.from(chunk));
    else witness.leaveBit(path)(withoutGrants(witness, Buffer.concat(chunks)));
  };
}

/** In a form, an app authenticates by fields: the bot by its secret, the plain Bolt apps of some tests by `token`. */
function withoutGrants({ secret }: Witness, body: Buffer): Buffer {
  const form = new URLSearchParams(body.toString());
  for (const name of ['client_secret', 'refresh_token', 'token']) {
    secret(form.get(name) ?? '');
    form.delete(name);
  }
  return Buffer.from(form.toString());
}

/** Acknowledgements of Socket Mode. */
function watchSockets({ leaveBit }: Witness): void {
  const { handleUpgrade } = WebSocketServer.prototype;
  WebSocketServer.prototype.handleUpgrade = function (request, socket, head, take) {
    handleUpgrade.call(this, request, socket, head, (connection, asked) => {
      connection.on('message', (data: unknown) => leaveBit('an acknowledgement')(String(data)));
      take(connection, asked);
    });
  };
}
