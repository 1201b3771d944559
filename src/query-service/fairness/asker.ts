/** One request as the records see it: whose turn it takes, which key pays for the database's time, and when to stop. */
import { AppError } from '../../shared/errors.ts';
import type { createRateLimit } from '../http/rate-limit.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { InTurn } from '../records/reads/parse-list.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Turns } from './turns.ts';

export type Asker = {
  readonly keyId: string;
  /** Aborted once the answer is not wanted any more, with the error to end by: made only where there is something to stop. */
  readonly left: () => AbortSignal;
  /** Charges the key for a statement. @param ms without the wait for a connection or a thread */
  readonly spend: (ms: number) => void;
  /** Asked before each statement. @throws AppError `rate_limited` where the key owes as much time as one request may */
  readonly admit: () => void;
  /** Asked before each piece of a request's work. @returns undefined where it may begin, else a promise of its turn */
  readonly turn: () => Promise<void> | undefined;
  /** From now on each piece of the request takes a turn of its own: before, the whole request is one piece. */
  readonly divide: () => void;
  /** Runs what reads a long text: those of one key a few at once. */
  readonly withLongText: InTurn;
  /** Ends whatever the request still waits for. @param error what the rest of it ends by */
  readonly stop: (error: AppError) => void;
};

/** Of a key: tokens are milliseconds of the database's time. */
export type DatabaseBudget = ReturnType<typeof createRateLimit>;

export type AskerDeps = {
  readonly keyId: string;
  /** Undefined where keys may take as much of the database's time as they like. */
  readonly budget: DatabaseBudget | undefined;
  readonly turns: Turns;
  readonly longTexts: FairQueue;
  /** Nobody counts where left out. */
  readonly measure?: ServiceMeasure;
  /** @param leave called once the client has left */
  readonly onLeave: (leave: () => void) => void;
};

/** Milliseconds of the database's time that a key may owe before a request that is under way is stopped. */
const debtMaxMs = 5_000;

export function createAsker({ keyId, budget, turns, longTexts, measure, onLeave }: AskerDeps): Asker {
  let stopping: AbortController | undefined;
  let isDivided = false;
  const stop = (error: AppError) => controller().abort(error);
  const controller = () => {
    if (stopping === undefined) {
      stopping = new AbortController();
      onLeave(() => stop(new AppError('unavailable', 'The client has left.')));
    }
    return stopping;
  };
  return {
    keyId,
    left: () => controller().signal,
    spend(ms) {
      budget?.spend(keyId, ms);
      measure?.({ kind: 'charged', durationMs: ms });
    },
    admit() {
      if (budget === undefined || budget.secondsUntil(keyId, -debtMaxMs) === 0) return;
      throw new AppError('rate_limited', 'This key has used up its share of the database’s time.', {
        isRetryable: true,
      });
    },
    turn: () => (isDivided ? turns.take(keyId, 'long') : undefined),
    divide() {
      isDivided = true;
    },
    async withLongText(work) {
      await longTexts.enter(keyId, () => controller().signal);
      try {
        return await work();
      } finally {
        longTexts.leave(keyId);
      }
    },
    stop,
  };
}
