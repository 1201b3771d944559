/** Failures count in the window in which they ended: the numbers of two neighbouring windows add up to those of their union. */
import { describe, expect, it } from 'vitest';
import type { DigestFacts } from '../../../src/bot/views/digest/facts.ts';
import type { ExecutionRecord } from '../../../src/query-service/records/record.ts';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { arrivalsOf, type Chance, createChance } from '../../support/insight/arrivals.ts';
import { startTestService } from '../../support/service/service.ts';
import {
  executionRecord,
  failureRecord,
  harbor,
  uuidOf,
  workflowRecord,
} from '../../support/service/service-records.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type History = { readonly name: string; readonly borders: readonly [number, number, number]; readonly lateMs: number };

const midnight = (day: string, zone: string) => Date.parse(`${day}T00:00:00${zone}`);

/** Borders of two windows, and how late their digests are. The clocks of Berlin change on 25 October and on 29 March. */
const histories: readonly History[] = [
  {
    name: 'two days of which one has 25 hours',
    borders: [midnight('2026-10-24', '+02:00'), midnight('2026-10-25', '+02:00'), midnight('2026-10-26', '+01:00')],
    lateMs: 0,
  },
  {
    name: 'two days of which one has 23 hours, late by 5 hours',
    borders: [midnight('2026-03-28', '+01:00'), midnight('2026-03-29', '+01:00'), midnight('2026-03-30', '+02:00')],
    lateMs: 5 * hourMs,
  },
  { name: 'two hours', borders: bordersAt('2026-11-20T09:00:00Z', hourMs), lateMs: 0 },
  { name: 'two hours, late by 40 minutes', borders: bordersAt('2026-11-19T23:30:00Z', hourMs), lateMs: 40 * minuteMs },
  { name: 'two half days', borders: bordersAt('2026-11-18T06:00:00Z', 12 * hourMs), lateMs: 7 * minuteMs },
];

function bordersAt(first: string, lengthMs: number): readonly [number, number, number] {
  const at = Date.parse(first);
  return [at, at + lengthMs, at + 2 * lengthMs];
}

/** One run in five takes up to 20 hours; one in a hundred ends before it starts, and one in fifty has no end. */
function endOf(startedAt: number, chance: Chance): number | null {
  if (chance.hits(0.02)) return null;
  if (chance.hits(0.01)) return startedAt - chance.between(1, 5000);
  return startedAt + (chance.hits(0.2) ? chance.between(1, 20 * hourMs) : chance.between(1, 30_000));
}

function runsOf(seed: number, [first, , last]: History['borders'], until: number): readonly ExecutionRecord[] {
  const chance = createChance(seed);
  const starts = arrivalsOf('Poisson', { from: first - 2 * dayMs, to: until }, 30 * minuteMs, chance);
  // Some end exactly at a border.
  const atBorders = [first, last].flatMap((border) =>
    [border - 1, border].map((end) => [end - 3 * hourMs, end] as const),
  );
  return [...starts.map((startedAt) => [startedAt, endOf(startedAt, chance)] as const), ...atBorders].map(
    ([startedAt, finishedAt], index) => {
      const number = seed * 10_000 + index;
      const isFailure = chance.hits(0.4) || index >= starts.length;
      return isFailure
        ? failureRecord(number, { startedAt, finishedAt, logs: null, events: null })
        : executionRecord(number, { startedAt, finishedAt });
    },
  );
}

/** As the service would have answered at this time. */
function asOf(at: number, runs: readonly ExecutionRecord[]): readonly ExecutionRecord[] {
  return runs
    .filter(({ startedAt }) => startedAt <= at)
    .map((run) =>
      (run.finishedAt ?? 0) <= at
        ? run
        : {
            ...run,
            status: 'IN_PROGRESS' as const,
            classifiedStatus: null,
            detailedStatus: null,
            finishedAt: null,
            errors: null,
          },
    );
}

type Window = { readonly from: number; readonly to: number };

async function factsAt(runs: readonly ExecutionRecord[], now: number, window: Window, uuids?: readonly string[]) {
  const [facts] = await factsOfEach(runs, now, [window], uuids);
  if (facts === undefined) throw new Error('one window');
  return facts;
}

/** The facts of several windows at one time. */
async function factsOfEach(
  runs: readonly ExecutionRecord[],
  now: number,
  windows: readonly Window[],
  uuids?: readonly string[],
) {
  const service = await startTestService({ hasRecords: false, clock: () => now });
  try {
    await service.writer.putOrganization(harbor.organization);
    await service.writer.putAccount(harbor.account);
    await service.writer.putWorkflows([workflowRecord(1)]);
    await service.writer.putExecutions(asOf(now, runs));
    await using desk = digestDesk({ url: service.url, apiKey: service.apiKeys.harbor }, now);
    const workflows = uuids ? ({ kind: 'chosen', uuids } as const) : ({ kind: 'all' } as const);
    const facts: DigestFacts[] = [];
    for (const window of windows) {
      facts.push(await desk.facts(digestRequest(now, { window, plan: { workflows, hasAllClear: true } })));
    }
    return facts;
  } finally {
    await service.close();
  }
}

/** Sums of failures by a name. */
function added(...maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of maps.flatMap((map) => [...map])) sums.set(name, (sums.get(name) ?? 0) + count);
  return new Map([...sums].sort());
}

describe.each(histories)('over $name', ({ borders, lateMs, name }) => {
  const [first, middle, last] = borders;
  it('the failures of both windows are those of their union, and none is lost', async () => {
    const runs = runsOf(name.length, borders, last + lateMs);
    const one = await factsAt(runs, middle + lateMs, { from: first, to: middle });
    const later = [
      { from: middle, to: last },
      { from: first, to: last },
    ];
    const [other, union] = await factsOfEach(runs, last + lateMs, later);
    if (other === undefined || union === undefined) throw new Error('two windows');
    const endedIn = runs.filter(({ status, startedAt, finishedAt }) => {
      const endedAt = Math.max(startedAt, finishedAt ?? startedAt);
      return status === 'FAILURE' && endedAt >= first && endedAt < last;
    });
    expect(endedIn.length).toBeGreaterThan(0);
    expect([one.failureCount + other.failureCount, union.failureCount]).toEqual([endedIn.length, endedIn.length]);
    const byCause = ({ causes }: typeof one) => new Map(causes.map(({ cause, count }) => [cause.fingerprint, count]));
    const byWorkflow = ({ failing }: typeof one) => new Map(failing.map(({ name: of, count }) => [of, count]));
    expect(added(byCause(one), byCause(other))).toEqual(added(byCause(union)));
    expect(added(byWorkflow(one), byWorkflow(other))).toEqual(added(byWorkflow(union)));
    // The service counts by start: its numbers are compared by start, so that long runs are no mismatch.
    for (const facts of [one, other, union]) {
      expect(facts).toMatchObject({ missing: [], failuresNotRead: 0, reconciliation: { mismatches: [] } });
    }
  });
});

describe('the look-back of a digest', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const window = { from: now - hourMs, to: now };
  const failed = (number: number, startedAt: number, finishedAt: number) =>
    failureRecord(number, { startedAt, finishedAt, logs: null, events: null });

  it('is a day beyond the window before, and is stated', async () => {
    const facts = await factsAt([failed(1, now - 11 * minuteMs - hourMs, now - minuteMs)], now, window);
    expect(facts).toMatchObject({ failureCount: 1, lookedBackMs: dayMs + hourMs, missing: [] });
  });

  it('is as long for sixty chosen workflows', async () => {
    const runs = [failed(1, now - 11 * minuteMs - hourMs, now - minuteMs)];
    const uuids = Array.from({ length: 60 }, (_, index) => uuidOf('workflow', 60 - index));
    expect(await factsAt(runs, now, window, uuids)).toMatchObject({ failureCount: 1, lookedBackMs: dayMs + hourMs });
  });

  it('is twice the longest run that is seen, finished or not', async () => {
    const long = failed(1, now - 50 * hourMs, now - minuteMs);
    const unfinished = failed(2, now - 30 * hourMs, now + hourMs);
    expect(await factsAt([long], now, window)).toMatchObject({ failureCount: 0, lookedBackMs: dayMs + hourMs });
    expect(await factsAt([long, unfinished], now, window)).toMatchObject({
      failureCount: 1,
      lookedBackMs: 2 * (50 * hourMs - minuteMs) + hourMs,
    });
  });

  it('ends after 5,000 failures, and says where', async () => {
    const burst = Array.from({ length: 5100 }, (_, index) => {
      const startedAt = now - 5 * hourMs - index * 1000;
      return failed(index, startedAt, startedAt + 500);
    });
    const facts = await factsAt([failed(9999, now - 4 * hourMs, now - minuteMs), ...burst], now, window);
    expect(facts).toMatchObject({ failureCount: 1, failuresBefore: 0 });
    expect(facts.lookedBackMs).toBeGreaterThan(5 * hourMs);
    expect(facts.lookedBackMs).toBeLessThan(6 * hourMs);
  });
});
