/** Runs beside every test file: looks on at each door of its process, and fails the file where a secret has gone out by one. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect } from 'vitest';
import { WebSocketServer } from 'ws';
import { leave, secret, takeLeaks } from './canaries.ts';

afterAll(() => expect(takeLeaks(), 'places that hold a key or a token').toEqual([]));

/** What is sent to whatever plays Slack or the service in a test, and what the bot answers to Slack. */
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
  // There a credential belongs, so whatever is there is one.
  secret(/^\w+ +(.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.headers['x-slack-signature'] !== undefined) leaveAnswer(response, pathname);
  else if (!pathname.startsWith('/page/')) leaveBody(request, pathname);
});

/** Slack's own signed requests hold what a person has typed; what comes back is the bot's. */
function leaveAnswer(response: ServerResponse, path: string): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
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
  leave(`the answer to Slack’s ${path}`, () => Buffer.concat(chunks));
}

function leaveBody(request: IncomingMessage, path: string): void {
  const chunks: Buffer[] = [];
  const { push } = request;
  request.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    return push.call(request, chunk, encoding);
  };
  const body = () => Buffer.concat(chunks);
  leave(path, /\/(auth\.test|oauth\.v2\.access|apps\.uninstall)$/.test(path) ? () => withoutGrants(body()) : body);
}

/** There an app shows who it is by fields, not by a header: the bot by its secret, the plain Bolt apps of some tests by `token`. */
function withoutGrants(body: Buffer): Buffer {
  const form = new URLSearchParams(body.toString());
  for (const name of ['client_secret', 'refresh_token', 'token']) {
    secret(form.get(name) ?? '');
    form.delete(name);
  }
  return Buffer.from(form.toString());
}

/** Acknowledgements of Socket Mode. */
const { handleUpgrade } = WebSocketServer.prototype;
WebSocketServer.prototype.handleUpgrade = function (request, socket, head, take) {
  handleUpgrade.call(this, request, socket, head, (connection, asked) => {
    connection.on('message', (data: unknown) => leave('an acknowledgement', String(data)));
    take(connection, asked);
  });
};

/** Databases of the bot as they are when they are closed, page by page: what was deleted is there, too. */
const { close } = DatabaseSync.prototype;
DatabaseSync.prototype.close = function (this: Serializable) {
  if (isStore(this)) leave('the database', this.serialize());
  return close.call(this);
};

/** https://nodejs.org/docs/latest-v24.x/api/sqlite.html: the types do not have it yet. */
type Serializable = DatabaseSync & { readonly serialize: () => Uint8Array };

function isStore(database: DatabaseSync): boolean {
  return database.prepare(`select 1 from sqlite_master where name = 'store_migration'`).get() !== undefined;
}
