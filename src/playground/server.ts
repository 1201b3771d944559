/** The local Slack: a workspace on this machine, good enough to try, test and show a bot without a Slack account. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { AppError } from '../core/errors.ts';
import { workElement } from './actions.ts';
import { createAppEvents, slackRetryDelaysMs } from './app-events.ts';
import { runCommand } from './commands.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { nextMessage, nextView } from './driver.ts';
import { createFaults } from './faults.ts';
import { send, textAnswer } from './http.ts';
import type { AppIdentity } from './invoke.ts';
import type { LocalSlack, LocalSlackOptions } from './local-slack.ts';
import { createOffers } from './offers.ts';
import { createPageFiles } from './page-files.ts';
import { postTyped } from './post-typed.ts';
import { createResponseUrls } from './response-url.ts';
import { type RouteDeps, route, upgrade } from './routes.ts';
import { runShortcut } from './shortcuts.ts';
import { createSocketMode } from './socket.ts';
import { suggestOptions } from './suggestions.ts';
import { createTriggers } from './triggers.ts';
import { closeView } from './views/close.ts';
import { openHome } from './views/home.ts';
import { submitView } from './views/submit.ts';
import { createWorkspace, visibleMessages, type Workspace } from './workspace.ts';

/** Starts listening. @throws AppError `unavailable` where the port is taken */
export async function startLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  const server = createServer();
  const workspace = createWorkspace(1, options.clock);
  const workspaces = [workspace];
  const deps = createDeps(options, server, workspace, workspaces);
  server.on('request', (request, response) => {
    route(request, response, deps).catch((error: unknown) => {
      options.log.error({ err: error }, 'The local Slack failed to answer');
      send(response, textAnswer(500, 'internal_error'));
    });
  });
  server.on('upgrade', (request, socket, head) => upgrade(request, socket, head, deps));
  await listen(server, options);
  return drive(server, workspaces, deps);
}

async function listen(server: Server, { host, port }: LocalSlackOptions): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const problem = `The local Slack cannot listen on port ${port}: another program may be using it.`;
    throw new AppError('unavailable', problem, { hint: 'Set PLAYGROUND_PORT to a free port.', cause });
  }
}

function createDeps(
  options: LocalSlackOptions,
  server: Server,
  workspace: Workspace,
  workspaces: readonly Workspace[],
): RouteDeps {
  const { clock, log, host, ackTimeoutMs = 3000, eventRetryDelaysMs: retryDelaysMs = slackRetryDelaysMs } = options;
  const app = identify(options);
  const socketMode = createSocketMode({ appId: app.id, clock, log, ackTimeoutMs });
  const { verificationToken } = app;
  const delivery = createDelivery({ socketMode, clock, ackTimeoutMs, verificationToken });
  const address = () => `${host}:${portOf(server)}`;
  return {
    workspace,
    commands: options.commands,
    pageFiles: createPageFiles(),
    port: () => portOf(server),
    workspaces: () => workspaces,
    socketMode,
    delivery,
    responseUrls: createResponseUrls(clock),
    offers: createOffers(),
    triggers: createTriggers(clock),
    appEvents: createAppEvents({ delivery, app, clock, log, retryDelaysMs }),
    app,
    clock,
    log,
    baseUrl: () => `http://${address()}`,
    socketUrl: () => `ws://${address()}/link/?ticket=${socketMode.issueTicket()}&app_id=${app.id}`,
    appToken: `xapp-1-${app.id}-${randomBytes(16).toString('hex')}`,
    faults: createFaults(),
    requests: [],
  };
}

function identify({ slashCommand, hasHome = false }: LocalSlackOptions): AppIdentity {
  const verificationToken = randomBytes(12).toString('hex');
  return { id: 'A01WORKFLOW', name: 'Workflow Bot', slashCommand, hasHome, verificationToken };
}

function drive(server: Server, workspaces: Workspace[], deps: RouteDeps): LocalSlack {
  const { socketMode, workspace } = deps;
  return {
    url: deps.baseUrl(),
    apiUrl: `${deps.baseUrl()}/api/`,
    botToken: workspace.botToken,
    appToken: deps.appToken,
    workspace,
    addWorkspace: (scopes) => {
      const added = createWorkspace(workspaces.length + 1, deps.clock, scopes);
      workspaces.push(added);
      return added;
    },
    command: (typed) => runCommand(typed, deps),
    say: (typed) => postTyped(typed, deps),
    press: (worked) => workElement(worked, deps),
    suggest: (asked) => suggestOptions(asked, deps),
    shortcut: (picked) => runShortcut(picked, deps),
    submit: (submitted) => submitView(submitted, deps),
    closeView: (closed) => closeView(closed, deps),
    modals: (user) => workspaces.flatMap(({ views }) => views.stack(user)),
    openHome: (opened) => openHome(opened, deps),
    home: (user) => workspaces.map(({ views }) => views.home(user)).find(Boolean),
    useHttp: (app) => deps.delivery.register(app),
    tamper: deps.delivery.tamper,
    nextView: (filter = {}) => nextView(workspaces, filter),
    messages: ({ channel, viewer }) => workspaces.flatMap((each) => visibleMessages(each, channel, viewer)),
    nextMessage: (filter = {}) => nextMessage(workspaces, filter),
    fail: (target, fault, times = 1) => deps.faults.order(target, fault, times),
    disconnectSockets: socketMode.disconnect,
    connectionCount: socketMode.connectionCount,
    whenConnected: (isConnected = true) => whenConnected(deps.delivery, isConnected),
    requests: deps.requests,
    close: async () => {
      deps.appEvents.close();
      socketMode.close();
      deps.delivery.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function whenConnected(delivery: Delivery, isConnected: boolean): Promise<void> {
  if (delivery.isConnected() === isConnected) return;
  await new Promise<void>((resolve) => {
    const stop = delivery.connection.on((now) => {
      if (now !== isConnected) return;
      stop();
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
