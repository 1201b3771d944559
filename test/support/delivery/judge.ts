/** A fake Slack that injects faults and counts which messages became visible. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** The share of posts with each fault. */
type Faults = {
  /** Accepted, and the connection is cut before the answer. */
  readonly drop: number;
  /** Like `drop`, and visible only later. */
  readonly late: number;
  /** Answered with 500, and nothing is posted. */
  readonly fail: number;
  /** Answered with 429. */
  readonly limit: number;
};

export type JudgeOptions = {
  readonly faults: Partial<Faults>;
  /** Delay of a late message. */
  readonly lateMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Latency of an answer without a fault. */
  readonly latencyMs?: number;
  /** The minute of Slack's limit of histories, shortened: one call of each method and workspace, fifteen messages. */
  readonly historyEveryMs?: number;
  /** Refuses the replies of a thread, as Slack's page says of bots in channels. */
  readonly refusesReplies?: boolean;
};

/** A moment of a post at which its sender can be killed. */
export type PostMoment = 'received' | 'accepted';

type Posted = {
  readonly ts: string;
  readonly channel: string;
  readonly threadTs: string | undefined;
  readonly text: string;
  readonly metadata: unknown;
  readonly at: number;
  readonly visibleAt: number;
  isGone: boolean;
};

export type Judge = {
  readonly apiUrl: string;
  /** All messages that are or will be visible, by text. */
  readonly standing: () => ReadonlyMap<string, readonly Posted[]>;
  /** Called at each post; @param token of the sender */
  onPost: (moment: PostMoment, token: string) => void;
  readonly close: () => Promise<void>;
};

/** Small, so that histories have several pages, but large enough for the page limit of the bot. */
const pageMax = 50;
const limitedPageMax = 15;

export async function startJudge(options: JudgeOptions): Promise<Judge> {
  const posts: Posted[] = [];
  const judge = { onPost: (_moment: PostMoment, _token: string): void => undefined };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const fields = Object.fromEntries(new URLSearchParams(await textOf(request)));
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    switch ((request.url ?? '').replace('/api/', '')) {
      case 'chat.postMessage':
        return post(fields, token, response);
      case 'conversations.history':
      case 'conversations.replies':
        return read(fields, token, response);
      case 'chat.delete':
        return send(response, remove(posts, fields));
      default:
        return send(response, { ok: false, error: 'unknown_method' });
    }
  };
  const post = async (fields: Fields, token: string, response: ServerResponse) => {
    const fault = faultOf(options);
    judge.onPost('received', token);
    if (fault === 'limit') return send(response, { ok: false }, 429, { 'retry-after': '1' });
    if (fault === 'fail') return send(response, { ok: false }, 500);
    const now = Date.now();
    const ts = `${Math.floor(now / 1000)}.${String((now % 1000) * 1000 + (posts.length % 1000)).padStart(6, '0')}`;
    const visibleAt = fault === 'late' ? now + options.lateMs : now;
    const { channel = '', text = '', thread_ts: threadTs, metadata = 'null' } = fields;
    posts.push({ ts, channel, threadTs, text, metadata: JSON.parse(metadata), at: now, visibleAt, isGone: false });
    judge.onPost('accepted', token);
    if (fault !== undefined) return void response.destroy();
    if (options.latencyMs) await wait(options.latencyMs);
    send(response, { ok: true, ts, channel });
  };
  const { historyEveryMs } = options;
  const nextReadAt = new Map<string, number>();
  const read = (fields: Fields, token: string, response: ServerResponse) => {
    const { ts } = fields;
    if (options.refusesReplies && ts !== undefined)
      return send(response, { ok: false, error: 'not_allowed_token_type' });
    if (historyEveryMs === undefined) return send(response, page(posts, fields, ts, pageMax));
    const key = `${ts === undefined ? 'history' : 'replies'} ${token.split('.')[1]}`;
    const waitMs = (nextReadAt.get(key) ?? 0) - Date.now();
    if (waitMs > 0) return send(response, { ok: false }, 429, { 'retry-after': String(Math.ceil(waitMs / 1000)) });
    nextReadAt.set(key, Date.now() + historyEveryMs);
    send(response, page(posts, fields, ts, limitedPageMax));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(judge, {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    standing: () =>
      Map.groupBy(
        posts.filter(({ isGone }) => !isGone),
        ({ text }) => text,
      ),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

type Fields = Readonly<Record<string, string>>;

function faultOf({ faults, random }: JudgeOptions): keyof Faults | undefined {
  let left = random();
  for (const name of ['drop', 'late', 'fail', 'limit'] as const) {
    left -= faults[name] ?? 0;
    if (left < 0) return name;
  }
  return undefined;
}

/** Newest first, both ends included, a few per page. */
function page(posts: readonly Posted[], fields: Fields, threadTs: string | undefined, pageSize: number) {
  const { channel, oldest = '0', latest = '9999999999', cursor = latest } = fields;
  const now = Date.now();
  const fitting = posts.filter((one) => one.channel === channel && !one.isGone && one.visibleAt <= now);
  const placed = fitting.filter((one) => one.threadTs === threadTs || one.ts === threadTs);
  // The next page begins at a message, so that none is skipped if an earlier one is deleted meanwhile.
  const within = placed.filter(({ ts }) => Number(ts) >= Number(oldest) && Number(ts) <= Number(cursor));
  const messages = within.toSorted((one, other) => Number(other.ts) - Number(one.ts));
  return {
    ok: true,
    messages: messages.slice(0, pageSize).map(({ ts, text, metadata }) => {
      const replies = fitting.filter((one) => one.threadTs === ts);
      const thread = { reply_count: replies.length, latest_reply: replies.at(-1)?.ts };
      return { ts, text, metadata, user: 'UBOT', ...(replies.length > 0 && thread) };
    }),
    has_more: messages.length > pageSize,
    response_metadata: { next_cursor: messages[pageSize]?.ts ?? '' },
  };
}

function remove(posts: readonly Posted[], { channel, ts }: Fields) {
  const found = posts.find((one) => one.channel === channel && one.ts === ts && !one.isGone);
  if (!found) return { ok: false, error: 'message_not_found' };
  found.isGone = true;
  return { ok: true };
}

function send(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
