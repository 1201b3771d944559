/** Finds posted digests by their metadata. The result counts only if every page of the time span was read. */
import { setTimeout as timer } from 'node:timers/promises';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import { type JsonRecord, readText } from '../../../../shared/json.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { Workspace } from '../../installation/workspaces.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import type { Failure } from '../web-api/errors.ts';
import { type HistoryPage, markOf, readPage, type Span } from '../web-api/history.ts';
import { createRateLimiter } from '../web-api/rate-limiter.ts';
import type { DeliveryDeps } from './delivery.ts';

export type FoundMark = { readonly ts: string; readonly opaqueId: string };

/** `unreadable`: permanently, for example because of a missing scope. `later`: not now. */
export type Unread = { readonly kind: 'unreadable' | 'later'; readonly error: string; readonly retryAfterMs?: number };

/** Never rejects. If Slack limited the rate, the next call with the same arguments continues at the same page. */
export type FindPostedMessages = (
  workspace: Workspace,
  target: MessageTarget,
  span: Required<Span>,
) => Promise<readonly FoundMark[] | Unread>;

export type FindPostedMessagesDeps = {
  readonly clients: SlackClients;
  readonly clock: Clock;
  /** Aborts when the bot stops and ends every wait. */
  readonly stopping: AbortSignal;
  /** Replaced in tests. */
  readonly wait?: DeliveryDeps['wait'] | undefined;
};

export const digestEvent = 'workflow_bot_digest';

/** Limit for all waits of one call: the caller's lease ends after half a minute. */
const waitTotalMaxMs = 15_000;
/** No channel gets ten thousand messages within the few minutes of an attempt. */
const pagesMax = 50;
const laterMs = 30_000;
const begunMax = 1_000;
/**
 * Pages read so far are kept this long. The time ends before the next look for the same digest, which has to see newer
 * messages.
 */
const begunForMs = 200_000;

type Progress = { readonly cursor: string | undefined; readonly marks: readonly FoundMark[]; readonly pages: number };
const nothingYet: Progress = { cursor: undefined, marks: [], pages: 0 };

export function createFindPostedMessages({
  clients,
  clock,
  stopping,
  wait = defaultWait,
}: FindPostedMessagesDeps): FindPostedMessages {
  const limiter = createRateLimiter(clock);
  const begun = createLruCache<Progress>({ clock, ttlMs: begunForMs, entriesMax: begunMax });
  /** @returns the reason if the rate allows no call now */
  const waitForRate = async (teamId: string): Promise<Unread | undefined> => {
    for (let leftMs = waitTotalMaxMs; ; ) {
      const waitMs = limiter.acquire(teamId);
      if (waitMs === 0) return undefined;
      if (waitMs > leftMs || stopping.aborted) return { kind: 'later', error: 'ratelimited', retryAfterMs: waitMs };
      leftMs -= waitMs;
      await wait(waitMs, stopping).catch(() => undefined);
    }
  };
  return async (workspace, target, span) => {
    const { teamId } = workspace;
    const key = JSON.stringify([teamId, target.channelId, target.threadTs, span.from, span.to]);
    for (let progress = begun.get(key) ?? nothingYet; progress.pages < pagesMax; begun.set(key, progress)) {
      const limited = await waitForRate(teamId);
      if (limited) return limited;
      const page = await readPage(clients, target, span, progress.cursor);
      if (page.kind === 'read') progress = advance(progress, page, workspace);
      else if (page.retryAfterMs !== undefined) limiter.slowDown(teamId, page.retryAfterMs);
      // Slack keeps a cursor for a limited time; reading starts again.
      else if (page.error === 'invalid_cursor') progress = { ...nothingYet, pages: progress.pages + 1 };
      else return page.error === 'thread_not_found' ? [] : unread(page);
      if (page.kind !== 'read' || page.nextCursor !== undefined) continue;
      begun.delete(key);
      return progress.marks;
    }
    return { kind: 'unreadable', error: 'too_many_messages' };
  };
}

const defaultWait: NonNullable<FindPostedMessagesDeps['wait']> = (ms, signal) => timer(ms, undefined, { signal });

function advance({ marks, pages }: Progress, page: HistoryPage, workspace: Workspace): Progress {
  const found = page.messages.filter((message) => isOurs(message, workspace)).flatMap(digestMark);
  return { cursor: page.nextCursor, marks: [...marks, ...found], pages: pages + 1 };
}

/** Checks the author, since another app can add the same metadata. */
function isOurs(message: JsonRecord, { botUserId, botId }: Workspace): boolean {
  return message['user'] === botUserId || (botId !== undefined && message['bot_id'] === botId);
}

function digestMark(message: JsonRecord): readonly FoundMark[] {
  const [ts, opaqueId] = [readText(message, 'ts'), readText(markOf(message, digestEvent), 'id')];
  return ts === undefined || opaqueId === undefined ? [] : [{ ts, opaqueId }];
}

/** A refusal is final; any other failure may pass. */
function unread({ kind, error }: Failure): Unread {
  if (kind === 'permanent' || kind === 'content') return { kind: 'unreadable', error };
  return { kind: 'later', error, retryAfterMs: laterMs };
}
