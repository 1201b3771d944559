/** What makes the digests come: plans what is due, works on what it can claim, and sleeps until the ledger says that there is more. */
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Measure } from '../core/measure.ts';
import type { Subscription } from '../core/subscription.ts';
import type { Ledger, PlannedSlots } from '../store/ledger.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import { createAlarm } from './alarm.ts';
import { type Claiming, createClaiming } from './claiming.ts';
import { createPacing } from './pacing.ts';
import { planSlots } from './planning.ts';
import type { DigestPosting } from './ports.ts';
import type { DigestContent } from './preparing.ts';
import { reporter } from './reporting.ts';
import type { AtStep } from './steps.ts';
import { createSweeping } from './sweeping.ts';
import { type DigestLimits, type DigestTiming, defaultLimits, defaultTiming } from './timing.ts';
import { createTroubles } from './troubles.ts';

export type DigestEngineDeps = {
  readonly ledger: Ledger;
  readonly subscriptions: Pick<Subscriptions, 'pause' | 'goOn' | 'noteTold'>;
  readonly posting: DigestPosting;
  readonly content: DigestContent;
  readonly log: Logger;
  readonly measure?: Measure;
  readonly timing?: Partial<DigestTiming>;
  readonly limits?: Partial<DigestLimits>;
  /** Called at each step, for tests that end the process there. */
  readonly at?: AtStep;
  /** Steady; the process's own where left out. */
  readonly clock?: Clock;
};

export type DigestEngine = {
  readonly start: () => void;
  /** Finishes the sends under way and leaves the rest to others, or to the next start. Never rejects. */
  readonly stop: () => Promise<void>;
  /** There is something to do now. */
  readonly wake: () => void;
};

const plannedAtOnce = 100;

export function createDigestEngine(given: DigestEngineDeps): DigestEngine {
  const stopping = new AbortController();
  const alarm = createAlarm();
  const deps = { ...withDefaults(given), stopping: stopping.signal, onRoom: alarm.ring };
  const { timing } = deps;
  const claiming = createClaiming(deps);
  const sweeping = createSweeping(deps);
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    for (let idleMs = timing.wakeMsMin; !stopping.signal.aborted; ) {
      const { isIdle, waitMs } = await round(deps, claiming);
      sweeping.begin();
      idleMs = isIdle ? Math.min(idleMs * 2, timing.wakeMsMax) : timing.wakeMsMin;
      await alarm.sleep(waitMs ?? idleMs);
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
      const patience = new AbortController();
      const deadline = setTimeout(timing.finishWithinMs, undefined, { signal: patience.signal }).catch(() => undefined);
      const settled = running.then(() => Promise.all([claiming.settled(), sweeping.settled()]));
      await Promise.race([settled, deadline]);
      patience.abort();
    },
  };
}

function withDefaults(given: DigestEngineDeps) {
  const timing = { ...defaultTiming, ...given.timing };
  const clock = given.clock ?? (() => performance.now());
  return {
    ...given,
    timing,
    clock,
    limits: { ...defaultLimits, ...given.limits },
    pacing: createPacing({ clock, everyMs: timing.paceMs }),
    at: given.at ?? (() => undefined),
    troubles: createTroubles({ ...given, timing }),
    onEnd: reporter(given),
  };
}

type RoundDeps = ReturnType<typeof withDefaults>;

/** `isIdle`: nothing was done, though there may be something to do; undefined: as long as one waits then. */
type Rounded = { readonly isIdle: boolean; readonly waitMs: number | undefined };

/** Never rejects. */
async function round(deps: RoundDeps, claiming: Claiming): Promise<Rounded> {
  try {
    await plan(deps);
    const { count, isFull } = await claiming.claim();
    if (isFull) return { isIdle: false, waitMs: count > 0 ? 0 : deps.timing.wakeMsMax };
    const nextAt = await deps.ledger.nextAt();
    const waitMs = nextAt === null ? Number.POSITIVE_INFINITY : nextAt - (await deps.ledger.now());
    if (waitMs > 0) return { isIdle: false, waitMs: Math.min(waitMs, deps.timing.wakeMsMax) };
    return { isIdle: count === 0, waitMs: undefined };
  } catch (err) {
    deps.log.error({ err }, 'digests wait: the store does not answer');
    return { isIdle: true, waitMs: undefined };
  }
}

async function plan(deps: RoundDeps): Promise<void> {
  for (let planned = plannedAtOnce; planned === plannedAtOnce; ) {
    deps.at('before plan');
    const planning = deps.ledger.plan(plannedAtOnce, (subscription, now) => plannedOr(deps, subscription, now));
    planned = await planning.catch((err: unknown) => unreadable(deps, err));
    deps.at('after plan');
  }
}

/** One in a form that only a newer version knows is left to that; the others were planned. */
function unreadable({ log }: RoundDeps, err: unknown): number {
  if (err instanceof AppError && err.code === 'unavailable') throw err;
  log.error({ err }, 'a subscription cannot be read');
  return 0;
}

/** One that cannot be planned is looked at again later, and keeps nobody else waiting. */
function plannedOr({ timing, log }: RoundDeps, subscription: Subscription, now: number): PlannedSlots {
  try {
    return planSlots(subscription, now, timing);
  } catch (err) {
    const { teamId, id, nextDue } = subscription;
    log.error({ teamId, subscriptionId: id, err }, 'a subscription cannot be planned');
    return { slots: [], next: { slot: nextDue?.slot ?? '', at: now + timing.catchUpMs, shift: 'none' } };
  }
}
