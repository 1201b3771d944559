/** Keys share the service: the heaviest documents of one key reach its limits, and no other key waits for them. */
import { expect, onTestFinished, test } from 'vitest';
import { createKeyLimits } from '../../../src/query-service/limits/key-limits.ts';
import type { ServiceMeasurement } from '../../../src/query-service/measurement.ts';
import { heavyDocuments } from '../../support/service/heavy-documents.ts';
import type { ServiceAnswer, TestService, TestServiceOptions } from '../../support/service/service.ts';
import { harbor, uuidOf } from '../../support/service/service-records.ts';
import { useFilledRecords } from './filled-records.ts';

const startFilled = useFilledRecords();

/** Closed when the test ends. */
async function serviceWith(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startFilled(options);
  onTestFinished(() => service.close());
  return service;
}

const small = '{ workflowExecutions(input: { page: { size: 1 } }) { data { id } } }';
const scans = heavyDocuments({ workflowUuid: uuidOf('workflow', 1), executionUuids: [uuidOf('execution', 5)] });
const search = scans[0]?.query ?? '';
const codesOf = ({ body }: ServiceAnswer) => body.errors?.map(({ extensions }) => extensions.code);

test('while one key sends heavy documents over forty connections, another key is always answered early', async () => {
  // Ten small requests take a twentieth of this on a quiet machine.
  const service = await serviceWith({ databaseBudget: { perSecond: 0.01, burst: 1_000 } });
  const order: string[] = [];
  const ask = async (who: string, query: string, key?: string) => {
    const answer = await service.ask(query, null, key);
    order.push(who);
    return answer;
  };
  const heavy = Array.from({ length: 40 }, (_, n) => ask('heavy', scans[n % 6]?.query ?? ''));
  const other: ServiceAnswer[] = [];
  for (let requests = 0; requests < 10; requests += 1) other.push(await ask('other', small, service.apiKeys.ledger));
  expect(other.map(({ status, body }) => [status, body.errors])).toEqual(Array(10).fill([200, undefined]));
  await Promise.all(heavy);
  expect(order.indexOf('other')).toBeLessThan(40);
  let again = await service.ask(search);
  for (let searches = 0; again.status === 200 && searches < 2_000; searches += 1) again = await service.ask(search);
  expect([again.status, codesOf(again)]).toEqual([429, ['RATE_LIMITED']]);
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the event loop goes on while a heavy document is read', async () => {
  const service = await serviceWith();
  const turnsDuring = async (query: string) => {
    const answer = service.ask(query);
    let isAnswered = false;
    void answer.then(() => {
      isAnswered = true;
    });
    let turns = 0;
    for (; !isAnswered; turns += 1) await new Promise(setImmediate);
    expect((await answer).body.errors).toBeUndefined();
    return turns;
  };
  // A read that holds the event loop leaves it fewer than ten turns.
  expect(await turnsDuring(search)).toBeGreaterThan(100);
});

test('a key that owes time is refused before anything is read, and counted by reason', async () => {
  const measured: ServiceMeasurement[] = [];
  const measure = (measurement: ServiceMeasurement) => void measured.push(measurement);
  const service = await serviceWith({ measure, databaseBudget: { perSecond: 0.01, burst: 0.01 } });
  expect((await service.ask(search)).status).toBe(200);
  measured.length = 0;
  const refused = await service.ask(small);
  expect([refused.status, refused.body.errors?.[0]?.message]).toEqual([
    429,
    expect.stringMatching(/^The requests of this key used more database time than allowed; ask again in \d+ s\.$/),
  ]);
  expect(measured.map(({ kind }) => kind)).toEqual(['request', 'limited']);
  expect(measured[1]).toEqual({ kind: 'limited', reason: 'database' });
  expect((await service.ask(small, null, service.apiKeys.ledger)).status).toBe(200);
});

test('without a budget no key is refused for database time', async () => {
  const service = await serviceWith();
  for (let requests = 0; requests < 5; requests += 1) expect((await service.ask(search)).status).toBe(200);
});

test('health and readiness answer while every slot for reading is taken', async () => {
  const service = await serviceWith();
  const requests = Array.from({ length: 60 }, () => service.ask(search));
  for (const path of ['/healthz', '/readyz']) expect((await fetch(new URL(path, service.url))).status).toBe(200);
  await Promise.all(requests);
});

test('the concurrent requests of a key are limited; the next is refused with Retry-After', () => {
  const limits = createKeyLimits({}, () => 0);
  for (let begun = 0; begun < 128; begun += 1) expect(limits.admit('a')).toBeNull();
  expect(limits.admit('a')).toEqual({ reason: 'concurrency', seconds: 1 });
  expect(limits.admit('b')).toBeNull();
  limits.release('a');
  expect(limits.admit('a')).toBeNull();
});

test('owed time is paid back over time, a reply costs by its length, and the debt of a request is limited', () => {
  const clock = { now: 0 };
  const limits = createKeyLimits({ databaseBudget: { perSecond: 100, burst: 400 } }, () => clock.now);
  const context = limits.contextFor('a', () => {});
  context.charge(400);
  expect(limits.admit('a')).toBeNull();
  limits.chargeReply('a', 50 * 65_536);
  expect(limits.admit('a')).toEqual({ reason: 'database', seconds: 1 });
  context.charge(4_900);
  expect(() => context.checkBudget()).not.toThrow();
  context.charge(100);
  expect(() => context.checkBudget()).toThrow('This API key has used its share of the database time.');
  expect([limits.admit('a'), limits.admit('b')]).toEqual([{ reason: 'database', seconds: 51 }, null]);
  clock.now = 50_500;
  expect(limits.admit('a')).toBeNull();
});

test('large documents of one key run one after the other, those of two keys side by side', async () => {
  const limits = createKeyLimits({}, () => 0);
  const running: string[] = [];
  const most = { a: 0, all: 0 };
  const work = (key: string) => async () => {
    running.push(key);
    most.a = Math.max(most.a, running.filter((one) => one === 'a').length);
    most.all = Math.max(most.all, running.length);
    await new Promise(setImmediate);
    running.splice(running.indexOf(key), 1);
  };
  const keys = ['a', 'a', 'a', 'b', 'b'];
  await Promise.all(
    keys.map((key) =>
      limits.limitLargeDocument(
        limits.contextFor(key, () => {}),
        work(key),
      ),
    ),
  );
  expect(most).toEqual({ a: 1, all: 2 });
});

test('a small request of another organization is answered while one key waits for its scans', async () => {
  const service = await serviceWith();
  const { text } = await service.keys.create({ ...harbor.account, name: 'small' });
  const order: string[] = [];
  const heavy = service.ask(`{ ${search.slice(1)}`).then(() => order.push('heavy'));
  const other = service.ask(small, null, text).then(() => order.push('small'));
  await Promise.all([heavy, other]);
  expect(order).toEqual(['small', 'heavy']);
});
