/** Operations: request ids, one log line per request, readiness, and measurements. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/query-service/http/server.ts';
import { createKeyLimits } from '../../src/query-service/limits/key-limits.ts';
import type { ServiceMeasurement } from '../../src/query-service/measurement.ts';
import { createServiceMetrics } from '../../src/query-service/metrics.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import { silentLog, startTestService, type TestService, type TestServiceOptions } from '../support/service/service.ts';

async function serviceWith(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => service.close());
  return service;
}

const query = '{ getOrganization { displayName } }';
const body = JSON.stringify({ query });
const newId = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

describe('a request id', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  test.each([
    ['a uuid', '0b6f6a1e-5b7c-4d1e-9a6f-3c2b1a0d9e8f'],
    ['what tracing sends', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['a path of ids', 'Root=1-67891233-abcdef012345678912345678'],
  ])('that is %s comes back', async (_, id) => {
    const ids = async (headers: Readonly<Record<string, string>>) =>
      (await service.post(body, { 'x-request-id': id, ...headers })).headers.get('x-request-id');
    expect([await ids({}), await ids({ authorization: 'wrong' }), await ids({ accept: 'x' })]).toEqual([id, id, id]);
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(65)],
    ['with a space', 'a b'],
    ['with a bracket', '<script>'],
    ['in another alphabet', 'é'],
    ['several', 'a, b'],
  ])('that is %s is replaced', async (_, id) => {
    expect((await service.post(body, { 'x-request-id': id })).headers.get('x-request-id')).toMatch(newId);
  });
});

test('a request logs one line with its id, operation and outcome, and none of its content', async () => {
  const { log, text, until } = createMemoryLog();
  const service = await serviceWith({ log });
  await service.post(JSON.stringify({ query: 'query Secretly { getOrganization { displayName } }' }));
  await service.ask('{ nothing }', null, 'wrong');
  await until('request', 2);
  const [answered, refused] = text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const common = { level: 'info', requestId: 'test', msg: 'request', durationMs: expect.any(Number) };
  const organizationId = 'org_harbor';
  expect(answered).toMatchObject({
    ...common,
    organizationId,
    operation: 'getOrganization',
    outcome: 'answered',
    status: 200,
  });
  expect(refused).toMatchObject({ ...common, operation: 'none', outcome: 'unauthenticated', status: 401 });
  expect(text()).not.toMatch(/Secretly|nothing|displayName/);
});

test('the line about a fault has the id of its request and the reference that the client saw', async () => {
  const { log, text } = createMemoryLog();
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await serviceWith({ log, databaseUrl: `sqlite:${folder}/records.db` });
  breakStore(folder, 'drop table execution');
  const { body: answer } = await service.ask('{ workflowExecutions(input: {}) { data { id } } }');
  const reference = answer.errors?.[0]?.extensions.reference;
  const lines = text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.find((line) => line.reference === reference)).toMatchObject({ level: 'error', requestId: 'test' });
  expect(lines.at(-1)).toMatchObject({ operation: 'workflowExecutions', outcome: 'internal', status: 200 });
});

/** Like another process, without notice to the service. */
function breakStore(folder: string, statement: string): void {
  const database = new DatabaseSync(join(folder, 'records.db'));
  database.exec(`pragma foreign_keys = off; ${statement}`);
  database.close();
}

test('the service is unready while a table is missing, and stays alive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await serviceWith({ databaseUrl: `sqlite:${folder}/records.db` });
  const ask = async (path: string) => {
    const response = await fetch(new URL(path, service.url));
    return [response.status, response.headers.get('retry-after'), await response.text()] as const;
  };
  expect(await ask('/readyz')).toEqual([200, null, '{"status":"ready"}']);
  breakStore(folder, 'alter table api_key rename to other_key');
  await expect.poll(async () => (await ask('/readyz'))[0], { interval: 200 }).toBe(503);
  const [, retryAfter, text] = await ask('/readyz');
  expect([retryAfter, text]).toEqual(['2', expect.not.stringMatching(/table|api_key|sqlite|records/i)]);
  expect((await ask('/healthz'))[0]).toBe(200);
  breakStore(folder, 'alter table other_key rename to api_key');
  await expect.poll(async () => (await ask('/readyz'))[0], { interval: 200 }).toBe(200);
});

test.each([
  ['a page and its total', '{ workflowExecutions(input: {}) { data { uuid } count } }', ['executionPage']],
  ['a page alone', '{ workflowExecutions(input: {}) { data { uuid } } }', ['executions']],
  ['a total alone', '{ workflowExecutions(input: {}) { count } }', ['executionCount']],
  [
    'logs and events of one execution',
    `{ workflowExecutionLogs(input: { workflowExecutionUUID: "a" }) { data { message } }
       workflowExecutionEvents(input: { workflowExecutionUUID: "a" }) { data { status } } }`,
    ['executionDetail'],
  ],
])('%s are read in one statement', async (_, query, expected) => {
  const reads: string[] = [];
  const measure = (measurement: ServiceMeasurement) => {
    if (measurement.kind === 'read') reads.push(measurement.read);
  };
  const service = await serviceWith({ measure });
  // The second time the document is known.
  for (let time = 0; time < 2; time += 1) expect((await service.ask(query)).status).toBe(200);
  expect(reads).toEqual([...expected, ...expected]);
});

async function metricsAfter(ask: (service: TestService) => Promise<unknown>): Promise<string> {
  const metrics = createServiceMetrics();
  const service = await serviceWith({ measure: metrics.measure, rateLimit: { perSecond: 0.001, burst: 6 } });
  await ask(service);
  return metrics.text();
}

test('requests are counted by operation and outcome, reads by name', async () => {
  const text = await metricsAfter(async (service) => {
    await service.ask('{ workflows(input: {}) { data { name } count } }');
    await service.ask('{ a: getOrganization { displayName } b: __typename }');
    await service.ask('{ workflow(input: { uuid: "x", from: "2026-11-20T00:00:00Z" }) { data { name } } }');
    await service.ask('{ nothing }');
    await service.post('{');
    await service.ask(query, null, 'wrong');
    await service.ask(query);
    await service.ask(query);
  });
  const counts = [...text.matchAll(/^workflow_service_(\w+)_duration_seconds_count\{(.*)\} (\d+)$/gm)];
  expect(counts.map(([, ...of]) => of.join(' ')).sort()).toEqual([
    'database read="organization",outcome="done" 2',
    'database read="workflow",outcome="done" 1',
    'database read="workflows",outcome="done" 1',
    'request operation="getOrganization",outcome="answered" 1',
    'request operation="none",outcome="bad_user_input" 1',
    'request operation="none",outcome="graphql_validation_failed" 1',
    'request operation="none",outcome="rate_limited" 1',
    'request operation="none",outcome="unauthenticated" 1',
    'request operation="several",outcome="answered" 1',
    'request operation="workflow",outcome="not_found" 1',
    'request operation="workflows",outcome="answered" 1',
  ]);
});

test('nothing that a client chooses becomes a label', async () => {
  const text = await metricsAfter(async (service) => {
    await service.post(JSON.stringify({ query: 'query Chosen { chosen: getOrganization { displayName } }' }));
    await service.post(JSON.stringify({ query: '{ chosen }', operationName: 'chosen' }));
    await fetch(new URL('/chosen', service.url), { method: 'PATCH', headers: { 'x-request-id': 'chosen' } });
  });
  expect(text).not.toMatch(/chosen/i);
  expect(text).toContain('operation="getOrganization",outcome="answered"');
});

test('a client that leaves before the end of its body is counted as gone', async () => {
  const measured: ServiceMeasurement[] = [];
  const service = await serviceWith({ measure: (measurement) => measured.push(measurement) });
  const headers = { authorization: `Apikey ${service.apiKeys.harbor}`, 'content-type': 'application/json' };
  const leaving = request(service.url, { method: 'POST', headers: { ...headers, expect: '100-continue' } });
  leaving.on('error', () => {});
  leaving.flushHeaders();
  await once(leaving, 'continue');
  leaving.write('{');
  leaving.destroy();
  await expect.poll(() => measured).toMatchObject([{ kind: 'request', operation: 'none', outcome: 'gone' }]);
});

test('a client that leaves before its key is looked up is counted as gone', async () => {
  const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const measured: ServiceMeasurement[] = [];
  const server = await listen({
    ...{ host: '127.0.0.1', port: 0, log: silentLog, limits: createKeyLimits({}, () => 0), isReady: async () => true },
    measure: (measurement) => measured.push(measurement),
    authenticate: async () => {
      arrived.resolve();
      await left.promise;
      return { keyId: 'a', organizationId: 'org_harbor', memberId: null };
    },
    runDocument: async () => ({ outcome: {}, operation: 'none' }),
  });
  const headers = { 'content-type': 'application/json', 'content-length': 2 };
  const leaving = request(`${server.origin}/graphql`, { method: 'POST', headers }).on('error', () => {});
  leaving.flushHeaders();
  await arrived.promise;
  leaving.destroy();
  // Answered after the server has seen that the other connection is closed.
  for (const path of ['/healthz', '/healthz']) await fetch(`${server.origin}${path}`);
  left.resolve();
  await expect.poll(() => measured).toMatchObject([{ kind: 'request', operation: 'none', outcome: 'gone' }]);
  await server.drain();
});

test('the use of the pool is read at each scrape', async () => {
  const metrics = createServiceMetrics();
  metrics.watchPool(() => ({ total: 3, idle: 2, waiting: 0 }));
  expect(await metrics.text()).toContain('workflow_service_pool_connections{state="idle"} 2');
});
