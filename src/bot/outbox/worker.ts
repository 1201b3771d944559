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
import { OccurrenceDelivery } from './deliver.ts';
import type { OnFailpoint } from './failpoints.ts';
import { createPlanner } from './plan.ts';
import type { FoundMessage, OutboxPosting, PostTarget } from './ports.ts';
import type { DigestContent, DigestServices } from './prepare.ts';
import { type FinishedEnd, logFieldsOf } from './results.ts';
import { oldestOf, unconfirmedRange } from './send.ts';
import { SubscriptionHealth } from './subscription-health.ts';
import { type DeliveryLimits, type DeliveryTiming, defaultLimits, defaultTiming, defaultWait } from './timing.ts';

export type WorkerOptions = {
  readonly outbox: Outbox;
  readonly postPermits: PostPermits;
  readonly subscriptions: Subscriptions;
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

/** One process of the outbox. */
export class OutboxWorker {
  readonly #services: DigestServices;
  readonly #stopping = new AbortController();
  readonly #alarm = new Alarm();
  readonly #plan: () => Promise<number>;
  readonly #claimer: Claimer;
  readonly #duplicates: DuplicateCleanup;
  #running: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions) {
    this.#services = servicesOf(options, this.#stopping.signal);
    this.#plan = createPlanner(this.#services);
    this.#claimer = new Claimer(this.#services, this.wake);
    this.#duplicates = new DuplicateCleanup(this.#services);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Starts the next round at once. */
  readonly wake = (): void => this.#alarm.ring();

  /** Finishes running sends and leaves the rest to other processes, or to the next start. Never rejects. */
  readonly stop = async (): Promise<void> => {
    this.#stopping.abort();
    this.#alarm.ring();
    const finished = this.#running.then(() => Promise.all([this.#claimer.stopped(), this.#duplicates.stopped()]));
    await waitUpTo(this.#services.timing.shutdownMs, finished);
  };

  async #run(): Promise<void> {
    const { wakeMsMin, wakeMsMax, batchMs } = this.#services.timing;
    for (let idleMs = wakeMsMin; !this.#stopping.signal.aborted; ) {
      const { isIdle, waitMs } = await this.#round();
      this.#duplicates.begin();
      idleMs = isIdle ? Math.min(idleMs * 2, wakeMsMax) : wakeMsMin;
      await this.#alarm.sleep(waitMs ?? idleMs);
      await wait(batchMs);
    }
  }

  /** Never rejects. */
  async #round(): Promise<RoundResult> {
    const { outbox, timing, log } = this.#services;
    try {
      const { now, nextAt, isPlanDue } = await outbox.nextDueTimes();
      if (nextAt > now) return { isIdle: false, waitMs: Math.min(nextAt - now, timing.wakeMsMax) };
      const planned = isPlanDue ? await this.#plan() : 0;
      const { count, isFull } = await this.#claimer.claim();
      if (planned > 0) return again;
      // A finished delivery wakes the worker.
      if (isFull) return { isIdle: false, waitMs: timing.wakeMsMax };
      return count > 0 ? again : { isIdle: true, waitMs: undefined };
    } catch (err) {
      log.error({ err }, 'digests wait: the bot’s database does not answer');
      return { isIdle: true, waitMs: undefined };
    }
  }
}

/** `isIdle`: nothing was done. `waitMs`: time until the next round; undefined: the current idle time. */
type RoundResult = { readonly isIdle: boolean; readonly waitMs: number | undefined };

const again: RoundResult = { isIdle: false, waitMs: 0 };

function servicesOf(options: WorkerOptions, stopping: AbortSignal): DigestServices {
  const services = {
    ...options,
    ...{ isUrgent: false, stopping, wait: defaultWait },
    timing: { ...defaultTiming, ...options.timing },
    uptime: options.uptime ?? (() => performance.now()),
    limits: { ...defaultLimits, ...options.limits },
    failpoint: options.failpoint ?? (() => undefined),
  };
  return { ...services, health: new SubscriptionHealth(services, options.subscriptions), onEnd: reporter(options) };
}

/** Claims due occurrences within the concurrency limits: few builds at once, few per workspace, more that wait to post. */
class Claimer {
  readonly #services: DigestServices;
  readonly #onRoom: () => void;
  readonly #building = new Set<ClaimedOccurrence>();
  readonly #running = new Map<ClaimedOccurrence, Promise<void>>();

  /** @param onRoom called when there is room for another occurrence */
  constructor(services: DigestServices, onRoom: () => void) {
    this.#services = services;
    this.#onRoom = onRoom;
  }

  /** @returns how many occurrences were claimed, and whether there may be more */
  async claim() {
    const { limits, timing, outbox, failpoint } = this.#services;
    const max = Math.min(limits.buildsMax - this.#building.size, limits.occurrencesMax - this.#running.size);
    if (max <= 0) return { count: 0, isFull: true };
    const perTeam = limits.occurrencesPerTeamMax;
    const exceptTeams = teamsAtLimit(this.#running.keys(), perTeam);
    failpoint('before claim');
    const claimed = await outbox.claim({ max, leaseMs: timing.leaseMs, perTeam, exceptTeams });
    failpoint('after claim');
    for (const occurrence of claimed) this.#start(occurrence);
    return { count: claimed.length, isFull: claimed.length === max };
  }

  async stopped(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #start(claimed: ClaimedOccurrence): void {
    this.#building.add(claimed);
    const onPrepared = () => {
      if (this.#building.delete(claimed)) this.#onRoom();
    };
    const work = new OccurrenceDelivery(this.#services, claimed).run(onPrepared).finally(() => {
      this.#building.delete(claimed);
      this.#running.delete(claimed);
      this.#onRoom();
    });
    this.#running.set(claimed, work);
  }
}

function teamsAtLimit(occurrences: Iterable<ClaimedOccurrence>, max: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { key } of occurrences) counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= max).map(([teamId]) => teamId);
}

/** @returns a function that measures and logs each end; `rootTs` is null if nothing was posted */
function reporter({ log, measure = measureNothing }: WorkerOptions) {
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
class Alarm {
  #isRung = false;
  #wake = (): void => undefined;

  /** Ends the current sleep, or the next one if none is running. */
  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  async sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#isRung ? 0 : ms);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#isRung = false;
  }
}

/** A check that still fails after this time is given up. */
const giveUpAfterMs = 60 * 60_000;

class DuplicateCleanup {
  readonly #services: DigestServices;
  #running: Promise<void> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(services: DigestServices) {
    this.#services = services;
  }

  /** Starts the due duplicate checks, unless the last round ended a moment ago. */
  begin(): void {
    const { uptime, timing, log } = this.#services;
    if (this.#running || uptime() - this.#checkedAt < timing.wakeMsMax) return;
    this.#running = checkDuplicates(this.#services)
      .catch((err: unknown) => log.warn({ err }, 'the duplicate check of messages failed and is tried again later'))
      .finally(() => {
        this.#running = undefined;
        this.#checkedAt = uptime();
      });
  }

  /** Waits for the running round; never rejects. */
  async stopped(): Promise<void> {
    await this.#running;
  }
}

async function checkDuplicates(services: DigestServices): Promise<void> {
  // One at a time, so that its claim does not end before its check.
  while (!services.stopping.aborted) {
    const [next] = await services.outbox.claimDuplicateChecks(1);
    if (!next) return;
    await removeDuplicates(services, next);
  }
}

async function removeDuplicates(
  services: DigestServices,
  { key, channelId, rootTs, message, checksDone }: DuplicateCheck,
): Promise<void> {
  services.failpoint('before duplicate check');
  const channel = { teamId: key.teamId, channelId };
  const targets = rootTs === null || rootTs === message.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  const range = unconfirmedRange(message, services.timing);
  const histories = await Promise.all(
    targets.map((target) => services.posting.find(target, range, services.timing.historyWaitMsMax)),
  );
  const isRead = histories.every((found) => !('kind' in found && found.kind === 'later'));
  const found = histories.flatMap((one) => ('kind' in one ? [] : one));
  const isClean = await removeExtra(services, channel, message, found);
  const isOld = (await services.outbox.now()) - (message.lastIntentAt ?? 0) > giveUpAfterMs;
  // A check that is not recorded can be claimed again after a minute.
  if (!(isRead && isClean) && !isOld) return;
  await services.outbox.recordDuplicateCheck(key, message.name, checksDone);
  services.failpoint('after duplicate check');
}

/** Keeps one copy, in the channel or in the thread. @returns false if a copy could not be deleted */
async function removeExtra(
  { posting, log, failpoint }: DigestServices,
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
