/** Runs beside every test file: looks on at each door of its process, and fails the file where a secret has gone out by one. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect } from 'vitest';
import { WebSocketServer } from 'ws';
import { leave, leaveBit, secret, takeLeaks } from './canaries.ts';
import { fileIn } from './pile.ts';

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

function leaveBody(request: IncomingMessage, path: string): void {
  const take = /\/(auth\.test|oauth\.v2\.access|apps\.uninstall)$/.test(path) ? takeForm(path) : leaveBit(path);
  const { push } = request;
  request.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array || chunk === null) take(chunk ?? '');
    return push.call(request, chunk, encoding);
  };
}

/** Nothing comes at its end. */
function takeForm(path: string): (chunk: Uint8Array | string) => void {
  const chunks: Uint8Array[] = [];
  return (chunk) => {
    if (typeof chunk !== 'string') chunks.push(Buffer.from(chunk));
    else leave(path, withoutGrants(Buffer.concat(chunks)));
  };
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
const { close, prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.close = function (this: Serializable) {
  if (isStore(this)) leaveDatabase(this);
  return close.call(this);
};

/** Larger ones are not copied into memory. */
const databaseBytesMax = 64 * 1024 * 1024;

function leaveDatabase(database: Serializable): void {
  const file = database.location();
  const isSmall = file === null || statSync(file).size <= databaseBytesMax;
  if (isSmall) leave('the database', database.serialize());
  else for (const name of [file, `${file}-wal`]) if (existsSync(name)) leaveFile(name);
}

/** Copied by another process: if this one closed the file, it would lose its locks on it. */
function leaveFile(file: string): void {
  const copy = join(tmpdir(), `copy-${randomUUID()}`);
  execFileSync('cp', [file, copy]);
  const take = leaveBit('the database');
  for (const piece of fileIn(copy)) take(piece);
  rmSync(copy);
}

/** https://nodejs.org/docs/latest-v24.x/api/sqlite.html: the types do not have it yet. */
type Serializable = DatabaseSync & { readonly serialize: () => Uint8Array };

function isStore(database: DatabaseSync): boolean {
  // A test may look at what is prepared.
  return prepare.call(database, `select 1 from sqlite_master where name = 'store_migration'`).get() !== undefined;
}
