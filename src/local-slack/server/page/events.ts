/** The page's stream of server-sent events, filtered for one person. */
import type { ServerResponse } from 'node:http';
import { findActors } from '../../interactions/invoke.ts';
import type { PageEvent, PageMessage, PageView } from '../../page/protocol.ts';
import type { Emitter } from '../../state/emitter.ts';
import type { HistoryEvent, SlackMessage } from '../../state/history.ts';
import type { OfferedOptions } from '../../state/offered-options.ts';
import { type SlackView, viewState } from '../../state/view.ts';
import { canSee, findChannel, isVisible, type Workspace } from '../../state/workspace.ts';
import type { Delivery } from '../delivery.ts';
import { send, textAnswer } from '../http.ts';

type StreamDeps = {
  readonly workspaces: () => readonly Workspace[];
  readonly changes: Emitter<null>;
  readonly delivery: Delivery;
  readonly offeredOptions: OfferedOptions;
};

const heartbeatEveryMs = 15_000;
/** A page that stopped reading is disconnected; it reconnects by itself. */
const unreadBytesMax = 4_194_304;

/** @returns the message without the fields that people do not see */
export function messageForPage({
  channel,
  ts,
  threadTs,
  user,
  text,
  blocks,
  files,
  isEphemeral,
  isEdited,
  unfurls,
}: SlackMessage): PageMessage {
  return { channel, ts, threadTs, user, text, blocks, files, isEphemeral, isEdited, ...(unfurls && { unfurls }) };
}

/** @returns the view without the fields that only apps see */
function viewForPage(view: SlackView, offeredOptions: OfferedOptions): PageView {
  const { id, title, submit, close, blocks } = view;
  return { id, title, submit, close, blocks, state: viewState(view, offeredOptions) };
}

/** Streams visible messages, removals, views and the app's connection. */
export function streamEvents(response: ServerResponse, user: string, deps: StreamDeps): void {
  // In an organization, a person may be in several workspaces.
  const workspaces = findActors(deps.workspaces(), user).map(({ workspace }) => workspace);
  if (workspaces.length === 0) {
    send(response, textAnswer(404, 'user_not_found'));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  const write = (event: PageEvent) => {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (response.writableLength > unreadBytesMax) response.destroy();
  };
  const forPage = (view: SlackView) => viewForPage(view, deps.offeredOptions);
  const writeViews = {
    modal: () => write({ type: 'modals', views: workspaces.flatMap(({ views }) => views.stack(user)).map(forPage) }),
    home: () => {
      const home = workspaces.map(({ views }) => views.home(user)).find(Boolean);
      write({ type: 'home', view: home ? forPage(home) : null });
    },
  };
  const stops = [
    deps.delivery.connection.on((isConnected) => write({ type: 'connection', isConnected })),
    deps.changes.on(() => write({ type: 'state' })),
    ...workspaces.map((workspace) =>
      workspace.history.events.on((event) => {
        if (mayRead(event.message, user, workspace)) write(asPageEvent(event));
      }),
    ),
    ...workspaces.map(({ views }) =>
      views.events.on(({ view }) => {
        if (view.userId === user) writeViews[view.type]();
      }),
    ),
  ];
  write({ type: 'connection', isConnected: deps.delivery.isConnected() });
  writeViews.modal();
  writeViews.home();
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatEveryMs).unref();
  response.once('close', () => {
    clearInterval(heartbeat);
    for (const stop of stops) stop();
  });
}

function asPageEvent({ type, message }: HistoryEvent): PageEvent {
  if (type === 'removed') return { type, channel: message.channel, ts: message.ts };
  return { type: 'message', message: messageForPage(message) };
}

function mayRead(message: SlackMessage, user: string, workspace: Workspace): boolean {
  const channel = findChannel(workspace, message.channel);
  return channel !== undefined && canSee(workspace, channel, user) && isVisible(message, user);
}
