/** The fair queue: its limits hold, waiting keys are served round robin, and a released slot is reused. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue } from '../../../src/query-service/limits/fair-queue.ts';

const options = fc.record({
  slots: fc.integer({ min: 1, max: 5 }),
  perKey: fc.integer({ min: 1, max: 4 }),
  waitingMax: fc.integer({ min: 0, max: 5 }),
});
/** A key enters, the oldest entry active leaves, or the oldest that waits gives up. */
const actions = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('enter' as const), key: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('leave' as const), nth: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('giveUp' as const), nth: fc.nat(9) }) },
  ),
  { maxLength: 60 },
);

type Entry = { readonly key: string; readonly number: number; readonly left: AbortController };

/** Runs steps, with what came of them after each. */
async function play(
  queue: ReturnType<typeof createFairQueue>,
  performed: readonly (typeof actions extends fc.Arbitrary<infer S> ? S : never)[number][],
  check: (active: readonly Entry[], waiting: readonly Entry[]) => void,
) {
  const active: Entry[] = [];
  const waiting: Entry[] = [];
  const remove = (from: Entry[], entry: Entry) => void from.splice(from.indexOf(entry), 1);
  const enter = (key: string, number: number) => {
    const entry = { key, number, left: new AbortController() };
    try {
      const admission = queue.acquire(key, () => entry.left.signal);
      if (admission === undefined) return void active.push(entry);
      waiting.push(entry);
      admission.then(
        () => {
          remove(waiting, entry);
          active.push(entry);
        },
        () => remove(waiting, entry),
      );
    } catch {
      // Too many of the key wait.
    }
  };
  for (const [number, action] of performed.entries()) {
    if (action.kind === 'enter') enter(action.key, number);
    if (action.kind === 'leave' && active.length > 0) {
      const [entry] = active.splice(action.nth % active.length, 1);
      if (entry) queue.release(entry.key);
    }
    if (action.kind === 'giveUp' && waiting.length > 0)
      waiting[action.nth % waiting.length]?.left.abort(new Error('left'));
    for (let admission = 0; admission < 3; admission += 1) await Promise.resolve();
    check(active, waiting);
  }
}

const countOf = (entries: readonly Entry[], key: string) => entries.filter((entry) => entry.key === key).length;

test('active and waiting entries never exceed the limits, and none waits for a free slot', async () => {
  await fc.assert(
    fc.asyncProperty(options, actions, async (given, performed) => {
      const queue = createFairQueue(given);
      await play(queue, performed, (active, waiting) => {
        expect(queue.usage()).toEqual({ active: active.length, waiting: waiting.length });
        expect(active.length).toBeLessThanOrEqual(given.slots);
        for (const key of ['a', 'b', 'c']) {
          expect(countOf(active, key)).toBeLessThanOrEqual(given.perKey);
          expect(countOf(waiting, key)).toBeLessThanOrEqual(given.waitingMax);
          const hasRoom = active.length < given.slots && countOf(active, key) < given.perKey;
          if (hasRoom) expect(countOf(waiting, key)).toBe(0);
        }
      });
    }),
  );
});

test('entries of one key are served in the order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(options, actions, async (given, performed) => {
      const served: Entry[] = [];
      await play(createFairQueue(given), performed, (active) => {
        for (const entry of active) if (!served.includes(entry)) served.push(entry);
      });
      for (const key of ['a', 'b', 'c']) {
        const numbers = served.filter((entry) => entry.key === key).map(({ number }) => number);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
    }),
  );
});

test('a key with one entry is served after one entry of each other key, however many of those wait', async () => {
  const queue = createFairQueue({ slots: 1, perKey: 1, waitingMax: 1_000 });
  const order: string[] = [];
  const ask = async (key: string) => {
    await queue.acquire(key);
    order.push(key);
    await new Promise(setImmediate);
    queue.release(key);
  };
  const busy = ['a', 'b'].flatMap((key) => Array.from({ length: 100 }, () => ask(key)));
  await Promise.all([...busy, ask('c')]);
  expect(order.indexOf('c')).toBeLessThanOrEqual(3);
});

test('an aborted wait rejects with the reason and frees its place in the queue', async () => {
  const queue = createFairQueue({ slots: 1, perKey: 1, waitingMax: 1 });
  const left = new AbortController();
  expect(queue.acquire('a')).toBeUndefined();
  const admission = queue.acquire('a', () => left.signal);
  expect(() => queue.acquire('a')).toThrow('Too many requests of this API key are waiting.');
  left.abort(new Error('gone'));
  await expect(admission).rejects.toThrow('gone');
  expect(queue.usage()).toEqual({ active: 1, waiting: 0 });
});
