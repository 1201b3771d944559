/** Limits of each key in this process: requests per second, database time, concurrent requests, concurrent large documents. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { LimitReason, ServiceMeasure } from '../measurement.ts';
import { createEventLoopScheduler } from './event-loop-scheduler.ts';
import { createFairQueue } from './fair-queue.ts';
import { createRateLimiter, type RateLimit } from './rate-limiter.ts';
import { createRequestContext, type RequestContext } from './request-context.ts';

/** The limit that a key has reached, and the whole seconds after which it may retry. */
export type LimitReached = { readonly reason: LimitReason; readonly seconds: number };

export type KeyLimits = {
  /**
   * Called before a request is read.
   * @returns undefined if it may be handled now, otherwise a promise that resolves when it may
   */
  readonly acquireEventLoop: (keyId: string) => Promise<void> | undefined;
  /** Call `release` when an admitted request has ended. @returns the limit that refuses the request, or null */
  readonly admit: (keyId: string) => LimitReached | null;
  readonly release: (keyId: string) => void;
  /** @returns the limit that aborted a request after it was admitted */
  readonly abortReason: (keyId: string) => LimitReached;
  readonly contextFor: (keyId: string, onDisconnect: (disconnected: () => void) => void) => RequestContext;
  /** Charges a key for a reply: building and writing it takes the process’s time. */
  readonly chargeReply: (keyId: string, bytes: number) => void;
  /** Runs a document that may return many rows. Those of one key run one after the other. */
  readonly limitLargeDocument: <Result>(context: RequestContext, work: () => Promise<Result>) => Promise<Result>;
};

export type KeyLimitOptions = {
  /** Limit for requests; none by default. */
  readonly rateLimit?: RateLimit | undefined;
  /** Limit for milliseconds of database time; none by default. */
  readonly databaseBudget?: RateLimit | undefined;
};

/** Concurrent requests of one key: a little more than the connections of a busy client. */
const requestsMax = 128;
const largeDocumentSlots = { slots: 16, perKey: 1, waitingMax: 64 } as const;
/** The logs of one execution may take 40 MB of memory until they are written. */
const longTextSlots = { slots: 4, perKey: 1, waitingMax: 128 } as const;
/** A reply of this many bytes costs as much as a millisecond of database time. */
const bytesPerMs = 65_536;
/** Retry time in refusals because of concurrent requests, which end soon. */
const concurrencyRetrySeconds = 1;

/** @param clock monotonic milliseconds */
export function createKeyLimits(
  { rateLimit, databaseBudget }: KeyLimitOptions,
  clock: () => number,
  measure: ServiceMeasure = () => {},
): KeyLimits {
  const rate = rateLimit && createRateLimiter(rateLimit, clock);
  const budget = databaseBudget && createRateLimiter(databaseBudget, clock);
  const scheduler = createEventLoopScheduler();
  const largeDocuments = createFairQueue(largeDocumentSlots);
  const longTexts = createFairQueue(longTextSlots);
  const inFlight = new Map<string, number>();
  const limitReached = (keyId: string): LimitReached | null => {
    if ((inFlight.get(keyId) ?? 0) >= requestsMax) return { reason: 'concurrency', seconds: concurrencyRetrySeconds };
    const owed = budget?.secondsUntil(keyId, 0) ?? 0;
    if (owed > 0) return { reason: 'database', seconds: owed };
    const empty = rate?.acquire(keyId) ?? 0;
    return empty > 0 ? { reason: 'rate', seconds: empty } : null;
  };
  return {
    admit(keyId) {
      const limit = limitReached(keyId);
      if (limit === null) inFlight.set(keyId, (inFlight.get(keyId) ?? 0) + 1);
      return limit;
    },
    acquireEventLoop: (keyId) => scheduler.acquire(keyId, 'short'),
    release(keyId) {
      const others = (inFlight.get(keyId) ?? 1) - 1;
      if (others > 0) inFlight.set(keyId, others);
      else inFlight.delete(keyId);
    },
    abortReason(keyId) {
      const owed = budget?.secondsUntil(keyId, 0) ?? 0;
      return owed > 0
        ? { reason: 'database', seconds: owed }
        : { reason: 'concurrency', seconds: concurrencyRetrySeconds };
    },
    contextFor: (keyId, onDisconnect) =>
      createRequestContext({ keyId, budget, scheduler, longTexts, measure, onDisconnect }),
    chargeReply: (keyId, bytes) => budget?.charge(keyId, bytes / bytesPerMs),
    async limitLargeDocument({ keyId, signal }, work) {
      await largeDocuments.acquire(keyId, signal);
      try {
        const done = await work();
        // A reply of many rows is written in a separate iteration of the event loop.
        await nextIteration();
        return done;
      } finally {
        setImmediate(() => largeDocuments.release(keyId));
      }
    },
  };
}
