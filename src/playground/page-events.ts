/** The page's stream of server-sent events: what one person sees, as it happens. */
import type { ServerResponse } from 'node:http';
import type { HistoryEvent, SlackMessage } from './history.ts';
import { send, textAnswer } from './http.ts';
import type { PageEvent, PageMessage } from './page/protocol.ts';
import type { SocketMode } from './socket.ts';
import { canSee, findChannel, findPerson, isVisible, type Workspace } from './workspace.ts';

export type StreamDeps = { readonly workspace: Workspace; readonly socketMode: SocketMode };

const heartbeatEveryMs = 15_000;
/** A page that stopped reading is let go; it connects again by itself. */
const unreadBytesMax = 4_194_304;

/** A message with no more in it than a person's own eyes would see. */
export function forPage({
  channel,
  ts,
  threadTs,
  user,
  text,
  blocks,
  files,
  isEphemeral,
  isEdited,
}: SlackMessage): PageMessage {
  return { channel, ts, threadTs, user, text, blocks, files, isEphemeral, isEdited };
}

/** Messages this person may see, messages that go, and whether the app is connected. */
export function streamEvents(response: ServerResponse, user: string, deps: StreamDeps): void {
  if (!findPerson(deps.workspace, user)) {
    send(response, textAnswer(404, 'user_not_found'));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  const write = (event: PageEvent) => {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (response.writableLength > unreadBytesMax) response.destroy();
  };
  const stops = [
    deps.socketMode.connection.on((isConnected) => write({ type: 'connection', isConnected })),
    deps.workspace.history.events.on((event) => {
      if (mayRead(event.message, user, deps.workspace)) write(asPageEvent(event));
    }),
  ];
  write({ type: 'connection', isConnected: deps.socketMode.isConnected() });
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatEveryMs).unref();
  response.once('close', () => {
    clearInterval(heartbeat);
    for (const stop of stops) stop();
  });
}

function asPageEvent({ type, message }: HistoryEvent): PageEvent {
  if (type === 'removed') return { type, channel: message.channel, ts: message.ts };
  return { type: 'message', message: forPage(message) };
}

function mayRead(message: SlackMessage, user: string, workspace: Workspace): boolean {
  const channel = findChannel(workspace, message.channel);
  return channel !== undefined && canSee(channel, user) && isVisible(message, user);
}
