/** Comparison with good executions: the first call that differs, and no difference that good executions show too. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWithGood as comparisonSteps } from '../../../../src/bot/insight/executions/comparison.ts';
import { type Timeline, type TimelineEvent, timelineOf } from '../../../../src/bot/insight/executions/timeline.ts';
import type { ExecutionRecord } from '../../../../src/query-service/records/record.ts';
import { runCooperatively } from '../../../../src/shared/time/cooperative.ts';
import { expectEvery } from '../../../support/runner/every.ts';
import { finished } from '../../../support/runner/finished.ts';
import { turnsDuring } from '../../../support/runner/turns.ts';
import { sampleAt } from '../../../support/service/sample.ts';

const compareWithGood = (timeline: Timeline, good: readonly Timeline[]) => finished(comparisonSteps(timeline, good));

const startedAt = Date.parse('2026-11-20T10:00:00Z');

type Call = readonly [capability: string, from: number, to: number | null, more?: Partial<TimelineEvent>];

function timelineWith(calls: readonly Call[], status = 'SUCCESS') {
  const events = calls.map(([capabilityID, from, to, more]): TimelineEvent => {
    const finishedAt = to === null ? null : startedAt + to;
    return {
      capabilityID,
      method: 'Call',
      status: 'COMPLETED',
      startedAt: startedAt + from,
      finishedAt,
      errors: null,
      ...more,
    };
  });
  const finishedAt = status === 'IN_PROGRESS' ? null : startedAt + 30_000;
  const execution = { status, startedAt, finishedAt, errors: null };
  return finished(timelineOf({ execution, events, now: startedAt + 40_000 }));
}

const plain: readonly Call[] = [
  ['cron', 0, 40],
  ['http', 60, 700],
  ['http', 800, 1_500],
  ['agree', 1_600, 2_400],
  ['write', 2_500, 4_500],
];
const good = [
  timelineWith(plain),
  timelineWith(plain.map(([name, from, to]) => [name, from, (to ?? 0) + 30])),
  timelineWith(plain),
];
const failure = { status: 'FAILURE', errors: [{ error: 'batch 17 refused', count: 9 }] };

/** The plain execution with one call changed, or left out. */
function changed(index: number, call: Call | null): readonly Call[] {
  return plain.flatMap((old, at) => (at !== index ? [old] : call === null ? [] : [call]));
}

describe('the first difference to the last good execution', () => {
  it.each<[string, readonly Call[], unknown]>([
    ['none where nothing differs', plain, null],
    ['none where a duration differs a little', changed(1, ['http', 60, 1_000]), null],
    [
      'a step that failed, rather than those it kept from running',
      [...plain.slice(0, 2), ['http', 800, 1_500, failure]],
      { kind: 'state', index: 2, compared: { occurrence: 2, occurrences: 2 } },
    ],
    [
      'a step that is missing',
      changed(3, null),
      { kind: 'missing', index: 3, compared: { capability: 'agree', call: null } },
    ],
    ['a step too many', [...plain, ['mail', 5_000, 5_100]], { kind: 'extra', index: 5, compared: { good: null } }],
    [
      'a call that completed with errors',
      changed(1, ['http', 60, 700, { errors: failure.errors }]),
      { kind: 'state', index: 1 },
    ],
    ['a call that took far longer', changed(3, ['agree', 1_600, 9_000]), { kind: 'duration', index: 3 }],
    ['a call that took no time', changed(4, ['write', 2_500, 2_510]), { kind: 'duration', index: 4 }],
    ['a call that never ended', changed(4, ['write', 2_500, null, { status: 'STARTED' }]), { kind: 'state', index: 4 }],
  ])('is %s', (_, calls, expected) => {
    const { firstDifference } = compareWithGood(timelineWith(calls, 'FAILURE'), good);
    if (expected === null) expect(firstDifference).toBeNull();
    else expect(firstDifference).toMatchObject(expected as object);
  });

  it('is no duration while fewer than three good executions are known', () => {
    expect(
      compareWithGood(timelineWith(changed(3, ['agree', 1_600, 9_000])), good.slice(0, 2)).firstDifference,
    ).toBeNull();
  });

  it('is another error in a call that has errors in good executions too', () => {
    const having = (error: string) => timelineWith(changed(1, ['http', 60, 700, { errors: [{ error, count: 2 }] }]));
    const withErrors = [
      having('node 3 timed out after 10s'),
      having('node 8 timed out after 12s'),
      having('node 1 timed out after 9s'),
    ];
    expect(compareWithGood(having('node 5 timed out after 11s'), withErrors).firstDifference).toBeNull();
    expect(compareWithGood(having('certificate expired'), withErrors).firstDifference).toMatchObject({
      kind: 'error',
      index: 1,
    });
  });

  it('is nothing that a recent good execution shows too', () => {
    const mixed = [
      ...good,
      timelineWith(changed(1, ['http', 60, 700, { errors: failure.errors }])),
      timelineWith(changed(3, null)),
    ];
    expect(
      compareWithGood(timelineWith(changed(1, ['http', 60, 700, { errors: failure.errors }])), mixed).firstDifference,
    ).toBeNull();
    expect(compareWithGood(timelineWith(changed(3, null)), mixed).firstDifference).toBeNull();
  });

  it('is a call that runs for too long, not one that a running execution has not reached', () => {
    const waiting = timelineWith(plain.slice(0, 3), 'IN_PROGRESS');
    const stuck = timelineWith(
      [...plain.slice(0, 3), ['agree', 1_600, null, { status: 'IN_PROGRESS' }]],
      'IN_PROGRESS',
    );
    expect(compareWithGood(waiting, good).firstDifference).toBeNull();
    expect(compareWithGood(stuck, good).firstDifference).toMatchObject({ kind: 'duration', index: 3 });
  });

  it('is none without a good execution', () => {
    expect(compareWithGood(timelineWith(plain), [])).toMatchObject({
      firstDifference: null,
      calls: { length: 5 },
    });
  });

  it('is none if overlapping calls of one method end in another order', () => {
    const race = (slow: number, fast: number) =>
      timelineWith([
        ['http', 60, 60 + slow],
        ['http', 62, 62 + fast],
      ]);
    const races = [race(5_000, 300), race(5_010, 310), race(4_990, 305)];
    expect(compareWithGood(race(300, 5_000), races).firstDifference).toBeNull();
  });
});

it('includes the usual duration of a call', () => {
  const { calls } = compareWithGood(timelineWith(plain), good);
  expect(calls[1]?.usual).toEqual({ minMs: 640, medianMs: 640, maxMs: 670, samples: 3 });
});

it('every step of both executions is in exactly one row', () => {
  const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(900), fc.nat(900)), { maxLength: 25 });
  const timelines = fc.array(
    calls.map((list) => timelineWith(list.map(([name, from, long]): Call => [name, from, from + long]))),
    { minLength: 1, maxLength: 4 },
  );
  const property = fc.property(calls, timelines, (list, goodOnes) => {
    const timeline = timelineWith(list.map(([name, from, long]) => [name, from, from + long]));
    const { calls, firstDifference } = compareWithGood(timeline, goodOnes);
    expect(calls.flatMap(({ call }) => call ?? [])).toEqual(timeline.calls);
    expect(new Set(calls.flatMap((row) => row.good ?? []))).toEqual(new Set(goodOnes[0]?.calls));
    expect(firstDifference === null).toBe(calls.every(({ differences }) => differences.length === 0));
    expect(compareWithGood(timeline, [timeline, ...goodOnes]).firstDifference).toBeNull();
  });
  fc.assert(property);
});

describe('for any execution', () => {
  /** Calls one after the other, with their lengths; some capability may come twice. */
  const anyCalls = fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 20, max: 2_000 })), {
      minLength: 1,
      maxLength: 8,
    })
    .map((list) => {
      let at = 0;
      return list.map(([name, long]): Call => {
        const from = at;
        at += long + 5;
        return [name, from, from + long];
      });
    });
  const slower = (calls: readonly Call[], ms: number) =>
    calls.map(([name, from, to]): Call => [name, from, (to ?? from) + ms]);
  const goodOf = (calls: readonly Call[]) => [
    timelineWith(calls),
    timelineWith(slower(calls, 2)),
    timelineWith(slower(calls, 4)),
  ];

  it('the failed call is the first difference if the others are as usual', () => {
    const property = fc.property(anyCalls, fc.nat(), (calls, pick) => {
      const index = pick % calls.length;
      const failed = calls.map((call, at): Call => (at === index ? [call[0], call[1], call[2], failure] : call));
      const { firstDifference } = compareWithGood(timelineWith(failed, 'FAILURE'), goodOf(calls));
      expect(firstDifference).toMatchObject({ kind: 'state', index });
    });
    fc.assert(property);
  });

  it('the calls that a failed call prevented are missing, each once, after it', () => {
    const property = fc.property(anyCalls, fc.nat(), (calls, pick) => {
      const ran = calls.slice(0, (pick % calls.length) + 1);
      const { calls: compared } = compareWithGood(timelineWith(ran, 'FAILURE'), goodOf(calls));
      const missing = compared.filter(({ differences }) => differences.includes('missing'));
      expect(missing).toHaveLength(calls.length - ran.length);
      expectEvery(compared.slice(0, ran.length), ({ call }) => call !== null);
    });
    fc.assert(property);
  });

  it('no duration within those of the good ones is a difference, and one far outside is', () => {
    const property = fc.property(anyCalls, fc.nat(), fc.nat(4), (calls, pick, ms) => {
      expect(compareWithGood(timelineWith(slower(calls, ms)), goodOf(calls)).firstDifference).toBeNull();
      const index = pick % calls.length;
      const late = calls.map(([name, from, to], at): Call => [name, from, (to ?? 0) + (at === index ? 25_000 : 0)]);
      const kinds = compareWithGood(timelineWith(late), goodOf(calls)).calls.flatMap(({ differences }) => differences);
      expect(kinds).toContain('duration');
    });
    fc.assert(property);
  });

  it('one more good execution takes differences away and adds none, but of duration', () => {
    const property = fc.property(anyCalls, anyCalls, anyCalls, (calls, good, more) => {
      const kinds = (goodOnes: readonly (readonly Call[])[]) =>
        compareWithGood(
          timelineWith(calls, 'FAILURE'),
          goodOnes.map((each) => timelineWith(each)),
        ).calls.flatMap(({ capability, occurrence, differences }) =>
          differences.filter((kind) => kind !== 'duration').map((kind) => `${capability} ${occurrence} ${kind}`),
        );
      const known = new Set(kinds([good]));
      expect(kinds([good, more]).filter((kind) => !known.has(kind))).toEqual([]);
    });
    fc.assert(property);
  });
});

describe('in the sample organization', () => {
  const { sample, builtAt } = sampleAt('2026-11-20T10:00:00Z');
  const read = (run: ExecutionRecord) => {
    const events = (run.events ?? []).map(({ capabilityId, ...rest }) => ({ ...rest, capabilityID: capabilityId }));
    return finished(timelineOf({ execution: run, events, now: builtAt }));
  };
  const compared = (name: string, status: string) => {
    const runs = sample.runsOf(name).filter(({ events }) => events !== null);
    return runs.slice(0, 120).flatMap((run, index) => {
      const before = runs
        .slice(index + 1)
        .filter((other) => other.status === 'SUCCESS')
        .slice(0, 5);
      return run.status === status && before.length === 5 ? [compareWithGood(read(run), before.map(read))] : [];
    });
  };

  it.each([
    ['payments', 'http-actions@1.0.0'],
    ['collateral-rebalance', 'evm:write@1.0.0'],
    ['xau-usd-price-feed', 'consensus@1.0.0'],
  ])('failures of %s differ first in the state of the call that failed, to %s', (name, capability) => {
    const found = compared(name, 'FAILURE').map(({ firstDifference }) => firstDifference);
    expect(found.length).toBeGreaterThan(3);
    for (const difference of found) expect(difference).toMatchObject({ kind: 'state', compared: { capability } });
  });

  it.each([
    'payments',
    'fx-rates',
    'settlement',
    'eth-usd-price-feed',
    'xau-usd-price-feed',
    'proof-of-reserves',
    'risk-model',
  ])('good executions of %s differ in nothing from the good ones before them', (name) => {
    const comparisons = compared(name, 'SUCCESS');
    expect(comparisons.length).toBeGreaterThan(20);
    expect(comparisons.filter(({ firstDifference }) => firstDifference !== null)).toEqual([]);
  });
});

describe('300 steps that overlap, with long errors', () => {
  const calls = (text: string) =>
    Array.from({ length: 300 }, (_, index): Call => {
      const errors = Array.from({ length: 8 }, (_, at) => ({ error: `${at} ${text} ${'0x1 '.repeat(900)}`, count: 1 }));
      return ['http', index, index + 20_000, { errors, status: 'FAILED' }];
    });
  const good = Array.from({ length: 5 }, () => timelineWith(calls('refused')));
  const own = timelineWith(calls('expired'), 'FAILURE');

  it('are compared without blocking the event loop, with the same result', async () => {
    const comparing = runCooperatively(comparisonSteps(own, good));
    expect(await turnsDuring(comparing)).toBeGreaterThan(10);
    expect(await comparing).toEqual(compareWithGood(own, good));
    expect((await comparing).firstDifference).toMatchObject({ kind: 'error', index: 0 });
  });
});
