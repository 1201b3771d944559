/** Running operations of people. */
import { expect, it } from 'vitest';
import { createRunningOperations } from '../../../../src/bot/commands/framework/running-operations.ts';

function start() {
  let ids = 0;
  return createRunningOperations({ createReference: () => `r${++ids}` });
}

it('a running operation is cancelled by its own id, until it ends', () => {
  const underWay = start()('ada');
  const first = underWay.begin('the first');
  expect(first.cancelLine).toBe('cancel r1');
  first[Symbol.dispose]();
  using second = underWay.begin('the second');
  expect([underWay.cancel('r1'), second.signal.aborted]).toEqual([null, false]);
  expect([underWay.cancel('r2'), second.signal.aborted]).toEqual(['the second', true]);
  expect(first.signal.aborted).toBe(false);
});

it('a process runs four operations at once, and refuses the fifth as retryable', () => {
  const of = start();
  const [first] = ['a', 'b', 'c', 'd'].map((person) => of(person).begin('an export'));
  expect(() => of('e').begin('an export')).toThrow(
    expect.objectContaining({ code: 'rate_limited', isRetryable: true }),
  );
  first?.[Symbol.dispose]();
  expect(() => of('e').begin('an export')).not.toThrow();
});
