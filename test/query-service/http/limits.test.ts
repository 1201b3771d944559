/** Limits of one client: records of a document, requests of a key, connections, and timeouts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRateLimiter } from '../../../src/query-service/limits/rate-limiter.ts';
import type { ServiceMeasurement } from '../../../src/query-service/measurement.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service/service.ts';
import { executionRecord, harbor, ledger, uuidOf } from '../../support/service/service-records.ts';

async function serviceWith(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => service.close());
  return service;
}

const cheap = '{ getOrganization { displayName } }';
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
const tooMuch = (amount: number) =>
  `The document asks for up to ${amount} records; at most 1000 may be asked for at once: ask for smaller pages.`;

const lists = repeat(10, (n) => `a${n}: workflowExecutions(input: { page: { size: 100 } }) { count }`);
const uuid = uuidOf('execution', 5);
const logs = (count: number) =>
  repeat(count, (n) => `l${n}: workflowExecutionLogs(input: { workflowExecutionUUID: "${uuid}" }) { data { nodeID } }`);
const events = `workflowExecutionEvents(input: { workflowExecutionUUID: "${uuid}" }) { data { status } }`;
const days = repeat(11, (n) => `d${n}: workflowActivity(input: {}) { data { from } }`);

describe('the records that a document asks for', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  test.each([
    ['ten pages of a hundred and one record', `{ ${lists} getOrganization { displayName } }`, {}, 1001],
    ['a page whose size is a variable', `query ($n: Int) { ${lists.replace('100', '$n')} ${events} }`, { n: 99 }, 1049],
    ['a page that is a variable', `query ($p: Page) { ${lists.replace('{ size: 100 }', '$p')} ${events} }`, {}, 960],
    [
      'an input that is a variable',
      `query ($i: WorkflowsInput!) { ${lists} workflows(input: $i) { count } }`,
      { i: {} },
      1010,
    ],
    ['a size by default', `query ($n: Int = 50) { ${lists.replace('100', '$n')} ${events} }`, {}, 1000],
    [
      'in a fragment',
      `{ ...F } fragment F on Query { ${lists} ... on Query { ...G } } fragment G on Query { ${events} }`,
      {},
      1050,
    ],
    [
      'a page of the largest size, whatever is asked for',
      `{ ${lists.replace('100', '2000000000')} ${events} }`,
      {},
      1050,
    ],
    ['the logs and events of an execution', `{ ${logs(1)} ${events} }`, {}, 800],
    ['the logs of two executions', `{ ${logs(2)} }`, {}, 1500],
    ['eleven times some days', `{ ${days} }`, {}, 1100],
    ['the same field twice is one', `{ ${logs(1)} ${logs(1)} }`, {}, 750],
  ])('%s', async (_, query, variables, amount) => {
    const { body } = await service.ask(query, variables);
    if (amount <= 1000) expect(body.errors).toBeUndefined();
    else expect(body).toEqual({ errors: [{ message: tooMuch(amount), extensions: { code: 'QUERY_TOO_COMPLEX' } }] });
  });
});

test('a document that is too large reads nothing', async () => {
  const measured: ServiceMeasurement[] = [];
  const service = await serviceWith({ measure: (measurement) => measured.push(measurement) });
  await service.ask(`{ ${lists} ${events} }`);
  expect(measured.map(({ kind }) => kind)).toEqual(['request']);
});

test('a key above its rate gets Retry-After, other keys are not affected, and it works again after that time', async () => {
  // Five requests take less than the ten seconds after which a sixth may be sent, also on a busy machine.
  const service = await serviceWith({ rateLimit: { perSecond: 0.1, burst: 4 } });
  const { text } = await service.keys.create({ ...harbor.account, name: 'another' });
  for (let requests = 0; requests < 4; requests += 1) expect((await service.ask(cheap)).status).toBe(200);
  const refused = await service.ask(cheap);
  const seconds = Number(refused.headers.get('retry-after'));
  expect([refused.status, seconds > 0 && seconds <= 10]).toEqual([429, true]);
  const message = `This key sends too many requests; ask again in ${seconds} s.`;
  expect(refused.body).toEqual({ errors: [{ message, extensions: { code: 'RATE_LIMITED' } }] });
  expect((await service.ask(cheap, null, text)).status).toBe(200);
  await expect.poll(async () => (await service.ask(cheap)).status, { interval: 250 }).toBe(200);
});

test('requests without a valid key get 401, however many there are', async () => {
  const service = await serviceWith({ rateLimit: { perSecond: 1, burst: 1 } });
  const requests = Array.from({ length: 5 }, () => service.ask(cheap, null, 'wrong'));
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
});

test('a bucket refills over time, up to its burst, and waits are whole seconds', () => {
  const clock = { now: 50_000 };
  const { acquire } = createRateLimiter({ perSecond: 0.5, burst: 3 }, () => clock.now);
  expect([acquire('a'), acquire('a'), acquire('a'), acquire('a'), acquire('b')]).toEqual([0, 0, 0, 2, 0]);
  clock.now += 1_999;
  expect(acquire('a')).toBe(1);
  clock.now += 1;
  expect([acquire('a'), acquire('a')]).toEqual([0, 2]);
  clock.now += 3_600_000;
  expect([acquire('a'), acquire('a'), acquire('a'), acquire('a')]).toEqual([0, 0, 0, 2]);
});

test('the 10,000 most recently used buckets are kept; an evicted one is full again', () => {
  const { acquire } = createRateLimiter({ perSecond: 1, burst: 1 }, () => 50_000);
  for (let key = 0; key < 20_000; key += 1) acquire(`key ${key}`);
  expect([acquire('key 19999'), acquire('key 10000'), acquire('key 9999'), acquire('key 0')]).toEqual([1, 1, 0, 0]);
});

/** Opens a connection and sends only this text. */
async function saying(service: TestService, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const head = (service: TestService, length: number) =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Apikey ${service.apiKeys.harbor}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

test.each([
  ['says nothing', 60_000, () => ''],
  ['never ends its headers', 60_000, () => 'POST /graphql HTTP/1.1\r\nhost: x\r\nx: '],
  ['never ends its body', 150, (service: TestService) => `${head(service, 100)}{`],
])('a connection that %s is cut, with the reason in JSON', async (_, requestMs, text) => {
  const service = await serviceWith({ limits: { timing: { headersMs: 100, requestMs, checkMs: 50 } } });
  const answer = (await (await saying(service, text(service))).toArray()).join('');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ errors: [{ message: 'Request Timeout.' }] });
});

test('an idle connection is closed after its timeout', async () => {
  const service = await serviceWith({ limits: { timing: { idleMs: 50 } } });
  const socket = await saying(service, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 /);
});

test('a client that does not read its reply is cut off, and counted', async () => {
  const measured: ServiceMeasurement[] = [];
  const measure = (measurement: ServiceMeasurement) => measured.push(measurement);
  const service = await serviceWith({ measure, limits: { timing: { answerMs: 100 } } });
  const line = { nodeId: 'n', message: 'x'.repeat(1_000), timestamp: service.now };
  await service.writer.putExecutions([executionRecord(50, { logs: Array(9_000).fill(line) })]);
  const input = `{ workflowExecutionUUID: "${uuidOf('execution', 50)}" }`;
  const body = JSON.stringify({ query: `{ workflowExecutionLogs(input: ${input}) { data { message } } }` });
  const socket = await saying(service, head(service, body.length) + body);
  await once(socket, 'readable');
  await expect
    .poll(() => measured.filter(({ kind }) => kind === 'connection'))
    .toEqual([{ kind: 'connection', outcome: 'cut' }]);
  const taken = Buffer.concat(await socket.toArray());
  expect(taken.length).toBeLessThan(9_000_000);
});

test('above the limit a waiting connection is evicted for a new one, and counted', async () => {
  const measured: ServiceMeasurement[] = [];
  const measure = (measurement: ServiceMeasurement) => measured.push(measurement);
  const service = await serviceWith({ measure, limits: { connectionsMax: 3 } });
  const waiting = await Promise.all([saying(service, ''), saying(service, ''), saying(service, '')]);
  expect((await service.ask(cheap)).status).toBe(200);
  expect(await waiting[0]?.toArray()).toEqual([]);
  expect(measured).toContainEqual({ kind: 'connection', outcome: 'evicted' });
  for (const socket of waiting) socket.destroy();
});

test('the limits of one organization do not affect another', async () => {
  const service = await serviceWith({ rateLimit: { perSecond: 1, burst: 1 } });
  expect((await service.ask(cheap)).status).toBe(200);
  expect((await service.ask(cheap)).status).toBe(429);
  expect((await service.ask(cheap, null, service.apiKeys.ledger)).body).toMatchObject({
    data: { getOrganization: { displayName: ledger.organization.displayName } },
  });
});
