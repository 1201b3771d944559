/** Occurrences of a due subscription. */
import { describe, expect, it } from 'vitest';
import { duesBetween, nextDue } from '../../../src/bot/domain/schedule.ts';
import type { Subscription } from '../../../src/bot/domain/subscription.ts';
import { createSpacing, planOccurrences } from '../../../src/bot/outbox/plan.ts';
import { defaultTiming } from '../../../src/bot/outbox/timing.ts';
import { dayMs, due, only, plan } from '../../support/bot/outbox.ts';

const hourMs = 3_600_000;

function subscription(change: Partial<Subscription> = {}): Subscription {
  const made = { teamId: 'T1', id: 'a1', createdBy: 'U1', createdAt: 0, pause: null, notifiedAt: null, nextDue: due };
  return { ...plan, ...made, ...change };
}

const planned = (now: number, change: Partial<Subscription> = {}) =>
  planOccurrences(subscription(change), now, defaultTiming);

describe('a subscription that is due', () => {
  it('has one occurrence whose window begins at the previous one, and is due again the next day', () => {
    const { occurrences, next } = planned(due.at);
    expect(occurrences).toMatchObject([
      {
        occurrenceId: due.localTime,
        dueAt: due.at,
        window: { from: due.at - dayMs, to: due.at },
        state: 'due',
        isLate: false,
      },
    ]);
    expect(next).toMatchObject({ localTime: '2026-11-23T09:00', at: due.at + dayMs });
  });

  it('with one weekday has a window of exactly one local week, also across clock changes', () => {
    const schedule = { ...plan.schedule, weekdays: [1], zone: 'Europe/Berlin' };
    const first = nextDue(schedule, { at: Date.parse('2026-10-13T00:00Z') });
    const windows = duesBetween(schedule, first, Date.parse('2026-11-03T00:00Z'), 9).map(
      (nextDue) => planned(nextDue.at, { schedule, nextDue }).occurrences[0]?.window,
    );
    const at = (...mondays: readonly string[]) => mondays.map((monday) => Date.parse(monday));
    expect(windows.map((window) => window?.from)).toEqual(at('2026-10-19T07:00Z', '2026-10-26T08:00Z'));
    expect(windows.map((window) => window?.to)).toEqual(at('2026-10-26T08:00Z', '2026-11-02T08:00Z'));
  });

  it.each([
    ['ended with the occurrence before', -dayMs, -dayMs],
    ['ended before that, as its time was another one then', -1.5 * dayMs, -1.5 * dayMs],
    ['ended long ago', -20 * dayMs, -7 * dayMs],
    ['reaches into it', -1000, -dayMs],
  ])('leaves no gap if the last window %s', (_, coveredTo, from) => {
    const { occurrences } = planOccurrences(subscription(), due.at, defaultTiming, due.at + coveredTo);
    expect(occurrences[0]?.window).toEqual({ from: due.at + from, to: due.at });
  });

  it('is late after ten minutes, and missed after six hours', () => {
    const stateAfter = (ms: number) => planned(due.at + ms).occurrences.map(({ state, isLate }) => [state, isLate]);
    expect(stateAfter(600_000)).toEqual([['due', false]]);
    expect(stateAfter(600_001)).toEqual([['due', true]]);
    expect(stateAfter(6 * hourMs - 1)).toEqual([['due', true]]);
    expect(stateAfter(6 * hourMs)).toEqual([['missed', true]]);
  });

  it('after two years has an occurrence for every day, in rounds, and only the last is posted', () => {
    const now = due.at + 730 * dayMs;
    const first = planned(now);
    const second = planned(now, { nextDue: first.next });
    const occurrences = [...first.occurrences, ...second.occurrences];
    expect([occurrences.length, new Set(occurrences.map(({ occurrenceId }) => occurrenceId)).size]).toEqual([731, 731]);
    expect(occurrences.filter(({ state }) => state === 'due').map(({ dueAt }) => dueAt)).toEqual([now]);
  });

  it('is claimable half a minute after its time, and at a full hour with a stable jitter of at most 20 s', () => {
    const delays = Array.from({ length: 100 }, (_, id) => {
      const { occurrences } = planned(due.at, { id: `s${id}` });
      return (occurrences[0]?.notBefore ?? 0) - due.at;
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(50_000);
    expect(new Set(delays).size).toBeGreaterThan(90);
    expect(planned(due.at).occurrences).toEqual(planned(due.at).occurrences);
    const odd = { ...plan.schedule, time: '09:07' };
    const { occurrences } = planned(due.at, {
      schedule: odd,
      nextDue: { ...due, localTime: '2026-11-22T09:07' },
    });
    expect(occurrences[0]?.notBefore).toBe(due.at + 30_000);
  });

  it('is not due before its next time', () => {
    expect(planned(due.at - 1)).toEqual({ occurrences: [], next: due });
  });
});

describe('occurrences of a workspace that are due together', () => {
  const occurrenceAt = (notBefore: number) => ({ ...(planned(due.at).occurrences[0] ?? only([])), notBefore });

  it('are spaced by a second, each as early as possible, and no other workspace waits for them', () => {
    const space = createSpacing(1000);
    const notBefore = (teamId: string, at: number) => space(teamId, occurrenceAt(at)).notBefore;
    const moments = [5000, 5500, 0, 900, 6200].map((at) => notBefore('T1', at));
    expect([...moments, notBefore('T2', 5500)]).toEqual([5000, 6000, 0, 1000, 7000, 5500]);
  });
});
