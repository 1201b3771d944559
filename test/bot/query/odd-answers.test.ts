/** Single records whose answers are odd, too long, partial or missing. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AnswerStore } from '../../../src/bot/query/cache/answer-store.ts';
import { createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import { hostileCases } from '../../support/hostile/hostile.ts';
import { answer, data, type HostileHttp, inTurn, reset, startHostileHttp } from '../../support/service/hostile-http.ts';

let server: HostileHttp;
let query: TestQuery;

beforeEach(async () => {
  server = await startHostileHttp(answer(500));
  query = createTestQuery(server.url, 'key-of-a-workspace');
});

afterEach(async () => {
  await query[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const execution = {
  uuid: 'e-1',
  id: 'a'.repeat(64),
  workflowName: 'payments',
  status: 'FAILURE',
  classifiedStatus: 'USER_ERROR',
  startedAt: '2026-11-20T11:00:00Z',
  finishedAt: '2026-11-20T11:00:02Z',
  errors: [{ error: 'boom', count: 9 }],
};
const event = { capabilityID: 'http@1.0.0', status: 'COMPLETED', startedAt: '2026-11-20T11:00:01Z' };
const line = { nodeID: 'n-1', message: 'hello', timestamp: '2026-11-20T11:00:01Z' };

const detail = (row: unknown, rest: object = {}) => ({
  workflowExecution: { data: row },
  workflowExecutionEvents: { data: [event] },
  workflowExecutionLogs: { data: [line] },
  ...rest,
});

const ofCase: Readonly<Record<string, readonly [given: object, read: object]>> = {
  'enum-unknown-status': [{ status: 'TERMINATED' }, { status: 'TERMINATED' }],
  'field-extra': [{ newField: 1 }, { uuid: 'e-1' }],
  'creditUsed-object': [{ creditUsed: { amount: '1', unit: 'x' } }, { uuid: 'e-1' }],
  'time-nanos': [{ startedAt: '2026-01-01T00:00:00.123456789Z' }, { startedAt: '2026-01-01T00:00:00.123456789Z' }],
  'time-zero': [{ finishedAt: '0001-01-01T00:00:00Z' }, { finishedAt: null }],
  'time-future': [{ startedAt: '2026-11-20T13:00:00Z' }, { startedAt: '2026-11-20T13:00:00Z' }],
  'time-negative-duration': [{ finishedAt: '2026-11-20T10:59:00Z' }, { finishedAt: '2026-11-20T10:59:00Z' }],
  'unicode-norm': [{ workflowName: 'U\u0308berweisung' }, { workflowName: 'U\u0308berweisung' }],
};

const corpus = hostileCases('upstream').flatMap(({ id }) => {
  const found = ofCase[id.replace('upstream/', '')];
  return found ? [[id, ...found] as const] : [];
});

test('every case of the corpus about one execution is covered', () => {
  expect(corpus).toHaveLength(Object.keys(ofCase).length);
});

test.each(corpus)('%s is read in a list and on its own', async (_id, given, read) => {
  const row = { ...execution, ...given };
  server.behaveAs(data(detail(row, { workflowExecutions: { data: [row], count: 1 } })));
  const { data: one } = await query.ask().execution('e-1');
  expect(one?.execution).toMatchObject(read);
  const window = { ...lastDay, from: Date.parse('2026-01-01T00:00:00Z') };
  const { data: list } = await query.ask().executions({ window, page: 0, size: 20 });
  expect(list.executions[0]).toMatchObject(read);
});

test('an execution without a uuid is an error on its own, and counted in a list (upstream/uuid-null)', async () => {
  const row = { ...execution, uuid: null };
  server.behaveAs(data(detail(row, { workflowExecutions: { data: [row, execution], count: 2 } })));
  await expect(query.ask().execution('e-1')).rejects.toMatchObject({ code: 'unavailable' });
  const { data: list, provenance } = await query.ask().executions({ window: lastDay, page: 0, size: 20 });
  expect(list.executions).toHaveLength(1);
  expect(provenance.missing).toEqual(['1 of the runs']);
});

test('steps or a log that fail are missing, and the rest is returned', async () => {
  const errors = [{ message: 'boom', path: ['workflowExecutionLogs'], extensions: { code: 'INTERNAL' } }];
  server.behaveAs(answer(200, { data: detail(execution, { workflowExecutionLogs: null }), errors }));
  const { data: one, provenance } = await query.ask().execution('e-1');
  expect(one).toMatchObject({ execution: { uuid: 'e-1' }, events: [{ status: 'COMPLETED' }], logs: null });
  expect(provenance.missing).toEqual(['the log lines']);
});

test('an execution that could not be read is an error, one that is not found is not', async () => {
  const failing = (message: string) =>
    answer(200, {
      data: detail(null, { workflowExecution: null }),
      errors: [{ message, path: ['workflowExecution'] }],
    });
  server.behaveAs(inTurn(failing('boom'), failing('workflow execution not found')));
  await expect(query.ask().execution('e-1')).rejects.toMatchObject({ code: 'unavailable' });
  expect((await query.ask().execution('e-1')).data).toBeNull();
});

/** The longest log of an execution: a thousand lines of 1 KB from each node. */
const log = (nodes: number) =>
  Array.from({ length: nodes * 1000 }, (_, index) => ({
    ...line,
    nodeID: `n-${index % nodes}`,
    message: 'x'.repeat(1024),
  }));

test('the longest allowed log is read whole', async () => {
  server.behaveAs(data(detail(execution, { workflowExecutionLogs: { data: log(10) } })));
  const { data: one, provenance } = await query.ask().execution('e-1');
  expect(one?.logs).toHaveLength(10_000);
  expect(provenance.missing).toEqual([]);
});

test('a longer log is omitted, and the answer says so', async () => {
  const [whole, rest] = [detail(execution, { workflowExecutionLogs: { data: log(16) } }), detail(execution)];
  server.behaveAs((request, response) => {
    const { hasLogs } = JSON.parse(request.body).variables;
    data(hasLogs ? whole : { ...rest, workflowExecutionLogs: undefined })(request, response);
  });
  const { data: one, provenance } = await query.ask().execution('e-1');
  expect(one).toMatchObject({ events: [{ status: 'COMPLETED' }], logs: null });
  expect(provenance.missing).toEqual(['the log, which is larger than I read']);
});

test('if the steps of one execution fail, those of the others are returned', async () => {
  const errors = [{ message: 'boom', path: ['workflowExecutionEvents1'] }];
  server.behaveAs(
    answer(200, { data: { workflowExecutionEvents0: { data: [event] }, workflowExecutionEvents1: null }, errors }),
  );
  const { data: steps, provenance } = await query.ask().eventsOf(['e-1', 'e-2']);
  expect([...steps.keys()]).toEqual(['e-1']);
  expect(provenance.missing).toEqual(['the steps of 1 of 2 runs']);
});

test('failed parts of a history are null, and each is named', async () => {
  const lists = {
    failures: { data: [execution] },
    goodBefore: null,
    goodSince: { data: [] },
    goodSoonAfter: { data: [] },
  };
  server.behaveAs(data({ ...lists, failuresUntil: { data: [execution] }, deployments: null }));
  const before = Date.parse(execution.startedAt);
  const { data: history, provenance } = await query.ask().history({ workflowUuid: 'w-1', before });
  expect(history).toMatchObject({ failures: [{ uuid: 'e-1' }], goodBefore: null, deployments: null });
  expect(provenance.missing).toEqual(['the good runs before this one', 'the deployments']);
});

test('a count that could not be read is null, and named', async () => {
  const counts = (total: number | null) => ({
    data: { executionCount: total, executionCountByStatus: { success: total, failure: 0 }, creditUsed: null },
  });
  server.behaveAs(data({ workflow0: counts(3), workflow1: counts(null), workflow2: null, workflow3: counts(3) }));
  const question = { workflowUuid: 'w-1', instants: [now - 3000, now - 2000, now - 1000] };
  const { data: since, provenance } = await query.ask().countsSince(question);
  expect(since).toEqual([{ total: 3, success: 3, failure: 0 }, null, null]);
  expect(provenance.missing).toEqual(['the number of runs before and after this one']);
});

test('a cached execution is still returned while the service is down', async () => {
  server.behaveAs(inTurn(data(detail({ ...execution, status: 'IN_PROGRESS' })), reset));
  await query.ask().execution('e-1');
  query.clock.now += 60_000;
  const { data: one, provenance } = await query.ask().execution('e-1');
  expect(one?.execution.status).toBe('IN_PROGRESS');
  expect(provenance).toMatchObject({ source: 'stale', asOf: now });
});

test('answers are cached up to a total size; the oldest are evicted first', () => {
  const store = new AnswerStore(100, 10_000);
  for (const key of ['a', 'b', 'c']) store.set(key, { text: key.repeat(4000) });
  expect(['a', 'b', 'c'].map((key) => store.get(key) !== undefined)).toEqual([false, true, true]);
  store.set('b', { text: 'short' });
  store.set('d', { text: 'd'.repeat(4000) });
  expect(['b', 'c', 'd'].map((key) => store.get(key) !== undefined)).toEqual([true, true, true]);
  store.close();
});
