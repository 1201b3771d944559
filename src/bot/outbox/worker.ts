/** The outbox worker: plans due occurrences, claims and delivers them, removes duplicates, and sleeps until the next due time. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { waitUpTo } from '../../shared/time/timeout.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import type { ClaimedOccurrence, DuplicateCheck, OutboxMessage } from '../store/outbox/delivery.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { PostPermits } from '../store/repositories/post-permits.ts';
import type { Subscriptions } from '../store/repositories/subscriptions.ts';
import { type DeliveringDeps, deliverOccurrence } from './deliver.ts';
import type { OnFailpoint } from './failpoints.ts';
import { createPlanner } from './plan.ts';
import type { FoundMessage, OutboxPosting, PostTarget } from './ports.ts';
import type { DigestContent } from './prepare.ts';
import { oldestOf, unconfirmedRange } from './reconcile.ts';
import type { DeliveryDeps } from './results.ts';
import { type FinishedEnd, logFieldsOf } from './results.ts';
import { createSubscriptionHealth } from './subscription-health.ts';
import { type DeliveryLimits, type DeliveryTiming, defaultLimits, defaultTiming } from './timing.ts';

export type OutboxWorkerDeps = {
  readonly outbox: Outbox;
  readonly postPermits: PostPermits;
  readonly subscriptions: Pick<Subscriptions, 'pause' | 'endPause' | 'recordNotification'>;
  readonly posting: OutboxPosting;
  readonly content: DigestContent;
  readonly log: Logger;
  readonly measure?: Measure;
  readonly timing?: Partial<DeliveryTiming>;
  readonly limits?: Partial<DeliveryLimits>;
  /** Called at each failpoint, so that a test can end the process there. */
  readonly failpoint?: OnFailpoint;
  /** Monotonic; the process's own if absent. */
  readonly uptime?: Clock;
};

export type OutboxWorker = {
  readonly start: () => void;
  /** Finishes running sends and leaves the rest to other processes, or to the next start. Never rejects. */
  readonly stop: () => Promise<void>;
  /** Starts the next round at once. */
  readonly wake: () => void;
};

export function createOutboxWorker(given: OutboxWorkerDeps): OutboxWorker {
  const stopping = new AbortController();
  const alarm = createAlarm();
  const deps = { ...withDefaults(given), stopping: stopping.signal, onRoom: alarm.ring };
  const { timing } = deps;
  const work = { plan: createPlanner(deps), claimer: createClaimer(deps) };
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
      const finished = running.then(() => Promise.all([work.claimer.stopped(), duplicates.stopped()]));
      await waitUpTo(timing.shutdownMs, finished);
    },
  };
}

function withDefaults(given: OutboxWorkerDeps) {
  const timing = { ...defaultTiming, ...given.timing };
  const uptime = given.uptime ?? (() => performance.now());
  return {
    ...given,
    isUrgent: false,
    timing,
    uptime,
    limits: { ...defaultLimits, ...given.limits },
    failpoint: given.failpoint ?? (() => undefined),
    health: createSubscriptionHealth({ ...given, timing }),
    onEnd: reporter(given),
  };
}

type RoundDeps = ReturnType<typeof withDefaults>;
type RoundWork = { readonly plan: () => Promise<number>; readonly claimer: Claimer };

/** `isIdle`: nothing was done. `waitMs`: time until the next round; undefined: the current idle time. */
type RoundResult = { readonly isIdle: boolean; readonly waitMs: number | undefined };

const again: RoundResult = { isIdle: false, waitMs: 0 };

/** Never rejects. */
async function round(deps: RoundDeps, { plan, claimer }: RoundWork): Promise<RoundResult> {
  try {
    const { now, nextAt, isPlanDue } = await deps.outbox.nextDueTimes();
    if (nextAt > now) return { isIdle: false, waitMs: Math.min(nextAt - now, deps.timing.wakeMsMax) };
    const planned = isPlanDue ? await plan() : 0;
    const { count, isFull } = await claimer.claim();
    if (planned > 0) return again;
    // A finished delivery wakes the worker.
    if (isFull) return { isIdle: false, waitMs: deps.timing.wakeMsMax };
    return count > 0 ? again : { isIdle: true, waitMs: undefined };
  } catch (err) {
    deps.log.error({ err }, 'digests wait: the bot’s database does not answer');
    return { isIdle: true, waitMs: undefined };
  }
}

type ClaimerDeps = Omit<DeliveringDeps, 'outbox' | 'onPrepared'> & {
  readonly outbox: DeliveringDeps['outbox'] & Pick<Outbox, 'claim'>;
  /** Called when there is room for another occurrence. */
  readonly onRoom: () => void;
};

type Claimer = ReturnType<typeof createClaimer>;

/** Claims due occurrences within the concurrency limits: few builds at once, few per workspace, more that wait to post. */
function createClaimer(deps: ClaimerDeps) {
  const { limits } = deps;
  const building = new Set<ClaimedOccurrence>();
  const running = new Map<ClaimedOccurrence, Promise<void>>();
  const onPrepared = (claimed: ClaimedOccurrence) => {
    if (building.delete(claimed)) deps.onRoom();
  };
  const start = (claimed: ClaimedOccurrence) => {
    building.add(claimed);
    const work = deliverOccurrence({ ...deps, onPrepared }, claimed).finally(() => {
      building.delete(claimed);
      running.delete(claimed);
      deps.onRoom();
    });
    running.set(claimed, work);
  };
  return {
    /** @returns how many occurrences were claimed, and whether there may be more */
    claim: async () => {
      const max = Math.min(limits.buildsMax - building.size, limits.occurrencesMax - running.size);
      if (max <= 0) return { count: 0, isFull: true };
      const exceptTeams = teamsAtLimit(running.keys(), limits.occurrencesPerTeamMax);
      const options = { max, leaseMs: deps.timing.leaseMs, perTeam: limits.occurrencesPerTeamMax, exceptTeams };
      deps.failpoint('before claim');
      const claimed = await deps.outbox.claim(options);
      deps.failpoint('after claim');
      for (const occurrence of claimed) start(occurrence);
      return { count: claimed.length, isFull: claimed.length === max };
    },
    /** Waits for all running deliveries. */
    stopped: async () => void (await Promise.all(running.values())),
  };
}

function teamsAtLimit(occurrences: Iterable<ClaimedOccurrence>, max: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { key } of occurrences) counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= max).map(([teamId]) => teamId);
}

type ReportingDeps = { readonly log: Logger; readonly measure?: Measure };

/** @returns a function that measures and logs each end; `rootTs` is null if nothing was posted */
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

/** A sleep that can be ended early. */
type Alarm = {
  /** Ends the current sleep, or the next one if none is running. */
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

type DuplicateCleanupDeps = Pick<DeliveryDeps, 'timing' | 'uptime' | 'log' | 'failpoint' | 'stopping'> & {
  readonly outbox: Pick<Outbox, 'now' | 'claimDuplicateChecks' | 'recordDuplicateCheck'>;
  readonly posting: Pick<OutboxPosting, 'find' | 'remove'>;
};

/** A check that still fails after this time is given up. */
const giveUpAfterMs = 60 * 60_000;

type DuplicateCleanup = {
  /** Starts the due duplicate checks, unless the last round ended a moment ago. */
  readonly begin: () => void;
  /** Waits for the running round; never rejects. */
  readonly stopped: () => Promise<void>;
};

function createDuplicateCleanup(deps: DuplicateCleanupDeps): DuplicateCleanup {
  let running: Promise<void> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return {
    begin: () => {
      if (running || deps.uptime() - checkedAt < deps.timing.wakeMsMax) return;
      running = checkDuplicates(deps)
        .catch((err: unknown) =>
          deps.log.warn({ err }, 'the duplicate check of messages failed and is tried again later'),
        )
        .finally(() => {
          running = undefined;
          checkedAt = deps.uptime();
        });
    },
    stopped: async () => running,
  };
}

async function checkDuplicates(deps: DuplicateCleanupDeps): Promise<void> {
  // One at a time, so that its claim does not end before its check.
  while (!deps.stopping.aborted) {
    const [next] = await deps.outbox.claimDuplicateChecks(1);
    if (!next) return;
    await removeDuplicates(deps, next);
  }
}

async function removeDuplicates(
  deps: DuplicateCleanupDeps,
  { key, channelId, rootTs, message, checksDone }: DuplicateCheck,
): Promise<void> {
  deps.failpoint('before duplicate check');
  const channel = { teamId: key.teamId, channelId };
  const targets = rootTs === null || rootTs === message.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  const range = unconfirmedRange(message, deps.timing);
  const histories = await Promise.all(
    targets.map((target) => deps.posting.find(target, range, deps.timing.historyWaitMsMax)),
  );
  const isRead = histories.every((found) => !('kind' in found && found.kind === 'later'));
  const found = histories.flatMap((one) => ('kind' in one ? [] : one));
  const isClean = await removeExtra(deps, channel, message, found);
  const isOld = (await deps.outbox.now()) - (message.lastIntentAt ?? 0) > giveUpAfterMs;
  // A check that is not recorded can be claimed again after a minute.
  if (!(isRead && isClean) && !isOld) return;
  await deps.outbox.recordDuplicateCheck(key, message.name, checksDone);
  deps.failpoint('after duplicate check');
}

/** Keeps one copy, in the channel or in the thread. @returns false if a copy could not be deleted */
async function removeExtra(
  { posting, log, failpoint }: DuplicateCleanupDeps,
  channel: PostTarget,
  message: OutboxMessage,
  found: readonly FoundMessage[],
): Promise<boolean> {
  const kept = found.find(({ ts }) => ts === message.ts) ?? oldestOf(found, message.opaqueId);
  const extra = found.filter(({ opaqueId, ts }) => opaqueId === message.opaqueId && ts !== kept?.ts);
  const gone = await Promise.all(extra.map(({ ts }) => posting.remove(channel, ts)));
  if (extra.length > 0)
    log.warn({ ...channel, messageName: message.name, gone }, 'a message of a digest was posted more than once');
  failpoint('after delete');
  return gone.every(Boolean);
}
