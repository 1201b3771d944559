/** A minimal Slack over real HTTP, written from Slack's documentation and its SDK's types alone. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord, type JsonRecord, parseJson } from '../../../src/shared/json.ts';
import { conform, decode } from './contract/conform.ts';
import { argumentsOf } from './contract/sdk-types.ts';
import { createSocketMode } from './delivery.ts';
import { createFiles } from './files.ts';
import { call, type Method, methods } from './methods.ts';
import { refuseProblems, SlackError } from './refusals.ts';
import { createResponseUrls } from './response-urls.ts';
import { app, createWorkspace } from './workspace.ts';

export type DocumentedSlack = Awaited<ReturnType<typeof startDocumentedSlack>>;

type Answer = {
  readonly status: number;
  readonly body: JsonRecord;
  readonly headers?: Readonly<Record<string, string>>;
};

/** @param scopes of the installation @param more methods beside those of a bot, such as that of OAuth */
export async function startDocumentedSlack(scopes: readonly string[], more: Readonly<Record<string, Method>> = {}) {
  const workspace = createWorkspace(scopes);
  const responseUrls = createResponseUrls(workspace);
  const socketMode = createSocketMode();
  const limited = new Map<string, number>();
  let origin = '';
  const files = createFiles(() => origin);
  const open: Method = { scope: null, run: () => ({ url: socketMode.open(new URL(origin).host) }) };
  const all: Readonly<Record<string, Method>> = {
    ...methods,
    ...files.methods,
    ...more,
    'apps.connections.open': open,
  };

  const callMethod = (name: string, request: IncomingMessage, body: string): Answer => {
    const retryAfter = limited.get(name);
    if (retryAfter !== undefined) {
      limited.delete(name);
      // https://docs.slack.dev/apis/web-api/rate-limits
      return { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': String(retryAfter) } };
    }
    const method = all[name];
    const type = argumentsOf(name);
    if (!method || !type) throw new SlackError('unknown_method');
    // https://docs.slack.dev/reference/methods/api.test: it needs no token, nor does OAuth.
    if (!(name in more) && name !== 'api.test') checkToken(request, name === 'apps.connections.open');
    const args = argumentsIn(request, body, type);
    refuseProblems('invalid_arguments', conform(type, args, ''));
    return {
      status: 200,
      body: { ok: true, ...call(method, args, workspace) },
      headers: { 'x-oauth-scopes': scopes.join() },
    };
  };

  const route = async (request: IncomingMessage): Promise<Answer | string> => {
    const { pathname } = new URL(request.url ?? '', 'http://slack');
    const bytes = await bytesOf(request);
    const [, first = '', second = '', third = ''] = pathname.split('/');
    if (first === 'api') return callMethod(second, request, bytes.toString());
    if (first === 'upload' && second === 'v1') {
      const status = files.receive(third, bytes.length);
      return { status, body: { ok: status === 200 } };
    }
    if (!responseUrls.has(pathname)) return { status: 404, body: { ok: false, error: 'no_such_address' } };
    responseUrls.respond(pathname, parseJson(bytes.toString()));
    return 'ok';
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const isApi = request.url?.startsWith('/api/') ?? false;
    const what = isApi ? (request.url?.slice('/api/'.length) ?? '') : 'response_url';
    const answered = await route(request).catch((thrown: unknown) => {
      if (!(thrown instanceof SlackError)) throw thrown;
      const { error, fields } = thrown;
      workspace.refuse({ call: what, error, detail: fields });
      // https://docs.slack.dev/apis/web-api: a refused call has the status 200, a refused address has not.
      return { status: isApi ? 200 : 404, body: { ok: false, error, ...fields } };
    });
    if (typeof answered === 'string') return response.writeHead(200).end(answered);
    response.writeHead(answered.status, {
      'content-type': 'application/json; charset=utf-8',
      ...('headers' in answered && answered.headers),
    });
    return response.end(JSON.stringify(answered.body));
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      workspace.refuse({ call: request.url ?? '', error: String(error), detail: {} });
      response.destroy();
    });
  });
  server.on('upgrade', socketMode.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    apiUrl: `${origin}/api/`,
    workspace,
    responseUrls,
    socketMode,
    /** The next call of the method is answered with a 429. */
    limitOnce: (method: string, retryAfterS: number) => void limited.set(method, retryAfterS),
    close: async () => {
      socketMode.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

const botTokens: readonly string[] = [app.token, app.expiringToken];

function checkToken(request: IncomingMessage, isOfApp: boolean): void {
  const given = request.headers.authorization?.replace(/^Bearer /, '');
  if (given === undefined) throw new SlackError('not_authed');
  const appTokens: readonly string[] = [app.appToken];
  const [accepted, others] = isOfApp ? [appTokens, botTokens] : [botTokens, appTokens];
  if (accepted.includes(given)) return;
  throw new SlackError(others.includes(given) ? 'not_allowed_token_type' : 'invalid_auth');
}

/** https://docs.slack.dev/apis/web-api#basics: a form or JSON, with the token in a header. */
function argumentsIn(request: IncomingMessage, body: string, type: Parameters<typeof decode>[0]): JsonRecord {
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('application/json')) {
    const args = parseJson(body);
    if (!isRecord(args)) throw new SlackError('invalid_json');
    return args;
  }
  if (request.method !== 'POST') throw new SlackError('invalid_post_type');
  return decode(type, Object.fromEntries(new URLSearchParams(body)));
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
