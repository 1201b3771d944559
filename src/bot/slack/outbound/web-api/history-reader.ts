/**
 * Reads histories, and the bot's own messages in them, at the rate that Slack allows: one call a minute with fifteen messages for
 * some apps. The result counts only if every page of the time span was read.
 */

import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { Failure } from '../../../domain/slack-errors.ts';
import type { Unread } from '../../../outbox/ports.ts';
import { defaultWait, type Wait } from '../../../outbox/timing.ts';
import type { MessageTarget, SlackClients } from './client.ts';
import { classifyThrown } from './errors.ts';

type HistoryRequest = {
  /** With a `threadTs` the thread, without one the channel. */
  readonly target: MessageTarget;
  readonly span: Span;
  /** Limit for all waits of this call. */
  readonly waitMsMax: number;
};

/** Never rejects. If Slack limited the rate, the next call with the same place and span continues at the same page. */
export type ReadHistory<Found> = (request: HistoryRequest) => Promise<readonly Found[] | Unread>;

/** All readers share one rate limiter. @param pick selects the parts of a message to keep */
export type HistoryReader = <Found>(pick: (message: JsonRecord) => readonly Found[]) => ReadHistory<Found>;

type HistoryServices = {
  readonly clients: SlackClients;
  readonly clock: Clock;
  /** Aborts when the bot stops and ends every wait. */
  readonly stopping: AbortSignal;
  readonly wait?: Wait | undefined;
};

/** No channel gets ten thousand messages within the few minutes of an attempt. */
const pagesMax = 50;
const laterMs = 30_000;
const begunMax = 1_000;
/**
 * Pages read so far are kept this long. The time ends before the next look for the same digest, which has to see newer
 * messages.
 */
const begunForMs = 200_000;

type Progress<Found> = {
  readonly cursor: string | undefined;
  readonly found: readonly Found[];
  readonly pages: number;
};

export function createHistoryReader(deps: HistoryServices): HistoryReader {
  const { clients, clock } = deps;
  const limiter = createRateLimiter(clock);
  return <Found>(pick: (message: JsonRecord) => readonly Found[]): ReadHistory<Found> => {
    const begun = createLruCache<Progress<Found>>({ clock, ttlMs: begunForMs, entriesMax: begunMax });
    const nothingYet: Progress<Found> = { cursor: undefined, found: [], pages: 0 };
    return async ({ target, span, waitMsMax }) => {
      // A token belongs to one workspace.
      const rateKey = `${target.threadTs === undefined ? 'history' : 'replies'} ${target.botToken}`;
      const key = JSON.stringify([target, span]);
      const waitForRate = createWaiting(deps, () => limiter.acquire(rateKey), waitMsMax);
      for (let progress = begun.get(key) ?? nothingYet; progress.pages < pagesMax; begun.set(key, progress)) {
        const limited = await waitForRate();
        if (limited) return limited;
        const page = await readPage(clients, target, span, progress.cursor);
        if (page.kind === 'read') {
          const found = [...progress.found, ...page.messages.flatMap(pick)];
          progress = { cursor: page.nextCursor, found, pages: progress.pages + 1 };
        } else if (page.retryAfterMs !== undefined) limiter.slowDown(rateKey, page.retryAfterMs);
        // Slack keeps a cursor for a limited time; reading starts again.
        else if (page.error === 'invalid_cursor') progress = { ...nothingYet, pages: progress.pages + 1 };
        else return unread(page);
        if (page.kind !== 'read' || page.nextCursor !== undefined) continue;
        begun.delete(key);
        return progress.found;
      }
      return { kind: 'unreadable', error: 'too_many_messages' };
    };
  };
}

/** @returns waits until the rate allows a call; then returns the reason if it does not within `waitMsMax` in all */
function createWaiting({ stopping, wait = defaultWait }: HistoryServices, acquire: () => number, waitMsMax: number) {
  let leftMs = waitMsMax;
  return async (): Promise<Unread | undefined> => {
    for (;;) {
      const waitMs = acquire();
      if (waitMs === 0) return undefined;
      if (waitMs > leftMs || stopping.aborted) return { kind: 'later', error: 'ratelimited', retryAfterMs: waitMs };
      leftMs -= waitMs;
      await wait(waitMs, stopping).catch(() => undefined);
    }
  };
}

/** A refusal is final; any other failure may pass. */
function unread({ kind, error }: Failure): Unread {
  if (kind === 'permanent' || kind === 'content') return { kind: 'unreadable', error };
  return { kind: 'later', error, retryAfterMs: laterMs };
}

/**
 * Apps outside of Slack's Marketplace get one call a minute (https://docs.slack.dev/apis/web-api/rate-limits). Without
 * a limiter, Slack would refuse every second call.
 */
const rememberedMs = 600_000;
const ratesMax = 10_000;
/** Bounds for a `retry-after` that is implausibly short or long. */
const waitMinMs = 1_000;
const waitMaxMs = 3_600_000;

type Rate = {
  readonly everyMs: number;
  readonly nextAt: number;
  readonly until: number;
  /** Times of the last two calls; null before them. */
  readonly calledAt: number | null;
  readonly previousAt: number | null;
};

function createRateLimiter(clock: Clock) {
  const rates = createLruCache<Rate>({ clock, ttlMs: rememberedMs, entriesMax: ratesMax });
  return {
    /** @returns 0 if the call may be made now; otherwise the milliseconds to wait before the next `acquire` */
    acquire: (key: string): number => {
      const rate = rates.get(key);
      const now = clock();
      if (!rate) return 0;
      if (now < rate.nextAt) return rate.nextAt - now;
      const calls = { calledAt: now, previousAt: rate.calledAt };
      if (now < rate.until) rates.set(key, { ...rate, ...calls, nextAt: now + rate.everyMs });
      else rates.delete(key);
      return 0;
    },
    /** Records Slack's refusal and its `retry-after`. */
    slowDown: (key: string, retryAfterMs: number) => {
      const [waitMs, now] = [Math.min(Math.max(retryAfterMs, waitMinMs), waitMaxMs), clock()];
      const { everyMs = 0, previousAt = null } = rates.get(key) ?? {};
      // A refusal in the middle of an interval asks only for the rest of it. The interval began with the call before.
      const sincePreviousMs = previousAt === null ? 0 : now - previousAt;
      const intervalMs = waitMs + (sincePreviousMs < 2 * everyMs ? sincePreviousMs : 0);
      const times = { nextAt: now + waitMs, until: now + rememberedMs, calledAt: previousAt, previousAt: null };
      rates.set(key, { everyMs: Math.min(Math.max(everyMs, intervalMs), waitMaxMs), ...times });
    },
  };
}

export type OwnMessage = { readonly ts: string; readonly opaqueId: string };

/** Epoch milliseconds, both ends included. A missing end means no limit. */
type Span = { readonly from?: number; readonly to?: number };

type HistoryPage = {
  readonly kind: 'read';
  /** Messages as Slack returns them. */
  readonly messages: readonly JsonRecord[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
};

/** The maximum that Slack recommends for a page; it returns fifteen to some apps. */
const limit = 200;
const messageEvent = 'workflow_bot_message';
/** Of digests of earlier versions. */
const formerEvent = 'workflow_bot_digest';

/** https://docs.slack.dev/messaging/message-metadata: people do not see it, but the whole workspace can read it. */
export function metadataOf(opaqueId: string) {
  return { event_type: messageEvent, event_payload: { id: opaqueId } };
}

/**
 * Asks once and never rejects. Refuses an answer that could be mistaken for an empty channel.
 * @param cursor of the page; the first page if left out
 */
async function readPage(
  clients: SlackClients,
  { botToken, channelId: channel, threadTs }: MessageTarget,
  { from, to }: Span,
  cursor?: string,
): Promise<HistoryPage | Failure> {
  const { conversations } = clients.of(botToken);
  const query = {
    ...{ channel, limit, include_all_metadata: true, inclusive: true },
    ...(from !== undefined && { oldest: timestamp(from) }),
    ...(to !== undefined && { latest: timestamp(to) }),
    ...(cursor !== undefined && { cursor }),
  };
  try {
    const { messages, has_more, response_metadata } =
      threadTs === undefined
        ? await conversations.history(query)
        : await conversations.replies({ ...query, ts: threadTs });
    const nextCursor = response_metadata?.next_cursor || undefined;
    if (!Array.isArray(messages)) return { kind: 'unknown', error: 'no_messages' };
    if (has_more === true && nextCursor === undefined) return { kind: 'unknown', error: 'no_cursor' };
    return { kind: 'read', messages: messages.map(readRecord), nextCursor };
  } catch (thrown) {
    return classifyThrown(thrown);
  }
}

/** Formats a time as Slack's `ts`. @param ms epoch milliseconds */
function timestamp(ms: number): string {
  return (Math.max(ms, 0) / 1000).toFixed(6);
}

/** The root of a thread, with the number of its replies and the `ts` of the last one. */
export type Root = { readonly ts: string; readonly count: number; readonly lastTs: string };

/** @returns nothing for a message without replies */
export function readRoot(message: JsonRecord): readonly Root[] {
  const [ts, lastTs] = [readText(message, 'ts'), readText(message, 'latest_reply')];
  return ts === undefined || lastTs === undefined ? [] : [{ ts, count: Number(message['reply_count']), lastTs }];
}

/** @returns nothing for a message without the bot's metadata, which another app can write, too */
export function readOwnMessage(message: JsonRecord): readonly OwnMessage[] {
  const metadata = readRecord(message['metadata']);
  const isOwn = metadata['event_type'] === messageEvent || metadata['event_type'] === formerEvent;
  const opaqueId = isOwn ? readText(readRecord(metadata['event_payload']), 'id') : undefined;
  const ts = readText(message, 'ts');
  return ts === undefined || opaqueId === undefined ? [] : [{ ts, opaqueId }];
}
