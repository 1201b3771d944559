/** Tasks of one key never block another key, or the event loop, for longer than a slice. */
import { describe, expect, it } from 'vitest';
import { createEventLoopScheduler } from '../../../src/query-service/limits/event-loop-scheduler.ts';

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('tasks at the event loop', () => {
  it('start at once while the event loop has time', () => {
    const scheduler = createEventLoopScheduler();
    expect(scheduler.acquire('one', 'long')).toBeUndefined();
    expect(scheduler.acquire('one', 'long')).toBeUndefined();
  });

  it('alternate between keys, however many tasks of one key wait', async () => {
    const scheduler = createEventLoopScheduler();
    const order: string[] = [];
    const work = async (key: string) => {
      const due = scheduler.acquire(key, 'long');
      if (due !== undefined) await due;
      busyFor(4);
      order.push(key);
    };
    const heavy = Array.from({ length: 40 }, () => work('heavy'));
    const light = work('light');
    await light;
    const before = order.length;
    await Promise.all(heavy);
    expect(before).toBeLessThan(10);
    expect(order).toHaveLength(41);
  });

  it('yield to the event loop between slices', async () => {
    const scheduler = createEventLoopScheduler();
    let passed = 0;
    const counting = setInterval(() => {
      passed += 1;
    }, 1);
    const work = async () => {
      const due = scheduler.acquire('one', 'long');
      if (due !== undefined) await due;
      busyFor(6);
    };
    await Promise.all(Array.from({ length: 20 }, work));
    clearInterval(counting);
    expect(passed).toBeGreaterThan(4);
  });
});
