/** Long work yields to the event loop: it runs in slices, one in each iteration of the loop. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { causesOf } from '../../../src/bot/health/causes.ts';
import { mapCooperatively } from '../../../src/shared/time/cooperative.ts';
import { turnsDuring } from '../../support/runner/turns.ts';
import { anExecution } from '../../support/service/service-data.ts';

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('work in slices', () => {
  it('yields to the event loop between slices', async () => {
    const items = Array.from({ length: 40 }, (_, index) => index);
    expect(await turnsDuring(mapCooperatively(items, () => work(4)))).toBeGreaterThan(10);
  });

  it('returns results in order, also within one slice', async () => {
    expect(await mapCooperatively([1, 2, 3], (item, index) => item * 10 + index)).toEqual([10, 21, 32]);
  });

  it('runs one slice in an iteration of the loop, with any amount of waiting work', async () => {
    const slices: number[] = [];
    let turn = 0;
    const items = Array.from({ length: 12 }, (_, index) => index);
    const piece = () => {
      work(6);
      slices.push(turn);
    };
    const all = Promise.all(Array.from({ length: 5 }, () => mapCooperatively(items, piece)));
    let isDone = false;
    void all.finally(() => {
      isDone = true;
    });
    for (; !isDone; turn += 1) await setImmediate();
    const byTurn = Map.groupBy(slices, (at) => at);
    expect(Math.max(...[...byTurn.values()].map(({ length }) => length))).toBeLessThanOrEqual(8);
  });

  it('fails with what an item throws', async () => {
    const failing = mapCooperatively([1], () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  });
});

it('the causes of many hostile errors are computed once without blocking the event loop', async () => {
  const executions = Object.freeze(
    Array.from({ length: 200 }, (_, index) =>
      anExecution({ errors: [{ error: `${index} “'`.repeat(3_000), count: 1 }] }),
    ),
  );
  expect(await turnsDuring(causesOf(executions))).toBeGreaterThan(10);
  expect(await turnsDuring(causesOf(executions))).toBeLessThanOrEqual(2);
});
