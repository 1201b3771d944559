/** The SQLite worker thread: when it fails, it fails its read and no other. */
import { expect, onTestFinished, test } from 'vitest';
import { createRateLimiter } from '../../../src/query-service/limits/rate-limiter.ts';
import { createRequestContext } from '../../../src/query-service/limits/request-context.ts';
import { createWorkerReads } from '../../../src/query-service/records/sqlite/worker-reads.ts';
import { sharedBetweenRequests as shared } from '../../support/service/request-contexts.ts';

function scansThatFail() {
  const scans = createWorkerReads('', new URL('../../support/programs/failing-worker.ts', import.meta.url));
  onTestFinished(() => scans.close());
  const budget = createRateLimiter({ perSecond: 1, burst: 100 }, () => 0);
  const ask = (keyId: string, text: string) =>
    scans.runFor(createRequestContext({ ...shared(), keyId, budget, onDisconnect: () => {} }))([{ text, values: [] }]);
  return { scans, ask, budget };
}

const lost = { code: 'unavailable', message: 'The worker thread that reads the database does not answer.' };

test.each(['ends', 'throws'])('a thread that %s fails its read, and the next read gets a new one', async (fault) => {
  const { ask, scans } = scansThatFail();
  const reads = [ask('a', fault), ask('a', 'answers'), ask('b', 'answers')];
  expect(await Promise.allSettled(reads)).toEqual([
    { status: 'rejected', reason: expect.objectContaining(lost) },
    { status: 'fulfilled', value: [['an answer']] },
    { status: 'fulfilled', value: [['an answer']] },
  ]);
  expect(scans.waiting()).toBe(0);
});

test('the time of a read is charged only to its key', async () => {
  const { ask, budget } = scansThatFail();
  for (let time = 0; time < 20; time += 1) await ask('a', 'answers');
  expect([budget.secondsUntil('a', 0), budget.secondsUntil('b', 0)]).toEqual([40, 0]);
});

test('a read of another key waits for two reads of a key that has many, not for all of them', async () => {
  const { ask } = scansThatFail();
  const order: string[] = [];
  const read = async (key: string) => {
    await ask(key, 'answers');
    order.push(key);
  };
  await Promise.all([...'aaaaaab'].map(read));
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('closing refuses running and waiting reads and ends the thread', async () => {
  const { ask, scans } = scansThatFail();
  const reads = Promise.allSettled([ask('a', 'never answers'), ask('b', 'answers')]);
  await expect.poll(() => scans.waiting()).toBe(1);
  await scans.close();
  expect((await reads).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
