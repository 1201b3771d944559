/** A Slack that accepts one message a second in a channel and in a workspace, answers sooner ones with 429, and records each time. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, fetch } from 'undici';

export type LimitedSlack = {
  readonly apiUrl: string;
  /** By text: when each was posted, epoch milliseconds. */
  readonly posted: ReadonlyMap<string, readonly number[]>;
  /** Number of 429 answers. */
  readonly refused: () => number;
  readonly close: () => Promise<void>;
};

/** The connections of two replicas. */
const senders = 256;
/** A second, minus the difference in latency of two messages. */
const everyMs = 950;

/** @param latencyMs of an answer */
export async function startLimitedSlack(latencyMs: number): Promise<LimitedSlack> {
  const posted = new Map<string, number[]>();
  const takenAt = new Map<string, number>();
  let refused = 0;
  const take = (places: readonly string[]) => {
    const now = Date.now();
    if (places.some((place) => now - (takenAt.get(place) ?? 0) < everyMs)) return false;
    for (const place of places) takenAt.set(place, now);
    return true;
  };
  const server = createServer(async (request, response) => {
    // The replica's token names the workspace.
    const team = (request.headers.authorization ?? '').split('.').at(-1) ?? '';
    const fields = new URLSearchParams(await textOf(request));
    const [channel, text] = [fields.get('channel') ?? '', fields.get('text') ?? ''];
    if (!request.url?.endsWith('chat.postMessage')) return send(response, 200, { ok: true, messages: [] });
    await wait(latencyMs);
    if (!take([team, `${team} ${channel}`])) {
      refused += 1;
      return send(response, 429, { ok: false, error: 'ratelimited' });
    }
    const now = Date.now();
    posted.set(text, [...(posted.get(text) ?? []), now]);
    send(response, 200, {
      ok: true,
      channel,
      ts: `${(now / 1000).toFixed(3)}${String(posted.size % 1000).padStart(3, '0')}`,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    posted,
    refused: () => refused,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Time for so many posts from a bare loop, each in its own workspace. @returns milliseconds */
export async function ceilingMs(posts: number, latencyMs: number): Promise<number> {
  const slack = await startLimitedSlack(latencyMs);
  const dispatcher = new Agent({ connections: senders });
  const begunAt = performance.now();
  let next = 0;
  const sendInTurn = async () => {
    while (next < posts) {
      const [headers, body] = [{ authorization: `Bearer xoxb-0.T${next}` }, `channel=C1&text=${next}`];
      next += 1;
      await (await fetch(`${slack.apiUrl}chat.postMessage`, { method: 'POST', headers, body, dispatcher })).text();
    }
  };
  await Promise.all(Array.from({ length: senders }, sendInTurn));
  const took = performance.now() - begunAt;
  await dispatcher.close();
  await slack.close();
  return took;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
