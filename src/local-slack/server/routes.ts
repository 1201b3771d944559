/** Routes each HTTP request to its handler. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { readFileRoute, serveUpload } from '../files/routes.ts';
import { serveAuthorize } from '../oauth/authorize.ts';
import { serveApi, serveResponseUrl } from './api-routes.ts';
import { type Answered, HttpRefusal, isOwnHost, send, textAnswer } from './http.ts';
import type { LocalSlack } from './local-slack.ts';
import { readPageRoute, servePageAction, streamEvents } from './page/routes.ts';

/** Refuses requests with a foreign Host header first. */
export async function route(request: IncomingMessage, response: ServerResponse, slack: LocalSlack): Promise<void> {
  const url = URL.parse(slack.baseUrl + (request.url ?? ''));
  try {
    if (!url || !isOwnHost(request.headers.host, slack.baseUrl)) throw new HttpRefusal(403, 'forbidden_host');
    if (request.method === 'GET' && url.pathname === '/page/events') streamEvents(response, url, slack);
    else send(response, await answer(request, url, slack));
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    // The rest of a body that is too long is not read.
    const { headers, ...refusal } = textAnswer(error.status, error.message);
    send(response, { ...refusal, headers: { ...headers, connection: 'close' } });
  }
}

async function answer(request: IncomingMessage, url: URL, slack: LocalSlack): Promise<Answered> {
  const { pathname } = url;
  if (pathname === '/oauth/v2/authorize') return serveAuthorize(request, url, slack);
  if (request.method === 'POST') {
    const [, folder = '', name = ''] = /^\/(api|commands|actions|app|upload\/v1|page)\/(.*)$/.exec(pathname) ?? [];
    if (folder === 'api') return serveApi(request, name, slack);
    if (folder === 'upload/v1') return serveUpload(request, name, slack);
    if (folder === 'page') return servePageAction(request, name, slack);
    if (folder !== '') return serveResponseUrl(request, pathname, slack);
  }
  if (request.method !== 'GET') return textAnswer(404, 'not_found');
  if (pathname === '/app_redirect') {
    // Slack's deep link to an app: https://docs.slack.dev/interactivity/deep-linking
    const team = new URLSearchParams({ team: url.searchParams.get('team') ?? '' });
    return { status: 302, headers: { location: `/#${team}` }, body: '' };
  }
  const stored = readPageRoute(url, slack) ?? readFileRoute(pathname, slack.workspaces);
  if (stored) return stored;
  // A permalink opens the page too.
  const file = await slack.pageFiles.read(pathname.startsWith('/archives/') ? '/' : pathname);
  if (!file) return textAnswer(404, 'not_found');
  const headers = { ...slack.pageFiles.headers, 'content-type': file.contentType, 'cache-control': file.cacheControl };
  return { status: 200, headers, body: file.body };
}

/** Opens a Socket Mode connection for a valid ticket. */
export function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, slack: LocalSlack): void {
  const url = URL.parse(slack.baseUrl + (request.url ?? ''));
  const fault = slack.faults.take('socket');
  if (fault || !isOwnHost(request.headers.host, slack.baseUrl) || url?.pathname !== '/link/') {
    socket.destroy();
    return;
  }
  slack.socketMode.upgrade(request, socket, head, url.searchParams.get('ticket') ?? '');
}
