/** What one key may take of this process: requests a second, the database's time, requests at once, large documents at once. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRateLimit, type RateLimit } from '../http/rate-limit.ts';
import type { LimitReason, ServiceMeasure } from '../measurement.ts';
import { type Asker, createAsker } from './asker.ts';
import { createFairQueue } from './fair-queue.ts';
import { createTurns } from './turns.ts';

/** Why a key may not ask now, and the whole seconds after which it may. */
export type KeyRefusal = { readonly reason: LimitReason; readonly seconds: number };

export type KeyLimits = {
  /** Asked before a request is read. @returns undefined where it may be answered now, else a promise of its turn */
  readonly turn: (keyId: string) => Promise<void> | undefined;
  /** @returns why the request is refused, or null: then `end` follows */
  readonly begin: (keyId: string) => KeyRefusal | null;
  readonly end: (keyId: string) => void;
  /** @returns why a request was refused that had begun */
  readonly stopped: (keyId: string) => KeyRefusal;
  readonly askerFor: (keyId: string, onLeave: (leave: () => void) => void) => Asker;
  /** Charges a key for an answer: putting it together and writing it takes the process's time. */
  readonly chargeAnswer: (keyId: string, bytes: number) => void;
  /** Runs the work of a document of many rows: those of one key one after the other. */
  readonly inTurn: <Result>(asker: Asker, work: () => Promise<Result>) => Promise<Result>;
};

export type KeyLimitOptions = {
  /** Requests. None where left out. */
  readonly rateLimit?: RateLimit | undefined;
  /** Milliseconds of the database's time. None where left out. */
  readonly databaseBudget?: RateLimit | undefined;
};

/** Requests of one key that are under way: as many as a busy client has connections, and some. */
const requestsMax = 128;
const manyRows = { slots: 16, perKey: 1, waitingMax: 64 } as const;
/** The logs of one execution may take forty megabytes of memory until they are written. */
const longText = { slots: 4, perKey: 1, waitingMax: 128 } as const;
/** An answer of so many bytes costs as much as a millisecond of the database's time. */
const bytesPerMs = 65_536;
/** What is refused because of others under way may come again soon. */
const shortSeconds = 1;

/** @param clock milliseconds that only ever grow */
export function createKeyLimits(
  { rateLimit, databaseBudget }: KeyLimitOptions,
  clock: () => number,
  measure: ServiceMeasure = () => {},
): KeyLimits {
  const rate = rateLimit && createRateLimit(rateLimit, clock);
  const budget = databaseBudget && createRateLimit(databaseBudget, clock);
  const turns = createTurns();
  const rows = createFairQueue(manyRows);
  const longTexts = createFairQueue(longText);
  const underWay = new Map<string, number>();
  const refusalOf = (keyId: string): KeyRefusal | null => {
    if ((underWay.get(keyId) ?? 0) >= requestsMax) return { reason: 'concurrency', seconds: shortSeconds };
    const owed = budget?.secondsUntil(keyId, 0) ?? 0;
    if (owed > 0) return { reason: 'database', seconds: owed };
    const empty = rate?.take(keyId) ?? 0;
    return empty > 0 ? { reason: 'rate', seconds: empty } : null;
  };
  return {
    begin(keyId) {
      const refusal = refusalOf(keyId);
      if (refusal === null) underWay.set(keyId, (underWay.get(keyId) ?? 0) + 1);
      return refusal;
    },
    turn: (keyId) => turns.take(keyId, 'short'),
    end(keyId) {
      const others = (underWay.get(keyId) ?? 1) - 1;
      if (others > 0) underWay.set(keyId, others);
      else underWay.delete(keyId);
    },
    stopped(keyId) {
      const owed = budget?.secondsUntil(keyId, 0) ?? 0;
      return owed > 0 ? { reason: 'database', seconds: owed } : { reason: 'concurrency', seconds: shortSeconds };
    },
    askerFor: (keyId, onLeave) => createAsker({ keyId, budget, turns, longTexts, measure, onLeave }),
    chargeAnswer: (keyId, bytes) => budget?.spend(keyId, bytes / bytesPerMs),
    async inTurn({ keyId, left }, work) {
      await rows.enter(keyId, left);
      try {
        const done = await work();
        // Many rows are written in a turn of the event loop of its own.
        await nextTurn();
        return done;
      } finally {
        setImmediate(() => rows.leave(keyId));
      }
    },
  };
}
