/** The context of one request: its key, its share of the database and the event loop, and its cancellation. */
import { AppError } from '../../shared/errors.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { ConcurrencyLimit } from '../records/reads/parse-list.ts';
import type { EventLoopScheduler } from './event-loop-scheduler.ts';
import type { FairQueue } from './fair-queue.ts';
import type { createRateLimiter } from './rate-limiter.ts';

export type RequestContext = {
  readonly keyId: string;
  /** Aborts when the client disconnects or the request fails, with the error to throw. Created on the first call. */
  readonly signal: () => AbortSignal;
  /** Charges the key for a statement. @param ms without the wait for a connection or a thread */
  readonly charge: (ms: number) => void;
  /** Called before each statement. @throws AppError `rate_limited` if the key owes too much database time */
  readonly checkBudget: () => void;
  /**
   * Called before each task of the request.
   * @returns undefined if it may start now, otherwise a promise that resolves when it may
   */
  readonly acquireEventLoop: () => Promise<void> | undefined;
  /** From now on each task of the request is scheduled separately. Until then the whole request is one task. */
  readonly scheduleTasks: () => void;
  /** Runs a read of a long text. Limits the concurrent ones of each key. */
  readonly longTextLimit: ConcurrencyLimit;
  /** Cancels all waits of the request. @param error the reason, thrown by the cancelled reads */
  readonly abort: (error: AppError) => void;
};

/** Tokens are milliseconds of database time. */
type DatabaseBudget = ReturnType<typeof createRateLimiter>;

export type RequestContextDeps = {
  readonly keyId: string;
  /** Undefined for no limit. */
  readonly budget: DatabaseBudget | undefined;
  readonly scheduler: EventLoopScheduler;
  readonly longTexts: FairQueue;
  readonly measure?: ServiceMeasure;
  /** @param disconnected called when the client disconnects before its reply is written */
  readonly onDisconnect: (disconnected: () => void) => void;
};

/** Milliseconds of database time that a key may owe before its running requests are aborted. */
const debtMaxMs = 5_000;

export function createRequestContext({
  keyId,
  budget,
  scheduler,
  longTexts,
  measure,
  onDisconnect,
}: RequestContextDeps): RequestContext {
  let aborting: AbortController | undefined;
  let schedulesTasks = false;
  const abort = (error: AppError) => abortController().abort(error);
  /** Created on first use: most requests need none. */
  const abortController = () => {
    if (aborting === undefined) {
      aborting = new AbortController();
      onDisconnect(() => abort(new AppError('unavailable', 'The client disconnected.')));
    }
    return aborting;
  };
  return {
    keyId,
    signal: () => abortController().signal,
    charge(ms) {
      budget?.charge(keyId, ms);
      measure?.({ kind: 'charged', durationMs: ms });
    },
    checkBudget() {
      if (budget === undefined || budget.secondsUntil(keyId, -debtMaxMs) === 0) return;
      throw new AppError(
        'rate_limited',
        'This API key has used its share of the database time. Try again in a minute, or with a shorter window or fewer fields.',
        {
          isRetryable: true,
        },
      );
    },
    acquireEventLoop: () => (schedulesTasks ? scheduler.acquire(keyId, 'long') : undefined),
    scheduleTasks() {
      schedulesTasks = true;
    },
    async longTextLimit(work) {
      await longTexts.acquire(keyId, () => abortController().signal);
      try {
        return await work();
      } finally {
        longTexts.release(keyId);
      }
    },
    abort,
  };
}
