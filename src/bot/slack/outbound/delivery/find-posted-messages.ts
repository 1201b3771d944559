/** Finds posted digests by their metadata. Every page of the time span is read, or none counts. */
import { setTimeout as timer } from 'node:timers/promises';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { Workspace } from '../../installation/workspaces.ts';
import { type JsonRecord, readText } from '../../json-record.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import type { Failure } from '../web-api/errors.ts';
import { type HistoryPage, markOf, readPage, type Span } from '../web-api/history.ts';
import { createRateLimiter } from '../web-api/rate-limiter.ts';
import type { DeliveryDeps } from './delivery.ts';

export type FoundMark = { readonly ts: string; readonly opaqueId: string };

/** `unreadable`: for good, such as for want of a scope. `later`: not now. */
export type Unread = { readonly kind: 'unreadable' | 'later'; readonly error: string; readonly retryAfterMs?: number };

/** Never rejects. What was begun when Slack wanted to be left alone goes on where it was when the same is asked again. */
export type FindPostedMessages = (
  workspace: Workspace,
  target: MessageTarget,
  span: Required<Span>,
) => Promise<readonly FoundMark[] | Unread>;

export type FindPostedMessagesDeps = {
  readonly clients: SlackClients;
  readonly clock: Clock;
  /** Nothing is waited for any more. */
  readonly stopping: AbortSignal;
  /** Replaced in tests. */
  readonly wait?: DeliveryDeps['wait'] | undefined;
};

export const digestEvent = 'workflow_bot_digest';

/** All waiting for one answer together: the caller's lease ends after half a minute. */
const waitTotalMaxMs = 15_000;
/** No channel that people read gets ten thousand messages within the few minutes of an attempt. */
const pagesMax = 50;
const laterMs = 30_000;
const begunMax = 1_000;
/** Kept for up to twice as long, which ends before the same is looked for once more: what has come meanwhile is to be seen. */
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
  /** @returns why there is no turn to be had now */
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
      // Slack keeps a place for a while only: all is read anew.
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

/** Another app can say the same of its messages. */
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
