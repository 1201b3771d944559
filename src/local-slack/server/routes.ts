/** Routes each HTTP request to its handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { readFileRoute, serveUpload } from '../files/routes.ts';
import { authorizePath, serveAuthorize } from '../oauth/routes.ts';
import { type ApiDeps, serveApi, serveResponseUrl } from './api-routes.ts';
import { isOwnHost, send, textAnswer } from './http.ts';
import type { PageFiles } from './page/assets.ts';
import { type PageDeps, servePageRoute } from './page/routes.ts';
import type { SocketMode } from './socket.ts';

export type RouteDeps = ApiDeps &
  PageDeps & { readonly socketMode: SocketMode; readonly pageFiles: PageFiles; readonly port: () => number };

/** Refuses requests with a foreign Host header first. */
export async function route(request: IncomingMessage, response: ServerResponse, deps: RouteDeps): Promise<void> {
  const url = URL.parse(deps.baseUrl() + (request.url ?? ''));
  if (!url || !isOwnHost(request.headers.host, deps.port())) {
    send(response, textAnswer(403, 'forbidden_host'));
  } else if (request.method === 'POST' && url.pathname.startsWith('/api/')) {
    await serveApi(request, response, url.pathname, deps);
  } else if (request.method === 'POST' && /^\/(commands|actions|app)\//.test(url.pathname)) {
    await serveResponseUrl(request, response, url.pathname, deps);
  } else if (request.method === 'POST' && url.pathname.startsWith('/upload/v1/')) {
    await serveUpload(request, response, url.pathname, deps);
  } else if (request.method === 'GET' && url.pathname === '/app_redirect') {
    // Slack's deep link to an app: https://docs.slack.dev/interactivity/deep-linking
    const team = new URLSearchParams({ team: url.searchParams.get('team') ?? '' });
    send(response, { status: 302, headers: { location: `/#${team}` }, body: '' });
  } else if (url.pathname === authorizePath) {
    await serveAuthorize(request, response, url, deps);
  } else if (!(await servePageRoute(request, response, url, deps))) {
    await serveFile(request, response, url.pathname, deps);
  }
}

/** Serves shared files and the page; a permalink opens the page too. */
async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  deps: RouteDeps,
): Promise<void> {
  const shared = request.method === 'GET' ? readFileRoute(pathname, deps.workspaces) : undefined;
  if (shared) {
    send(response, shared);
    return;
  }
  const file =
    request.method === 'GET'
      ? await deps.pageFiles.read(pathname.startsWith('/archives/') ? '/' : pathname)
      : undefined;
  if (!file) {
    send(response, textAnswer(404, 'not_found'));
    return;
  }
  const headers = { ...deps.pageFiles.headers, 'content-type': file.contentType, 'cache-control': file.cacheControl };
  send(response, { status: 200, headers, body: file.body });
}

/** Opens a Socket Mode connection for a valid ticket. */
export function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, deps: RouteDeps): void {
  const url = URL.parse(deps.baseUrl() + (request.url ?? ''));
  const fault = deps.faults.take('socket');
  if (fault || !isOwnHost(request.headers.host, deps.port()) || url?.pathname !== '/link/') {
    socket.destroy();
    return;
  }
  deps.socketMode.upgrade(request, socket, head, url.searchParams.get('ticket') ?? '');
}
