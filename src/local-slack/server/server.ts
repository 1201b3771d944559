/** The local Slack: one Slack on this machine for trying, testing and showing a bot without a Slack account. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen, originOf } from '../../shared/http/listen.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { readFileRoute, serveUpload } from '../files/routes.ts';
import { AppEvents, slackRetryDelaysMs } from '../interactions/app-events.ts';
import { serveAuthorize } from '../oauth/authorize.ts';
import { OAuth } from '../oauth/oauth.ts';
import type { PageCommand } from '../page/protocol.ts';
import { OfferedOptions } from '../state/offered-options.ts';
import { noStorage, openStorage } from '../state/storage.ts';
import { Triggers } from '../state/triggers.ts';
import { type AppIdentity, manifestScopes, Workspaces } from '../state/workspace.ts';
import { serveApi, serveResponseUrl } from './api-routes.ts';
import { Delivery } from './delivery.ts';
import { type Answered, HttpRefusal, isOwnHost, send, textAnswer } from './http.ts';
import type { LocalSlack } from './local-slack.ts';
import { PageFiles } from './page/assets.ts';
import { servePageAction, streamEvents } from './page/routes.ts';
import { ResponseUrls } from './response-url.ts';

/** Slack's limit for an acknowledgement. */
export const slackAckTimeoutMs = 3000;

export type LocalSlackOptions = {
  /** Loopback only: there is no authentication, so every client can act as any member. */
  readonly host: '127.0.0.1';
  /** 0 for any free port. */
  readonly port: number;
  /** For example `/workflow`. */
  readonly slashCommand: string;
  /** The manifest's `home_tab_enabled`; false by default. */
  readonly hasHome?: boolean;
  /** The manifest's `unfurl_domains`; none by default. */
  readonly unfurlDomains?: readonly string[];
  /** The app's commands, which an empty channel offers. */
  readonly commands: readonly PageCommand[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Timeout of an acknowledgement; Slack's three seconds by default. */
  readonly ackTimeoutMs?: number;
  /** Delays of the retries of an event that is not acknowledged; Slack's by default. */
  readonly eventRetryDelaysMs?: readonly number[];
  /** SQLite file that keeps messages, files, channels and workspaces over a restart; in memory only by default. */
  readonly storageFile?: string;
  /** See LocalSlack; nothing fails by default. */
  readonly intercept?: LocalSlack['intercept'];
};

export type RunningSlack = LocalSlack & {
  /** A sentence for people if the storage file could not be read and was moved away; null otherwise. */
  readonly storageProblem: string | null;
  /** Its HTTP server; a test also opens sockets there. */
  readonly server: Server;
  readonly close: () => Promise<void>;
};

/** Starts listening. @throws AppError `unavailable` if the port is taken */
export async function startLocalSlack(options: LocalSlackOptions): Promise<RunningSlack> {
  const server = createServer();
  await listen(server, options, 'The local Slack', 'Set PLAYGROUND_PORT to a free port.');
  const { storageFile, clock, log } = options;
  // The port is taken first: another local Slack may use the file.
  const storage = storageFile === undefined ? noStorage : openStorage(storageFile, log);
  const workspaces = new Workspaces(clock, storage);
  workspaces.first.installation.install(manifestScopes, false);
  const parts = createParts(options, server, workspaces);
  server.on('request', (request, response) => {
    route(request, response, parts).catch((error: unknown) => {
      log.error({ err: error }, 'The local Slack failed to answer');
      send(response, textAnswer(500, 'internal_error'));
    });
  });
  const close = async () => {
    parts.appEvents.close();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    storage.close();
  };
  return { ...parts, storageProblem: storage.problem, server, close };
}

function createParts(options: LocalSlackOptions, server: Server, workspaces: Workspaces): LocalSlack {
  const { clock, log, ackTimeoutMs = slackAckTimeoutMs, eventRetryDelaysMs = slackRetryDelaysMs } = options;
  const app = identify(options);
  const delivery = new Delivery({ clock, ackTimeoutMs, verificationToken: app.verificationToken });
  const appEvents = new AppEvents({ delivery, app, clock, log, retryDelaysMs: eventRetryDelaysMs });
  const baseUrl = originOf(server);
  return {
    commands: options.commands,
    windows: new Map(),
    pageFiles: new PageFiles(),
    workspaces,
    delivery,
    responseUrls: new ResponseUrls(clock, baseUrl),
    offeredOptions: new OfferedOptions(),
    triggers: new Triggers(clock),
    appEvents,
    oauth: new OAuth(clock),
    app,
    clock,
    log,
    baseUrl,
    apiUrl: `${baseUrl}/api/`,
    intercept: options.intercept ?? (() => undefined),
  };
}

function identify({ slashCommand, hasHome = false, unfurlDomains = [] }: LocalSlackOptions): AppIdentity {
  const verificationToken = randomBytes(12).toString('hex');
  return { id: 'A01WORKFLOW', name: 'Workflow Bot', slashCommand, hasHome, unfurlDomains, verificationToken };
}

/** Refuses requests with a foreign Host header first. */
async function route(request: IncomingMessage, response: ServerResponse, slack: LocalSlack): Promise<void> {
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
  const stored = readFileRoute(pathname, slack.workspaces);
  if (stored) return stored;
  // A permalink opens the page too.
  const file = await slack.pageFiles.read(pathname.startsWith('/archives/') ? '/' : pathname);
  return file ?? textAnswer(404, 'not_found');
}
