/** Waiting with a limit. */
import { expect, test } from 'vitest';
import { waitUpTo, withTimeout } from '../../../src/shared/time/timeout.ts';

test('a wait ends when the work is done, has failed, or takes longer than the limit', async () => {
  const never = new Promise<never>(() => undefined);
  await expect(waitUpTo(60_000, Promise.resolve('done'))).resolves.toBeUndefined();
  await expect(waitUpTo(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(waitUpTo(1, never)).resolves.toBeUndefined();
});

test('an answer with a limit is the result, its error, or a timeout', async () => {
  const never = new Promise<never>(() => undefined);
  await expect(withTimeout(60_000, Promise.resolve('done'), 'Too late.')).resolves.toBe('done');
  await expect(withTimeout(60_000, Promise.reject(new Error('no')), 'Too late.')).rejects.toThrow('no');
  await expect(withTimeout(1, never, 'Too late.')).rejects.toThrow('Too late.');
});
