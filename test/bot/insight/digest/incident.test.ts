/** Platform incidents: an outage is found in its first minutes, and coincidence is not called one. */
import { describe, expect, it } from 'vitest';
import type { AgeIn } from '../../../../src/bot/insight/causes/recurrence.ts';
import { judgeCauses } from '../../../../src/bot/insight/digest/causes.ts';
import { judgeMeeting, type RunRates, runRatesOf } from '../../../../src/bot/insight/digest/incident.ts';
import { createTally } from '../../../../src/bot/insight/digest/tally.ts';
import { createChance } from '../../../support/insight/arrivals.ts';
import { failuresOf, sampleAt } from '../../../support/service/sample.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const from = Date.parse('2026-11-20T06:00:00Z');

type Failed = { readonly workflow: string; readonly minute: number; readonly error?: string; readonly by?: string };

/** @param day 0 for the window, -1 for the window before */
function tally(failures: readonly Failed[], day = 0) {
  const start = from + day * dayMs;
  const one = createTally({ from: start, to: start + dayMs, zone: 'UTC' });
  for (const { workflow, minute, error = 'quorum lost', by = 'SYSTEM_ERROR' } of failures) {
    const startedAt = new Date(start + minute * minuteMs).toISOString();
    const errors = error === '' ? null : [{ error, count: 3 }];
    one.add({ uuid: 'e', workflowName: workflow, startedAt, finishedAt: startedAt, classifiedStatus: by, errors });
  }
  return one.result();
}

const quiet = tally([], -1);
const isNew: AgeIn = (_name, _fingerprint, { first }) => ({ recurrence: 'new', since: first });
const everyFiveMinutes = (names: readonly string[]) => new Map(names.map((name) => [name, 1 / (5 * minuteMs)]));
const incidentIn = (failures: readonly Failed[], before: readonly Failed[] = [], runRates?: RunRates) =>
  judgeCauses(tally(failures), before.length === 0 ? quiet : tally(before, -1), isNew, runRates)[0]?.incident ?? null;

describe('workflows that begin to fail together', () => {
  it.each([
    ['at the same time through the platform', [200, 205, 210], 'SYSTEM_ERROR', 'quorum lost', 3],
    ['through the platform, hours apart', [200, 400, 600], 'SYSTEM_ERROR', 'quorum lost', 0],
    ['at the same time through their own fault', [200, 205, 210], 'USER_ERROR', 'quorum lost', 0],
    ['at the same time, without an error text', [200, 205, 210], 'SYSTEM_ERROR', '', 0],
  ])('an incident or not: three workflows %s', (_, minutes, by, error, together) => {
    const failures = minutes.map((minute, index) => ({ workflow: `w-${index}`, minute, by, error }));
    expect(incidentIn(failures)?.workflows.length ?? 0).toBe(together);
  });

  it('are an incident of two if both run often and never failed of it before, and chance if they did', () => {
    const both = ['a', 'b'].map((workflow) => ({ workflow, minute: 700 }));
    const often = everyFiveMinutes(['a', 'b']);
    expect(incidentIn(both, [], often)?.workflows).toEqual(['a', 'b']);
    const usual = [100, 400, 900].flatMap((minute) => both.map(({ workflow }) => ({ workflow, minute })));
    expect(incidentIn(both, usual, often)).toBeNull();
  });

  it('are chance if they run once a day at the same time', () => {
    const daily = new Map(['a', 'b', 'c'].map((name) => [name, 1 / dayMs]));
    const failures = [...daily.keys()].map((workflow) => ({ workflow, minute: 700 }));
    expect(incidentIn(failures, [], daily)).toBeNull();
  });

  it('do not begin at the border of two windows if they failed before it, or if that is not known', () => {
    const names = ['a', 'b', 'c'];
    const at = (minute: number) => names.map((workflow, index) => ({ workflow, minute: minute + index }));
    expect(incidentIn(at(0))?.workflows).toEqual(names);
    expect(incidentIn(at(0), at(1430))).toBeNull();
    expect(judgeCauses(tally(at(0)), null, isNew)[0]?.incident).toBeNull();
  });

  it('do not begin together because they started before the window and ended in it at different times', () => {
    const one = createTally({ from, to: from + dayMs, zone: 'UTC' });
    for (const [index, minute] of [200, 500, 900].entries()) {
      const startedAt = new Date(from - (index + 1) * 3_600_000).toISOString();
      const finishedAt = new Date(from + minute * minuteMs).toISOString();
      const errors = [{ error: 'quorum lost', count: 3 }];
      one.add({
        uuid: 'e',
        workflowName: `w-${index}`,
        startedAt,
        finishedAt,
        classifiedStatus: 'SYSTEM_ERROR',
        errors,
      });
    }
    expect(judgeCauses(one.result(), quiet, isNew)[0]?.incident).toBeNull();
  });

  it('have the failures from their first until they stop, and the numbers that show it is not chance', () => {
    const names = ['a', 'b', 'c'];
    const outage = [0, 5, 10, 15, 50].flatMap((after) =>
      names.map((workflow, index) => ({ workflow, minute: 700 + after + index })),
    );
    const incident = incidentIn([...outage, { workflow: 'a', minute: 100 }, { workflow: 'a', minute: 1300 }]);
    const at = (minute: number) => from + minute * minuteMs;
    expect(incident).toMatchObject({ workflows: names, count: 15, first: at(700), last: at(752) });
    expect(incident?.withinMs).toBe(10 * minuteMs);
    expect(incident?.chance).toBeLessThan(0.01);
  });
});

it('a failure beside that of one other workflow is chance if that one fails often, and not if it never did', () => {
  const often = [5, 20, 40].map((hours) => from - hours * 60 * minuteMs);
  expect(judgeMeeting([often], 1, 144)).toMatchObject({ isChance: true });
  expect(judgeMeeting([[]], 1, 144)).toMatchObject({ isChance: false });
  expect(judgeMeeting([often, often], 2, 144)).toMatchObject({ isChance: false });
});

/** Each of the workflows runs every five minutes. @returns the days of 200 with an incident */
function daysWithIncident(workflows: number, rate: number): number {
  const chance = createChance(7, workflows);
  const names = Array.from({ length: workflows }, (_, index) => `w-${index}`);
  const days = Array.from({ length: 201 }, (_, day) => {
    const failed = names.flatMap((workflow) =>
      Array.from({ length: 288 }, (__, run) => ({ workflow, minute: 5 * run })).filter(() => chance.hits(rate)),
    );
    return { failed, window: tally(failed), before: tally(failed, -1), day };
  });
  const isIncident = ({ window, day }: (typeof days)[number]) =>
    judgeCauses(window, days[day - 1]?.before ?? null, isNew, everyFiveMinutes(names)).some(({ incident }) => incident);
  return days.slice(1).filter(isIncident).length;
}

it.each([
  ['two workflows failing 1 %', 2, 0.01],
  ['ten workflows failing 0.3 %', 10, 0.003],
])('of 200 days of %s of their runs, independently, at most 2 have an incident', (_, workflows, rate) => {
  expect(daysWithIncident(workflows, rate)).toBeLessThanOrEqual(2);
});

describe('the outage of the sample', () => {
  const { sample, moments } = sampleAt('2026-11-20T10:00:00Z');
  const names = new Map(sample.workflows.map(({ uuid, name }) => [uuid, name]));
  const failures = failuresOf(sample.executions).map(({ uuid, workflowUuid, startedAt, finishedAt, ...rest }) => ({
    ...rest,
    uuid,
    workflowName: names.get(workflowUuid) ?? '',
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
  }));
  const runRates = runRatesOf(
    sample.workflows.map(({ name, registeredAt }) => ({
      name,
      registeredAt: new Date(registeredAt).toISOString(),
      executedAt: new Date(sample.runsOf(name)[0]?.startedAt ?? 0).toISOString(),
      executionCountByStatus: { success: sample.runsOf(name).length, failure: 0 },
    })),
  );
  /** As a digest of 24 hours reads it so long after the outage began. */
  const incidentAfter = (minutes: number) => {
    const to = moments.outageFrom + minutes * minuteMs;
    const [before, window] = [to - 2 * dayMs, to - dayMs].map((start) => {
      const one = createTally({ from: start, to: start + dayMs, zone: 'UTC' });
      for (const failure of failures) one.add(failure);
      return one.result();
    });
    if (!before || !window) return [];
    return judgeCauses(window, before, isNew, runRates).flatMap(({ incident }) => (incident ? [incident] : []));
  };

  it('is one incident from its fifth minute on, and none before it began', () => {
    expect(incidentAfter(0)).toEqual([]);
    expect(incidentAfter(5)).toMatchObject([{ workflows: ['eth-usd-price-feed', 'risk-model'] }]);
    const [whole] = incidentAfter(28);
    expect(whole?.workflows).toHaveLength(5);
    expect((whole?.first ?? 0) - moments.outageFrom).toBeLessThan(minuteMs);
  });
});
