/** Retries: how often work is repeated, how long they wait, and what they return. */
import { expect, test } from 'vitest';
import { backoffMs, parseRetryAfter, retry } from '../../src/shared/retry.ts';
import { expectEvery } from '../support/runner/every.ts';

/** @returns the waits, and work that returns these results in order */
function of(...results: readonly string[]) {
  const waits: number[] = [];
  let at = 0;
  const run = async () => results[at++] ?? 'none';
  const pause = async (delayMs: number) => {
    waits.push(delayMs);
    return true;
  };
  const delayMs = (result: string, attempt: number) => (result === 'again' ? 10 * attempt : undefined);
  return { run, pause, delayMs, waits };
}

test('work is repeated until its result is final, each time after the wait for that attempt', async () => {
  const { run, waits, ...options } = of('again', 'again', 'done');
  expect([await retry(run, options), waits]).toEqual(['done', [10, 20]]);
});

test('after the last attempt there is no wait, and its result is returned', async () => {
  const { run, waits, ...options } = of('again', 'again', 'done');
  expect([await retry(run, { ...options, attemptsMax: 2 }), waits]).toEqual(['again', [10]]);
});

test('without time for another attempt the last result is returned', async () => {
  const { run, ...options } = of('again', 'done');
  expect(await retry(run, { ...options, pause: async () => false })).toBe('again');
});

test('what the work throws is not retried', async () => {
  const { pause, delayMs } = of();
  await expect(retry(() => Promise.reject(new Error('no')), { pause, delayMs })).rejects.toThrow('no');
});

test('a backoff doubles up to its longest delay, and varies by its jitter at most', () => {
  const delays = [1, 2, 3, 4, 1000].map((attempt) => backoffMs({ firstMs: 500, maxMs: 3000 }, attempt));
  expect(delays).toEqual([500, 1000, 2000, 3000, 3000]);
  const jittered = Array.from({ length: 100 }, () => backoffMs({ firstMs: 500, maxMs: 3000, jitter: 0.2 }, 1));
  expectEvery(jittered, (delay) => delay >= 400 && delay <= 600);
});

test.each([
  ['7', 7000],
  ['Sun, 22 Nov 2026 00:00:30 GMT', 30_000],
  ['86400', 300_000],
  ['Sat, 21 Nov 2026 00:00:00 GMT', undefined],
  ['soon', undefined],
  ['-1', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (header, ms) => {
  expect(parseRetryAfter(header, Date.UTC(2026, 10, 22), 300_000)).toBe(ms);
});
