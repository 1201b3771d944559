/** One key's pieces of work never keep another key, or the event loop, waiting for more than a stretch. */
import { describe, expect, it } from 'vitest';
import { createTurns } from '../../src/query-service/fairness/turns.ts';

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('turns at the event loop', () => {
  it('are given at once while little has been done', () => {
    const turns = createTurns();
    expect(turns.take('one', 'long')).toBeUndefined();
    expect(turns.take('one', 'long')).toBeUndefined();
  });

  it('go round between keys, however many pieces of one key wait', async () => {
    const turns = createTurns();
    const order: string[] = [];
    const work = async (key: string) => {
      const due = turns.take(key, 'long');
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

  it('let the event loop turn between stretches', async () => {
    const turns = createTurns();
    let passed = 0;
    const counting = setInterval(() => {
      passed += 1;
    }, 1);
    const work = async () => {
      const due = turns.take('one', 'long');
      if (due !== undefined) await due;
      busyFor(6);
    };
    await Promise.all(Array.from({ length: 20 }, work));
    clearInterval(counting);
    expect(passed).toBeGreaterThan(4);
  });
});
