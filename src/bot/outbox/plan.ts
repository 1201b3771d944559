/** Plans occurrences of due subscriptions: the latest is posted while it is young enough, earlier ones are reported as missed. */
import { hash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import { type Due, dueBefore, duesBetween, nextDue, type Schedule } from '../domain/schedule.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { NewOccurrence, PlannedOccurrences } from '../store/outbox/delivery.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { DeliveryServices } from './results.ts';
import type { DeliveryTiming } from './timing.ts';

/** More than a year of days; what lies beyond is planned in the next round. */
const duesMax = 400;
/** Error of an occurrence that no process planned or claimed in time. */
export const botWasAway = 'away';
const weekMs = 7 * 24 * 60 * 60_000;

/** @param now epoch milliseconds by the database's clock @param coveredTo end of the last window, likewise; null if there was none */
export function planOccurrences(
  subscription: Subscription,
  now: number,
  timing: DeliveryTiming,
  coveredTo: number | null = null,
): PlannedOccurrences {
  const { schedule } = subscription;
  const first = subscription.nextDue ?? nextDue(schedule, { at: now });
  if (first.at > now) return { occurrences: [], next: first };
  const dues = [first, ...duesBetween(schedule, first, now, duesMax)];
  const last = dues.at(-1) ?? first;
  const occurrences = dues.map((due): NewOccurrence => {
    const isMissed = due !== last || now - due.at >= timing.catchUpMs;
    return {
      occurrenceId: due.localTime,
      dueAt: due.at,
      window: windowOf(schedule, due, due === first ? coveredTo : null),
      ...(isMissed ? { state: 'missed', error: botWasAway } : { state: 'due' }),
      isLate: now - due.at > timing.lateAfterMs,
      notBefore: due.at + timing.serviceLagMs + jitterMs(subscription, timing.jitterMsMax),
    };
  });
  return { occurrences, next: nextDue(schedule, last) };
}

/**
 * Spreads the occurrences of a workspace that are due together, because Slack takes one message a second from a workspace. None
 * is then claimed before it can be sent. @param everyMs between two occurrences
 */
export function createSpacing(everyMs: number): (teamId: string, occurrence: NewOccurrence) => NewOccurrence {
  const takenByTeam = new Map<string, number[]>();
  return (teamId, occurrence) => {
    if (occurrence.state !== 'due') return occurrence;
    const taken = takenByTeam.get(teamId) ?? [];
    let notBefore = occurrence.notBefore ?? occurrence.dueAt;
    for (const at of taken) if (Math.abs(at - notBefore) < everyMs) notBefore = at + everyMs;
    takenByTeam.set(
      teamId,
      [...taken, notBefore].sort((a, b) => a - b),
    );
    return { ...occurrence, notBefore };
  };
}

/**
 * The window begins at the previous occurrence: at most a week ago, and an hour more if the clocks went back meanwhile. After a
 * change of the schedule, or a pause, it begins at the end of the last window, but also at most a week ago.
 */
function windowOf(schedule: Schedule, { localTime, at }: Due, coveredTo: number | null): NewOccurrence['window'] {
  const { at: before } = dueBefore(schedule, localTime);
  return { from: coveredTo === null ? before : Math.min(before, Math.max(coveredTo, at - weekMs)), to: at };
}

/** Spreads the many digests at a full hour or quarter. Each subscription always has the same jitter. */
function jitterMs({ teamId, id, schedule }: Subscription, max: number): number {
  if (Number(schedule.time.slice(-2)) % 15 !== 0) return 0;
  const share = Number.parseInt(hash('sha256', `${teamId} ${id}`).slice(0, 8), 16) / 0xffff_ffff;
  return Math.round(share * max);
}

/** Returns true if a person requested the occurrence: its id is not a local time. */
export function isOnRequest(occurrence: string): boolean {
  return !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(occurrence);
}

type PlannerServices = DeliveryServices & { readonly outbox: Outbox; readonly measure?: Measure };

type DueOf = Parameters<Parameters<Outbox['plan']>[1]>;

const plannedMax = 100;

/** @returns a function that plans some due subscriptions and returns how many; it rejects if the store does not answer */
export function createPlanner(services: PlannerServices): () => Promise<number> {
  const { measure = measureNothing } = services;
  const newSpacing = () => createSpacing(services.timing.postIntervalMs);
  let space = newSpacing();
  return async () => {
    services.failpoint('before plan');
    let missed = 0;
    const planning = services.outbox.plan(plannedMax, (...due) => {
      const [subscription] = due;
      const { occurrences, next } = planOrPostpone(services, due);
      missed += occurrences.filter(({ state }) => state === 'missed').length;
      return { occurrences: occurrences.map((occurrence) => space(subscription.teamId, occurrence)), next };
    });
    const planned = await planning.catch((err: unknown) => skipUnreadable(services, err));
    if (planned < plannedMax) space = newSpacing();
    // Missed occurrences are never claimed, so they are measured here.
    for (; missed > 0; missed -= 1) measure({ kind: 'digest', outcome: 'missed', latenessMs: null });
    services.failpoint('after plan');
    return planned;
  };
}

/** A subscription in a form of a newer version is left to that version; the others were planned. */
function skipUnreadable({ log }: PlannerServices, err: unknown): number {
  if (err instanceof AppError && err.code === 'unavailable') throw err;
  log.error({ err }, 'a digest schedule cannot be read');
  return 0;
}

/** A subscription that cannot be planned is tried again later and delays no other. */
function planOrPostpone({ timing, log }: PlannerServices, [subscription, now, coveredTo]: DueOf): PlannedOccurrences {
  try {
    return planOccurrences(subscription, now, timing, coveredTo);
  } catch (err) {
    const { teamId, id, nextDue } = subscription;
    log.error({ teamId, subscriptionId: id, err }, 'the next digest of a schedule cannot be planned');
    return {
      occurrences: [],
      next: { localTime: nextDue?.localTime ?? '', at: now + timing.catchUpMs, shift: 'none' },
    };
  }
}
