/** Records all traffic between the bot and Slack, by workspace. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to Slack; `teamId` is undefined if its workspace is unknown. */
export type Sent = { readonly teamId: string | undefined; readonly what: string; readonly text: string };

type Passed = {
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Headers;
  readonly method: string;
};

export type Tap = { readonly url: string; readonly close: () => Promise<void> };

const passedOn = ['content-type', 'authorization', 'x-slack-signature', 'x-slack-request-timestamp'];

/** A proxy in front of the bot: records its acknowledgements. */
export function tapAnswers(botOrigin: string, sent: Sent[]): Promise<Tap> {
  return startTap(botOrigin, ({ body }, answer) => {
    sent.push({ teamId: teamIn(body.toString()), what: 'acknowledgement', text: answer });
  });
}

/** The bot's outgoing proxy: records Web API calls, messages to response_urls and uploads. */
export function tapCalls(slackOrigin: string, teamOfToken: ReadonlyMap<string, string>, sent: Sent[]): Promise<Tap> {
  const teamOfUpload = new Map<string, string>();
  return startTap(slackOrigin, ({ path, headers, body }, answer) => {
    const token = (headers.get('authorization') ?? '').replace('Bearer ', '');
    const own =
      teamOfToken.get(token) ?? teamOfUpload.get(path) ?? /^\/(?:commands|actions|app)\/(T[^/]+)\//.exec(path)?.[1];
    const upload = /\/upload\/v1\/[^"\\]+/.exec(answer)?.[0];
    if (upload !== undefined && own !== undefined) teamOfUpload.set(upload, own);
    sent.push({ teamId: own, what: path, text: `${path} ${readable(body)}` });
  });
}

/** Decodes forms, so that percent encoding hides nothing. */
function readable(body: Buffer): string {
  const raw = body.toString();
  return `${raw}\n${[...new URLSearchParams(raw)].flat().join('\n')}`;
}

function teamIn(body: string): string | undefined {
  const form = new URLSearchParams(body);
  const text = form.get('payload') ?? (body.startsWith('{') ? body : undefined);
  if (text === undefined) return form.get('team_id') ?? undefined;
  const fields = JSON.parse(text);
  return fields.team?.id ?? fields.team_id;
}

async function startTap(origin: string, onPassed: (passed: Passed, answer: string) => void): Promise<Tap> {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname: path, search } = new URL(request.url ?? '', origin);
    const headers = new Headers();
    for (const name of passedOn) headers.set(name, String(request.headers[name] ?? ''));
    const { method = 'POST' } = request;
    const body = Buffer.concat(chunks);
    const answer = await fetch(origin + path + search, { method, headers, ...(method === 'POST' && { body }) });
    const text = await answer.text();
    onPassed({ path, body, headers, method }, text);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(text);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  // A tunnel ends here: requests inside it are recorded too.
  server.on('connect', (_request, socket) => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.emit('connection', socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
