/** Running operations of people. */
import { expect, it } from 'vitest';
import { RunningOperations } from '../../../../src/bot/commands/framework/running-operations.ts';

function start() {
  let ids = 0;
  return new RunningOperations(() => `r${++ids}`);
}

const person = (userId: string) => ({ teamId: 'T1', userId });
const ada = person('ada');

it('a running operation is cancelled by its own id, until it ends', () => {
  const operations = start();
  const first = operations.begin(ada, 'the first');
  expect(first.cancelLine).toBe('cancel r1');
  first[Symbol.dispose]();
  using second = operations.begin(ada, 'the second');
  const running = { what: 'the second', isCancelled: false };
  expect([operations.cancel(ada, 'r1'), second.signal.aborted]).toEqual([running, false]);
  expect([operations.cancel(ada, 'r2'), second.signal.aborted]).toEqual([{ ...running, isCancelled: true }, true]);
  expect([operations.cancel(person('ben')), first.signal.aborted]).toEqual([null, false]);
});

it('a process runs four operations at once, and refuses the fifth as retryable', () => {
  const operations = start();
  const [first] = ['a', 'b', 'c', 'd'].map((userId) => operations.begin(person(userId), 'an export'));
  const fifth = () => operations.begin(person('e'), 'an export');
  expect(fifth).toThrow(expect.objectContaining({ code: 'rate_limited', isRetryable: true }));
  first?.[Symbol.dispose]();
  expect(fifth).not.toThrow();
});
