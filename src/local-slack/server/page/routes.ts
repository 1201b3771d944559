/** HTTP routes of the page: events and actions (see page/protocol.ts). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord, parseJson, readText } from '../../../shared/json.ts';
import { findActors } from '../../interactions/invoke.ts';
import { messageShortcuts } from '../../interactions/messages.ts';
import type { PageEvent, PageMessage, PageState, PageUser, PageView } from '../../page/protocol.ts';
import { type HistoryEvent, microsecondsOf, type SlackMessage } from '../../state/history.ts';
import type { OfferedOptions } from '../../state/offered-options.ts';
import type { Person } from '../../state/seed.ts';
import { type SlackView, viewState } from '../../state/view.ts';
import { canSee, findChannel, isExternal, isVisible, visibleMessages, type Workspace } from '../../state/workspace.ts';
import { type HttpAnswer, HttpRefusal, jsonAnswer, readBody, refuseOtherSites, textAnswer } from '../http.ts';
import type { LocalSlack } from '../local-slack.ts';
import { pageAction } from './actions.ts';

const bodyBytesMax = 65_536;

/** `POST /page/<name>`. Refuses other sites: their pages may send forms and plain text here, but not JSON, and not this origin. */
export async function servePageAction(request: IncomingMessage, name: string, slack: LocalSlack): Promise<HttpAnswer> {
  const action = pageAction(name);
  if (!action) return textAnswer(404, 'not_found');
  refuseOtherSites(request);
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  if (!isJson) throw new HttpRefusal(403, 'forbidden_origin');
  const fields = parseJson((await readBody(request, bodyBytesMax)).toString('utf8'));
  if (!isRecord(fields)) return textAnswer(400, 'invalid_json');
  // Opening the app's tab is no action.
  if (name !== 'home') slack.windows.set(readText(fields, 'user') ?? '', String(request.headers['x-window'] ?? ''));
  const result = await action(fields, slack);
  if (result['ok'] !== true) slack.log.info({ error: result['error'] }, 'The page was refused');
  return jsonAnswer(result);
}

/** @returns the requested workspace, otherwise the channel's: a permalink names no workspace */
function workspaceFor(team: string, channel: string, { workspaces }: LocalSlack): Workspace {
  return workspaces.find(team) ?? workspaces.all.find((each) => findChannel(each, channel)) ?? workspaces.first;
}

function pageState(workspace: Workspace, slack: LocalSlack): PageState {
  const { workspaces, app, delivery, commands, oauth } = slack;
  const facts = ({ teamId, name, installation, organization }: Workspace) => ({
    id: teamId,
    name,
    isOnGrid: organization !== null,
    isInstalled: installation.isInstalled(),
    isOffered: organization?.installation.isInstalled() === true && !organization.accessIds.has(teamId),
  });
  return {
    workspace: facts(workspace),
    workspaces: workspaces.all.map(facts),
    app: {
      name: app.name,
      botUserId: workspace.botUserId,
      slashCommand: app.slashCommand,
      isConnected: delivery.isConnected(),
      hasHome: app.hasHome,
      installUrl: oauth.settings.installUrl ?? null,
      shortcuts: workspace.installation.isInstalled() ? messageShortcuts : [],
    },
    users: workspace.everyone
      .filter(({ isDeleted }) => !isDeleted)
      .map((person) => pageUser(person, workspace, workspaces.all)),
    channels: workspace.channels,
    // Copied field by field, because a command object also contains its code.
    commands: commands.map(({ name, examples }) => ({ name, examples })),
  };
}

/** Adds the name of the workspace that a person comes from, if it is another one. */
function pageUser(person: Person, workspace: Workspace, workspaces: readonly Workspace[]): PageUser {
  const { isDeleted: _, isOwner: __, homeTeamId, company, ...user } = person;
  const isVisitor = homeTeamId !== workspace.teamId;
  const home = company ?? workspaces.find(({ teamId }) => teamId === homeTeamId)?.name ?? homeTeamId;
  const realName = isVisitor ? `${user.realName} (${home})` : user.realName;
  return { ...user, realName, isExternal: isExternal(workspace, person) };
}

const heartbeatEveryMs = 15_000;
/** More than all messages of a channel. A page that stopped reading is disconnected; it reconnects by itself. */
const unreadBytesMax = 64 * 1_048_576;

/** @returns the message without the fields that people do not see */
function messageForPage({ viewer: _, metadata: __, ...message }: SlackMessage): PageMessage {
  return message;
}

/** @returns the view without the fields that only apps see */
function viewForPage(view: SlackView, offeredOptions: OfferedOptions): PageView {
  const { id, title, submit, close, blocks } = view;
  return { id, title, submit, close, blocks, state: viewState(view, offeredOptions) };
}

/** `GET /page/events`: see page/protocol.ts. */
export function streamEvents(response: ServerResponse, { searchParams }: URL, slack: LocalSlack): void {
  const parameter = (name: string) => searchParams.get(name) ?? '';
  const [user, channel] = [parameter('user'), parameter('channel')];
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  const write = (event: PageEvent) => {
    const position = Math.max(...slack.workspaces.all.map(({ history }) => history.lastMicroseconds));
    response.write(`id: ${position}\ndata: ${JSON.stringify(event)}\n\n`);
    if (response.writableLength > unreadBytesMax) response.destroy();
  };
  const writeState = () =>
    write({ type: 'state', state: pageState(workspaceFor(parameter('team'), channel, slack), slack) });
  const stops = [slack.delivery.connection.on(writeState), slack.workspaces.changes.on(writeState)];
  writeState();
  // In an organization, a person may be in several workspaces.
  const workspaces = findActors(slack.workspaces.all, user).map(({ workspace }) => workspace);
  if (workspaces.length > 0) {
    const messages = workspaces.flatMap((workspace) => visibleMessages(workspace, channel, user));
    write({ type: 'messages', channel, messages: messages.map(messageForPage) });
    const since = Number(response.req.headers['last-event-id'] || parameter('since') || Infinity);
    const known = workspaces.flatMap((each) => each.channels.flatMap(({ id }) => visibleMessages(each, id, user)));
    const missed = known.filter((message) => microsecondsOf(message) > since);
    for (const message of missed) write({ type: 'message', message: messageForPage(message) });
    stops.push(...streamViews(workspaces, user, write, slack));
    for (const workspace of workspaces) {
      const stop = workspace.history.events.on((event) => {
        if (mayRead(event.message, user, workspace)) write(asPageEvent(event));
      });
      stops.push(stop);
    }
  }
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatEveryMs).unref();
  response.once('close', () => {
    clearInterval(heartbeat);
    for (const stop of stops) stop();
  });
}

/** Writes the person's views, now and after each change. @returns the functions that stop it */
function streamViews(
  workspaces: readonly Workspace[],
  user: string,
  write: (event: PageEvent) => void,
  { offeredOptions, windows }: LocalSlack,
): readonly (() => void)[] {
  const forPage = (view: SlackView) => viewForPage(view, offeredOptions);
  const writeViews = {
    modal: () => {
      const stack = workspaces.flatMap(({ views }) => views.stack(user));
      write({ type: 'modals', views: stack.map(forPage), lastActedIn: windows.get(user) ?? '' });
    },
    home: () => {
      const home = workspaces.map(({ views }) => views.home(user)).find(Boolean);
      write({ type: 'home', view: home ? forPage(home) : null });
    },
  };
  writeViews.modal();
  writeViews.home();
  return workspaces.map(({ views }) =>
    views.events.on(({ view }) => {
      if (view.userId === user) writeViews[view.type]();
    }),
  );
}

function asPageEvent({ type, message }: HistoryEvent): PageEvent {
  if (type === 'removed') return { type, channel: message.channel, ts: message.ts };
  return { type: 'message', message: messageForPage(message) };
}

function mayRead(message: SlackMessage, user: string, workspace: Workspace): boolean {
  const channel = findChannel(workspace, message.channel);
  return channel !== undefined && canSee(workspace, channel, user) && isVisible(message, user);
}
