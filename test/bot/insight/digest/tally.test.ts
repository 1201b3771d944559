/** Failures counted as they stream in. */
import { expect, test } from 'vitest';
import { createTally, type EndedFailure } from '../../../../src/bot/insight/digest/tally.ts';
import { causeWord } from '../../../support/bot/digest-facts.ts';

const hourMs = 3_600_000;
const from = Date.parse('2026-11-20T00:00:00Z');
const window = { from, to: from + 24 * hourMs };

function failure(overrides: Partial<EndedFailure> = {}): EndedFailure {
  const startedAt = overrides.startedAt ?? new Date(from + hourMs).toISOString();
  return {
    uuid: 'e-1',
    workflowName: 'payments',
    startedAt,
    finishedAt: startedAt,
    classifiedStatus: 'USER_ERROR',
    errors: [{ error: 'permission denied', count: 3 }],
    ...overrides,
  };
}

function tallied(failures: readonly EndedFailure[], limits?: Parameters<typeof createTally>[1]) {
  const tally = createTally({ ...window, zone: 'UTC' }, limits);
  for (const one of failures) tally.add(one);
  return tally.result();
}

const at = (ms: number) => new Date(ms).toISOString();

test.each([
  ['began before the window and ended in it', from - 1000, from, 1],
  ['ended just before the window', from - 1000, from - 1, 0],
  ['ended with the last instant of the window', from + hourMs, window.to - 1, 1],
  ['ended when the window was over', window.to - 1000, window.to, 0],
])('a failure that %s counts %4$i times', (_, startedAt, finishedAt, count) => {
  expect(tallied([failure({ startedAt: at(startedAt), finishedAt: at(finishedAt) })]).count).toBe(count);
});

test('a failure without an end, or with an end before its start, counts when it started', () => {
  const ends = [null, at(from - hourMs)].map((finishedAt) => failure({ finishedAt }));
  expect(tallied(ends).count).toBe(2);
});

test('days count every failure by its start, whenever it ended', () => {
  const { startsByDay } = tallied([failure(), failure({ startedAt: at(from - 1), finishedAt: at(from - 1) })]);
  expect([...startsByDay]).toEqual([
    [from, 1],
    [from - 24 * hourMs, 1],
  ]);
});

test('a cause keeps its newest failure, in any order', () => {
  const runs = [2, 5, 3].map((hours) => failure({ uuid: `e-${hours}`, startedAt: at(from + hours * hourMs) }));
  const [cause] = [...tallied(runs).causes.values()];
  expect(cause).toMatchObject({ count: 3, first: from + 2 * hourMs, last: from + 5 * hourMs, sample: { uuid: 'e-5' } });
});

test('memory does not grow with the number of failures, causes, workflows or the length of errors', () => {
  const limits = { causesMax: 10, workflowsMax: 20, pairsMax: 30 };
  const runs = Array.from({ length: 200 }, (_, index) =>
    failure({
      workflowName: `${causeWord(index % 70)} `.repeat(100),
      errors: [{ error: `${causeWord(index)} failed: `.repeat(150), count: 1 }],
    }),
  );
  const result = tallied(runs, limits);
  expect([result.count, result.causes.size, result.workflows.size]).toEqual([200, 10, 20]);
  expect(result.onlyCounted).toBeGreaterThan(180);
  expect(JSON.stringify([...result.causes.values()]).length).toBeLessThan(50_000);
});
