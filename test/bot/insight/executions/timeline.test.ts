/** Timelines: calls, critical path and failing call of an execution, also from incomplete reports. */

import { isDeepStrictEqual as equals } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CapabilityCall,
  type TimelineEvent,
  type TimelineExecution,
  type TimelineQuestion,
  timelineOf as timelineSteps,
} from '../../../../src/bot/insight/executions/timeline.ts';
import type { ExecutionRecord } from '../../../../src/query-service/records/record.ts';
import { runCooperatively } from '../../../../src/shared/time/cooperative.ts';
import { expectEvery } from '../../../support/runner/every.ts';
import { finished } from '../../../support/runner/finished.ts';
import { turnsDuring } from '../../../support/runner/turns.ts';
import { failuresOf, sampleAt } from '../../../support/service/sample.ts';

const timelineOf = (question: TimelineQuestion) => finished(timelineSteps(question));

const startedAt = '2026-11-20T10:00:00.000Z';
const origin = Date.parse(startedAt);
const at = (ms: number) => new Date(origin + ms).toISOString();

function execution(more: Partial<TimelineExecution> = {}): TimelineExecution {
  return { status: 'FAILURE', startedAt, finishedAt: at(10_000), errors: null, ...more };
}

function event(from: number, to: number | null, more: Partial<TimelineEvent> = {}): TimelineEvent {
  const finishedAt = to === null ? null : at(to);
  return {
    capabilityID: 'http@1',
    method: 'Send',
    status: 'COMPLETED',
    startedAt: at(from),
    finishedAt,
    errors: null,
    ...more,
  };
}

function ask(events: readonly TimelineEvent[], more: Partial<TimelineExecution> = {}) {
  return timelineOf({ execution: execution(more), events, now: origin + 60_000 });
}

const boom = [{ error: 'http@1: 502 Bad Gateway from the ledger', count: 9 }];
const wrapped = [{ error: 'payout run failed: http@1: 502 Bad Gateway from the ledger', count: 9 }];

describe('a timeline', () => {
  it('sorts steps by their start and counts offsets from the start of the execution', () => {
    const { calls, totalMs } = ask([event(2_000, 3_500), event(0, 45), event(60, 1_000)]);
    expect(calls.map(({ startMs, durationMs }) => [startMs, durationMs])).toEqual([
      [0, 45],
      [60, 940],
      [2_000, 1_500],
    ]);
    expect(totalMs).toBe(10_000);
  });

  it.each([
    ['COMPLETED', false, 'succeeded'],
    ['success', false, 'succeeded'],
    ['Success', true, 'completed_with_errors'],
    ['completed', true, 'completed_with_errors'],
    ['COMPLETED_WITH_ERRORS', false, 'completed_with_errors'],
    ['failure', false, 'failed'],
    ['Failed', true, 'failed'],
    ['TIMED_OUT', false, 'failed'],
    ['PARKED', false, 'unknown'],
    ['PARKED', true, 'completed_with_errors'],
    ['constructor', false, 'unknown'],
  ])('takes %s (with errors: %s) for %s', (status, hasErrors, state) => {
    expect(ask([event(0, 10, { status, errors: hasErrors ? boom : [] })]).calls[0]).toMatchObject({ state, status });
  });

  it('draws a call without an end up to now while its execution runs, and calls it running', () => {
    const open = event(100, null, { status: 'IN_PROGRESS' });
    const timeline = ask([open], { status: 'IN_PROGRESS', finishedAt: null });
    expect(timeline).toMatchObject({ isRunning: true, totalMs: 60_000, failing: null });
    expect(timeline.calls[0]).toMatchObject({ state: 'running', endMs: 60_000, durationMs: null });
  });

  it('calls a call without an end unfinished once its execution has ended', () => {
    const timeline = ask([event(0, 45), event(100, null, { status: 'IN_PROGRESS' })]);
    expect(timeline.calls[1]).toMatchObject({ state: 'unfinished', endMs: 10_000, durationMs: null });
    expect(timeline.failing).toMatchObject({ index: 1, certainty: 'possible' });
  });

  it('has no duration for a call that ends before it starts', () => {
    const timeFault = { time: 'end', side: 'before_start', byMs: 200 };
    expect(ask([event(500, 300)]).calls[0]).toMatchObject({ startMs: 500, endMs: 500, durationMs: null, timeFault });
  });

  it('begins at 0 a step that a skewed clock puts before the execution', () => {
    expect(ask([event(-40, 200)]).calls[0]).toMatchObject({ startMs: 0, endMs: 200, durationMs: 240 });
  });

  it('is as long as its last call if that ends after the execution', () => {
    expect(ask([event(0, 12_000)]).totalMs).toBe(12_000);
  });

  const dayMs = 86_400_000;

  it.each([
    ['a day ahead', [dayMs, dayMs + 300], { time: 'start', side: 'after_run', byMs: dayMs - 1_000 }],
    ['a day back', [-dayMs, -dayMs + 300], { time: 'start', side: 'before_run', byMs: dayMs }],
    ['that ends a day ahead', [400, dayMs], { time: 'end', side: 'after_run', byMs: dayMs - 1_000 }],
    ['a minute ahead', [60_000, 60_300], { time: 'start', side: 'after_run', byMs: 59_000 }],
    ['that starts in 1970', [-origin, 400], { time: 'start', side: 'before_run', byMs: origin }],
  ] as const)(
    'keeps its scale of one second with an event %s, and says which time is impossible',
    (_, [from, to], timeFault) => {
      const events = [event(0, 300), event(from, to), event(350, 900)];
      for (const status of ['SUCCESS', 'FAILURE']) {
        const { totalMs, calls, gaps } = ask(events, { status, finishedAt: at(1_000) });
        expect(totalMs).toBe(1_000);
        const [faulty, ...others] = calls.filter((call) => call.timeFault !== null);
        expect(others).toEqual([]);
        expect(faulty).toMatchObject({ timeFault, durationMs: null });
        expectEvery(gaps, ({ durationMs }) => durationMs <= 100);
        expect(calls.filter((call) => call.timeFault === null).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
          [0, 300],
          [350, 900],
        ]);
      }
    },
  );

  it('keeps its scale while it runs, and if its own end is missing, before its start or in the future', () => {
    const events = [event(0, 300), event(dayMs, dayMs + 300)];
    expect(ask(events, { status: 'IN_PROGRESS', finishedAt: null }).totalMs).toBe(60_000);
    for (const finishedAt of [null, at(-dayMs), at(dayMs)]) expect(ask(events, { finishedAt }).totalMs).toBe(300);
  });

  it('accepts clocks that are seconds apart', () => {
    const { calls, totalMs } = ask([event(-4_000, 200), event(300, 5_900)], { finishedAt: at(1_000) });
    expect(calls.map(({ timeFault }) => timeFault)).toEqual([null, null]);
    expect(totalMs).toBe(5_900);
  });

  it('accepts unreadable times, and no event at all', () => {
    const strange = ask([event(0, 10, { startedAt: 'soon', finishedAt: 'later' })], {
      startedAt: '',
      finishedAt: 'never',
    });
    expect(strange).toMatchObject({ totalMs: 0, calls: [{ startMs: 0, durationMs: null }] });
    expect(ask([])).toMatchObject({
      calls: [],
      gaps: [{ startMs: 0, durationMs: 10_000, afterCall: null }],
      failing: null,
    });
  });

  it('distinguishes an unknown status from a running one by the end', () => {
    expect(ask([], { status: 'CANCELLED' }).isRunning).toBe(false);
    expect(ask([], { status: 'IN_PROGRESS' }).isRunning).toBe(true);
  });
});

describe('the critical path', () => {
  const pathOf = (events: readonly TimelineEvent[]) =>
    ask(events).calls.flatMap(({ isOnCriticalPath }, index) => (isOnCriticalPath ? [index] : []));

  it('is the chain of steps that the last end waited for', () => {
    expect(
      pathOf([event(0, 45), event(60, 540), event(60, 810), event(65, 690), event(830, 1_500), event(1_540, 3_300)]),
    ).toEqual([0, 2, 4, 5]);
  });

  it('skips a call that no other waited for', () => {
    expect(pathOf([event(0, 100), event(100, 5_000), event(4_000, 9_000)])).toEqual([0, 2]);
  });

  it('contains calls without length', () => {
    expect(pathOf([event(0, 0), event(0, 0), event(0, 10)])).toEqual([0, 1, 2]);
  });
});

it('names the gaps in which no call ran, and the call before each', () => {
  const { gaps } = ask([event(100, 200), event(150, 1_000), event(400, 500), event(4_000, 9_000)]);
  expect(gaps).toEqual([
    { startMs: 0, durationMs: 100, afterCall: null },
    { startMs: 1_000, durationMs: 3_000, afterCall: 1 },
    { startMs: 9_000, durationMs: 1_000, afterCall: 3 },
  ]);
});

describe('in the sample organization', () => {
  const { sample, builtAt } = sampleAt('2026-11-20T10:00:00Z');
  const timelineOfRun = (run: ExecutionRecord) => {
    const events = (run.events ?? []).map(({ capabilityId, ...rest }) => ({ ...rest, capabilityID: capabilityId }));
    return timelineOf({ execution: run, events, now: builtAt });
  };

  it.each([
    ['payments', 'http-actions@1.0.0'],
    ['collateral-rebalance', 'evm:write@1.0.0'],
    ['xau-usd-price-feed', 'consensus@1.0.0'],
    ['fx-rates', 'http-actions@1.0.0'],
  ])('every failure of %s is certainly that of its last call, to %s', (name, capability) => {
    const timelines = failuresOf(sample.runsOf(name)).slice(0, 200).map(timelineOfRun);
    expect(timelines.length).toBeGreaterThan(3);
    for (const { failing, calls } of timelines) {
      expect(failing).toMatchObject({ index: calls.length - 1, certainty: 'certain', call: { capability } });
    }
  });

  it('collateral-rebalance waits for 2 s between its calls, which is a gap', () => {
    const [failure] = failuresOf(sample.runsOf('collateral-rebalance'));
    const gaps = failure ? timelineOfRun(failure).gaps : [];
    expect(gaps.filter(({ durationMs }) => durationMs > 1_000)).toMatchObject([{ afterCall: 1 }]);
  });

  it('risk-model is running: a call runs, and nothing has failed', () => {
    const running = sample.runsOf('risk-model').find(({ status }) => status === 'IN_PROGRESS');
    const timeline = running && timelineOfRun(running);
    expect(timeline).toMatchObject({ isRunning: true, failing: null });
    expect(timeline?.calls.at(-1)).toMatchObject({
      state: 'running',
      isOnCriticalPath: true,
      endMs: timeline?.totalMs,
    });
  });
});

describe('for any events', () => {
  /** One with an impossible start has no place on the scale. */
  const isPlaced = ({ timeFault }: CapabilityCall) => timeFault?.time !== 'start';
  const offset = fc.integer({ min: -2_000, max: 20_000 });
  const anyEvent = fc
    .tuple(
      offset,
      fc.option(offset),
      fc.constantFrom('COMPLETED', 'Success', 'failure', 'IN_PROGRESS', '', '  ok '),
      fc.boolean(),
    )
    .map(([from, to, status, hasErrors]) => event(from, to, { status, errors: hasErrors ? boom : null }));
  const anyTimeline = fc
    .tuple(
      fc.array(anyEvent, { maxLength: 40 }),
      fc.constantFrom('SUCCESS', 'FAILURE', 'IN_PROGRESS'),
      fc.option(offset),
    )
    .map(([events, status, end]) => ask(events, { status, finishedAt: end === null ? null : at(end) }));

  it('every bar lies inside the timeline', () => {
    fc.assert(
      fc.property(anyTimeline, ({ calls, totalMs }) =>
        calls.every(({ startMs, endMs }) => 0 <= startMs && startMs <= endMs && endMs <= totalMs),
      ),
    );
  });

  it('steps and gaps together cover it exactly', () => {
    const property = fc.property(anyTimeline, ({ calls: all, gaps, totalMs }) => {
      const calls = all.filter(isPlaced);
      const edges = [...calls, ...gaps.map((gap) => ({ startMs: gap.startMs, endMs: gap.startMs + gap.durationMs }))];
      const covered = new Set<number>();
      for (const { startMs, endMs } of edges) for (let ms = startMs; ms < endMs; ms += 1) covered.add(ms);
      const insideAStep = gaps.some((gap) =>
        calls.some((call) => call.startMs < gap.startMs + gap.durationMs && call.endMs > gap.startMs),
      );
      return covered.size === totalMs && !insideAStep;
    });
    fc.assert(property, { numRuns: 50 });
  });

  it('the critical path runs one step after the other up to the last end', () => {
    const property = fc.property(anyTimeline, ({ calls }) => {
      const path = calls.filter(({ isOnCriticalPath }) => isOnCriticalPath);
      const last = Math.max(0, ...calls.filter(isPlaced).map(({ endMs }) => endMs));
      const isChain = path.every((call, index) => index === 0 || (path[index - 1]?.endMs ?? 0) <= call.startMs);
      return isChain && (path.at(-1)?.endMs ?? 0) === last;
    });
    fc.assert(property);
  });

  const anyQuestion = fc.tuple(
    fc.array(anyEvent, { maxLength: 30 }),
    fc.constantFrom('SUCCESS', 'FAILURE', 'IN_PROGRESS'),
    fc.option(offset),
  );

  it('an open step reaches to the end and has no duration, and only in a running execution it is running', () => {
    const property = fc.property(anyTimeline, ({ calls, totalMs, isRunning }) =>
      calls.every(({ state, endMs, durationMs }) => {
        const isOpen = state === 'running' || state === 'unfinished';
        if (!isOpen) return true;
        return endMs === totalMs && durationMs === null && (state === 'running') === isRunning;
      }),
    );
    fc.assert(property);
  });

  it('each offset is counted from the start of the execution, wherever in time that is', () => {
    const property = fc.property(
      anyQuestion,
      fc.integer({ min: -1e12, max: 1e12 }),
      ([events, status, end], laterMs) => {
        const later = (moment: TimelineEvent['finishedAt']) =>
          moment === null ? null : Date.parse(String(moment)) + laterMs;
        const moved = events.map((each) => ({
          ...each,
          startedAt: later(each.startedAt) ?? 0,
          finishedAt: later(each.finishedAt),
        }));
        const finishedAt = end === null ? null : at(end);
        const execution = { status, startedAt: origin + laterMs, finishedAt: later(finishedAt), errors: null };
        const timeline = timelineOf({ execution, events: moved, now: origin + 60_000 + laterMs });
        expect(timeline).toEqual(ask(events, { status, finishedAt }));
        const offsets = events.map(({ startedAt: began }) => Math.max(0, Date.parse(String(began)) - origin));
        for (const { startMs, timeFault } of timeline.calls) {
          if (timeFault?.time !== 'start') expect(offsets).toContain(startMs);
        }
      },
    );
    fc.assert(property);
  });

  it('a gap follows the step that ended last before it, and the critical path never waits longer than it must', () => {
    const property = fc.property(anyTimeline, ({ calls: all, gaps }) => {
      const calls = all.filter(isPlaced);
      for (const { startMs, afterCall } of gaps) {
        const before = calls.filter(({ endMs }) => endMs <= startMs);
        expect(afterCall === null ? -1 : all[afterCall]?.endMs).toBe(Math.max(-1, ...before.map(({ endMs }) => endMs)));
      }
      const path = calls.filter(({ isOnCriticalPath }) => isOnCriticalPath);
      for (const [index, { startMs }] of path.entries()) {
        const waitedFor = calls.filter(({ endMs, ...call }) => endMs <= startMs && call.startMs < startMs);
        const latest = Math.max(-1, ...waitedFor.map(({ endMs }) => endMs));
        const before = path[index - 1];
        // Steps without length at one instant may all be on the path: none of them waits.
        const isAtOnce = before?.startMs === startMs && before.endMs === startMs;
        if (latest >= 0 && !isAtOnce) expect(before?.endMs).toBe(latest);
      }
    });
    fc.assert(property);
  });

  it('a failing call is named only in a failed execution, and it is one of its calls', () => {
    const property = fc.property(anyQuestion, ([events, status, end]) => {
      const { failing, calls } = ask(events, { status, finishedAt: end === null ? null : at(end), errors: wrapped });
      if (status !== 'FAILURE') expect(failing).toBeNull();
      if (failing !== null) expect(calls[failing.index]).toBe(failing.call);
      // Every error is quoted by that of the execution.
      const isTelling = calls.some(({ errors }) => errors.length > 0);
      if (status === 'FAILURE' && isTelling) expect(failing).not.toBeNull();
    });
    fc.assert(property);
  });

  it('the order in which events come does not matter', () => {
    const shuffled = fc
      .array(anyEvent, { maxLength: 12 })
      .chain((events) => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })));
    const shape = (events: readonly TimelineEvent[]) => ask(events).calls.map(({ startMs, endMs }) => [startMs, endMs]);
    fc.assert(fc.property(shuffled, ([events, other]) => equals(shape(other), shape(events))));
  });
});

it('the failing one of 300 calls with many long errors is found without blocking the event loop', async () => {
  const errorsOf = (text: string) =>
    Array.from({ length: 100 }, (_, index) => ({
      error: `${index} ${'x'.repeat(2_100)}${text}${'z'.repeat(1_900)}`,
      count: 1,
    }));
  const events = Array.from({ length: 300 }, (_, index) => event(index, index + 9, { errors: errorsOf(`${index}`) }));
  const question = { execution: execution({ errors: errorsOf('outer') }), events, now: origin };
  const reading = runCooperatively(timelineSteps(question));
  expect(await turnsDuring(reading)).toBeGreaterThan(10);
  expect((await reading).failing).toMatchObject({ certainty: 'possible', index: 299 });
});
