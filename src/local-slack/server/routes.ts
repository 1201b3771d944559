/** Routes each HTTP request to its handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { readFileRoute, serveUpload } from '../files/routes.ts';
import { serveAuthorize } from '../oauth/routes.ts';
import { type ApiDeps, serveApi, serveResponseUrl } from './api-routes.ts';
import { type Answered, HttpRefusal, isOwnHost, send, textAnswer } from './http.ts';
import type { PageFiles } from './page/assets.ts';
import { type PageDeps, readPageRoute, servePageAction, streamEvents } from './page/routes.ts';
import type { SocketMode } from './socket.ts';

export type RouteDeps = ApiDeps & PageDeps & { readonly socketMode: SocketMode; readonly pageFiles: PageFiles };

/** Refuses requests with a foreign Host header first. */
export async function route(request: IncomingMessage, response: ServerResponse, deps: RouteDeps): Promise<void> {
  const url = URL.parse(deps.baseUrl + (request.url ?? ''));
  try {
    if (!url || !isOwnHost(request.headers.host, deps.baseUrl)) throw new HttpRefusal(403, 'forbidden_host');
    if (request.method === 'GET' && url.pathname === '/page/events') streamEvents(response, url, deps);
    else send(response, await answer(request, url, deps));
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    // The rest of a body that is too long is not read.
    const { headers, ...refusal } = textAnswer(error.status, error.message);
    send(response, { ...refusal, headers: { ...headers, connection: 'close' } });
  }
}

async function answer(request: IncomingMessage, url: URL, deps: RouteDeps): Promise<Answered> {
  const { pathname } = url;
  if (pathname === '/oauth/v2/authorize') return serveAuthorize(request, url, deps);
  if (request.method === 'POST') {
    const [, folder = '', name = ''] = /^\/(api|commands|actions|app|upload\/v1|page)\/(.*)$/.exec(pathname) ?? [];
    if (folder === 'api') return serveApi(request, name, deps);
    if (folder === 'upload/v1') return serveUpload(request, name, deps);
    if (folder === 'page') return servePageAction(request, name, deps);
    if (folder !== '') return serveResponseUrl(request, pathname, deps);
  }
  if (request.method !== 'GET') return textAnswer(404, 'not_found');
  if (pathname === '/app_redirect') {
    // Slack's deep link to an app: https://docs.slack.dev/interactivity/deep-linking
    const team = new URLSearchParams({ team: url.searchParams.get('team') ?? '' });
    return { status: 302, headers: { location: `/#${team}` }, body: '' };
  }
  const stored = readPageRoute(url, deps) ?? readFileRoute(pathname, deps.workspaces);
  if (stored) return stored;
  // A permalink opens the page too.
  const file = await deps.pageFiles.read(pathname.startsWith('/archives/') ? '/' : pathname);
  if (!file) return textAnswer(404, 'not_found');
  const headers = { ...deps.pageFiles.headers, 'content-type': file.contentType, 'cache-control': file.cacheControl };
  return { status: 200, headers, body: file.body };
}

/** Opens a Socket Mode connection for a valid ticket. */
export function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, deps: RouteDeps): void {
  const url = URL.parse(deps.baseUrl + (request.url ?? ''));
  const fault = deps.faults.take('socket');
  if (fault || !isOwnHost(request.headers.host, deps.baseUrl) || url?.pathname !== '/link/') {
    socket.destroy();
    return;
  }
  deps.socketMode.upgrade(request, socket, head, url.searchParams.get('ticket') ?? '');
}
