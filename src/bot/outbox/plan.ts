/** From a subscription that is due to its occurrences: the latest is posted while it is young enough, of the others the next digest tells. */
import { hash } from 'node:crypto';
import { type Due, dueBefore, duesBetween, nextDue, type Schedule } from '../domain/schedule.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { NewOccurrence, PlannedOccurrences } from '../store/outbox/occurrence.ts';
import type { DigestTiming } from './timing.ts';

export type PlanningTiming = Pick<DigestTiming, 'catchUpMs' | 'lateAfterMs' | 'serviceLagMs' | 'jitterMsMax'>;

/** More than a year of days; what lies beyond is planned in the next round. */
const duesMax = 400;
/** Why an occurrence is missed that nobody has seen in time. */
export const botWasAway = 'away';
const weekMs = 7 * 24 * 60 * 60_000;

/** @param now epoch milliseconds by the database's clock, as is @param toldTo where the last window ended; null for none */
export function planOccurrences(
  subscription: Subscription,
  now: number,
  timing: PlanningTiming,
  toldTo: number | null = null,
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
      window: windowOf(schedule, due, due === first ? toldTo : null),
      ...(isMissed ? { state: 'missed', error: botWasAway } : { state: 'due' }),
      isLate: now - due.at > timing.lateAfterMs,
      notBefore: due.at + timing.serviceLagMs + jitterMs(subscription, timing.jitterMsMax),
    };
  });
  return { occurrences, next: nextDue(schedule, last) };
}

/**
 * Slack takes one message a second from a workspace: those of one that are due together come one after the other, so that none
 * is claimed, by this process or another, whose turn is still to come. @param everyMs between two
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
 * From the occurrence before: a week at the most, and an hour more where the clocks went back meanwhile. Where the schedule was
 * another then, or stood still, from where the last window ended, which may be a week ago, too.
 */
function windowOf(schedule: Schedule, { localTime, at }: Due, toldTo: number | null): NewOccurrence['window'] {
  const { at: before } = dueBefore(schedule, localTime);
  return { from: toldTo === null ? before : Math.min(before, Math.max(toldTo, at - weekMs)), to: at };
}

/** Everybody likes nine o'clock: there they come one after the other, each subscription always at its own moment. */
function jitterMs({ teamId, id, schedule }: Subscription, max: number): number {
  if (Number(schedule.time.slice(-2)) % 15 !== 0) return 0;
  const share = Number.parseInt(hash('sha256', `${teamId} ${id}`).slice(0, 8), 16) / 0xffff_ffff;
  return Math.round(share * max);
}

/** @returns whether a person asked for it: such an occurrence is not named after a local time */
export function isOnRequest(occurrence: string): boolean {
  return !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(occurrence);
}
