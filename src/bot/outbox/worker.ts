/** The outbox worker: plans due occurrences, claims and delivers them, and sleeps until the next due time. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { waitUpTo } from '../../shared/time/timeout.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import type { ClaimedOccurrence } from '../store/outbox/occurrence.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { RateLimiter } from '../store/repositories/rate-limiter.ts';
import type { Subscriptions } from '../store/repositories/subscriptions.ts';
import { type Claimer, createClaimer } from './claim.ts';
import { createDuplicateCleanup } from './duplicates.ts';
import type { OnFailpoint } from './failpoints.ts';
import { createPlanner } from './plan.ts';
import type { DigestPosting } from './ports.ts';
import type { DigestContent } from './prepare.ts';
import { type FinishedEnd, logFieldsOf } from './results.ts';
import { createSubscriptionHealth } from './subscription-health.ts';
import { type DigestLimits, type DigestTiming, defaultLimits, defaultTiming } from './timing.ts';

export type OutboxWorkerDeps = {
  readonly outbox: Outbox;
  readonly rateLimiter: RateLimiter;
  readonly subscriptions: Pick<Subscriptions, 'pause' | 'endPause' | 'recordNotification'>;
  readonly posting: DigestPosting;
  readonly content: DigestContent;
  readonly log: Logger;
  readonly measure?: Measure;
  readonly timing?: Partial<DigestTiming>;
  readonly limits?: Partial<DigestLimits>;
  /** Called at each step, for tests that end the process there. */
  readonly failpoint?: OnFailpoint;
  /** Steady; the process's own where left out. */
  readonly clock?: Clock;
};

export type OutboxWorker = {
  readonly start: () => void;
  /** Finishes the sends under way and leaves the rest to others, or to the next start. Never rejects. */
  readonly stop: () => Promise<void>;
  /** There is something to do now. */
  readonly wake: () => void;
};

export function createOutboxWorker(given: OutboxWorkerDeps): OutboxWorker {
  const stopping = new AbortController();
  const alarm = createAlarm();
  const deps = { ...withDefaults(given), stopping: stopping.signal, onRoom: alarm.ring };
  const { timing } = deps;
  const work = { plan: createPlanner(deps), claiming: createClaimer(deps) };
  const duplicates = createDuplicateCleanup(deps);
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    for (let idleMs = timing.wakeMsMin; !stopping.signal.aborted; ) {
      const { isIdle, waitMs } = await round(deps, work);
      duplicates.begin();
      idleMs = isIdle ? Math.min(idleMs * 2, timing.wakeMsMax) : timing.wakeMsMin;
      await alarm.sleep(waitMs ?? idleMs);
      await wait(timing.batchMs);
    }
  };
  return {
    start: () => {
      running = run();
    },
    wake: alarm.ring,
    stop: async () => {
      stopping.abort();
      alarm.ring();
      const finished = running.then(() => Promise.all([work.claiming.stopped(), duplicates.stopped()]));
      await waitUpTo(timing.shutdownMs, finished);
    },
  };
}

function withDefaults(given: OutboxWorkerDeps) {
  const timing = { ...defaultTiming, ...given.timing };
  const clock = given.clock ?? (() => performance.now());
  return {
    ...given,
    timing,
    clock,
    limits: { ...defaultLimits, ...given.limits },
    failpoint: given.failpoint ?? (() => undefined),
    health: createSubscriptionHealth({ ...given, timing }),
    onEnd: reporter(given),
  };
}

type RoundDeps = ReturnType<typeof withDefaults>;
type RoundWork = { readonly plan: () => Promise<number>; readonly claiming: Claimer };

/** `isIdle`: nothing was done, though there may be something to do; undefined: as long as one waits then. */
type Rounded = { readonly isIdle: boolean; readonly waitMs: number | undefined };

const again: Rounded = { isIdle: false, waitMs: 0 };

/** Never rejects. */
async function round(deps: RoundDeps, { plan, claiming }: RoundWork): Promise<Rounded> {
  try {
    const { now, nextAt, isPlanDue } = await deps.outbox.nextDueTimes();
    if (nextAt > now) return { isIdle: false, waitMs: Math.min(nextAt - now, deps.timing.wakeMsMax) };
    const planned = isPlanDue ? await plan() : 0;
    const { count, isFull } = await claiming.claim();
    if (planned > 0) return again;
    // Whoever makes room rings.
    if (isFull) return { isIdle: false, waitMs: deps.timing.wakeMsMax };
    return count > 0 ? again : { isIdle: true, waitMs: undefined };
  } catch (err) {
    deps.log.error({ err }, 'digests wait: the store does not answer');
    return { isIdle: true, waitMs: undefined };
  }
}

type ReportingDeps = { readonly log: Logger; readonly measure?: Measure };

/** @returns called with each end; `rootTs` is null where nothing was posted */
function reporter({ log, measure = measureNothing }: ReportingDeps) {
  return (claimed: ClaimedOccurrence, { state, error }: FinishedEnd, rootTs: string | null): void => {
    const latenessMs = rootTs === null ? null : Math.max(0, Math.round(Number(rootTs) * 1000 - claimed.dueAt));
    measure({ kind: 'digest', outcome: state, latenessMs });
    const { attempts } = claimed;
    log.info(
      { ...logFieldsOf(claimed), state, latenessMs, attempts, ...(error !== undefined && { error }) },
      'digest done',
    );
  };
}

/** Sleeps for a while, or until it rings. */
type Alarm = {
  /** One that rings before anybody sleeps is heard by the next who would. */
  readonly ring: () => void;
  readonly sleep: (ms: number) => Promise<void>;
};

function createAlarm(): Alarm {
  let isRung = false;
  let wake = (): void => undefined;
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    sleep: async (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, isRung ? 0 : ms);
      wake = resolve;
      await promise;
      clearTimeout(timer);
      isRung = false;
    },
  };
}
