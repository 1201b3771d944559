/** Waiting, and not for ever. */
import { expect, test } from 'vitest';
import { onlyOnce, waitUpTo, withTimeout } from '../../../src/shared/time/timeout.ts';

test('whoever waits at most so long goes on when the work is done, or has failed, or takes longer', async () => {
  const never = new Promise<never>(() => undefined);
  await expect(waitUpTo(60_000, Promise.resolve('done'))).resolves.toBeUndefined();
  await expect(waitUpTo(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(waitUpTo(1, never)).resolves.toBeUndefined();
});

test('whoever needs an answer in time has it, or what went wrong, or hears that it is too late', async () => {
  const never = new Promise<never>(() => undefined);
  await expect(withTimeout(60_000, Promise.resolve('done'), 'Too late.')).resolves.toBe('done');
  await expect(withTimeout(60_000, Promise.reject(new Error('no')), 'Too late.')).rejects.toThrow('no');
  await expect(withTimeout(1, never, 'Too late.')).rejects.toThrow('Too late.');
});

test('what is done only once is done once, even where doing it asks for it again', () => {
  let count = 0;
  const run = onlyOnce(() => {
    count += 1;
    run();
  });
  run();
  run();
  expect(count).toBe(1);
});
