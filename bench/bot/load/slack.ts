/** The least of Slack that a bot needs: it answers the start-up calls, and sends slash commands over one socket. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { appId, commandFields, workspace } from './command.ts';
import type { OnAnswered, Sender } from './sender.ts';

export type LoadSlack = Sender & { readonly apiUrl: string };

/** An acknowledgement without an answer is shorter. */
const emptyBytesMax = 100;
/** Both bots write the id first. */
const idPattern = /"envelope_id":"([^"]+)"/;

/** Its sender works once the bot has opened its socket. */
export async function startLoadSlack(): Promise<LoadSlack> {
  const waiting = new Map<string, OnAnswered>();
  let socket: WebSocket | undefined;
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  sockets.on('connection', (opened) => {
    socket = opened;
    opened.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: appId } }));
    opened.on('message', (data: Buffer) => {
      const [, id = ''] = idPattern.exec(data.toString('latin1', 0, emptyBytesMax)) ?? [];
      const onAnswered = waiting.get(id);
      waiting.delete(id);
      onAnswered?.(data.byteLength > emptyBytesMax);
    });
  });
  const server = createServer((request, response) => {
    const method = request.url?.split('/').at(-1) ?? '';
    request.resume().once('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, ...replies[method]?.() }));
    });
  });
  server.on('upgrade', (request, duplex, head) => {
    sockets.handleUpgrade(request, duplex, head, (opened) => sockets.emit('connection', opened));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const replies: Readonly<Record<string, () => object>> = {
    'apps.connections.open': () => ({ url: `ws://127.0.0.1:${port}/link` }),
    'auth.test': () => whoami,
    'conversations.info': () => ({ channel: { is_ext_shared: false, is_member: true } }),
  };
  const prepared: { readonly id: string; readonly frame: string }[] = [];
  let made = 0;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    prepare: (lines, commands) => {
      for (let index = 0; index < commands; index += 1) {
        made += 1;
        const id = `${made}-8f74-2231-b10e-8888abcd99yy`;
        const payload = commandFields(made, lines[index % lines.length] ?? '');
        const envelope = { type: 'slash_commands', envelope_id: id, accepts_response_payload: true, payload };
        prepared.push({ id, frame: JSON.stringify(envelope) });
      }
      prepared.reverse();
    },
    send: (onAnswered) => {
      const { id, frame } = prepared.pop() ?? { id: '', frame: '' };
      waiting.set(id, onAnswered);
      socket?.send(frame);
    },
  };
}

/** Facts that `auth.test` returns. */
const whoami = {
  url: 'http://127.0.0.1/',
  team: workspace.name,
  team_id: workspace.teamId,
  user: 'workflow',
  user_id: 'U00WORKFLOW',
  bot_id: 'B00WORKFLOW',
  is_enterprise_install: false,
};
