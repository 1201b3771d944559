/** Executions: the list with its filters, orders and pages, one of them, its logs and its events. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { hashOf, minutesAgo, uuidOf } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const workflowUuid = uuidOf('workflow', 1);
const at = (minutes: number) => new Date(minutesAgo(minutes)).toISOString();

type Listed = {
  readonly workflowExecutions: { readonly data: readonly { readonly uuid: string }[]; readonly count: number };
};

async function list(input: object) {
  const query = `query ($input: WorkflowExecutionsInput!) { workflowExecutions(input: $input) { data { uuid } count } }`;
  const { body } = await service.ask<Listed>(query, { input: { page: { size: 100 }, ...input } });
  const listed = body.data?.workflowExecutions;
  return { numbers: listed?.data.map(({ uuid }) => Number.parseInt(uuid.slice(-2), 16)), count: listed?.count };
}

const everyField = `uuid id workflowName status classifiedStatus startedAt finishedAt executedInTee errors { error count }
  workflowUUID workflowId creditUsed detailedStatus`;

test('workflowExecutions answers every field, newest first, and the total', async () => {
  const query = `{ workflowExecutions(input: { page: { size: 2 }, workflowUuid: "${workflowUuid}" }) {
    count data { ${everyField} } } }`;
  const { body } = await service.ask<Listed>(query);
  expect(body.data?.workflowExecutions).toMatchObject({
    count: 13,
    data: [
      { status: 'IN_PROGRESS', classifiedStatus: null, detailedStatus: null, finishedAt: null, executedInTee: null },
      {
        uuid: uuidOf('execution', 1),
        id: hashOf(1),
        workflowName: 'payments',
        status: 'SUCCESS',
        classifiedStatus: 'SUCCESS',
        detailedStatus: 'COMPLETED',
        startedAt: '2026-11-20T11:59:00.000Z',
        finishedAt: '2026-11-20T11:59:02.000Z',
        executedInTee: false,
        errors: null,
        workflowUUID: workflowUuid,
        workflowId: hashOf(1),
        creditUsed: '0.05',
      },
    ],
  });
});

test('workflowExecutions without a workflow are those of the whole organization', async () => {
  expect(await list({})).toEqual({ numbers: [13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14], count: 14 });
});

test('a null filter is the same as none', async () => {
  const none = { workflowUuid: null, status: null, from: null, to: null, orderBy: null, page: null, search: null };
  expect(await list(none)).toMatchObject({ count: 14 });
});

test('workflowExecutions by status answers those of each status', async () => {
  expect(await list({ status: ['FAILURE'] })).toEqual({ numbers: [5, 10], count: 2 });
  expect(await list({ status: ['FAILURE', 'IN_PROGRESS', 'FAILURE'] })).toEqual({ numbers: [13, 5, 10], count: 3 });
  expect(await list({ status: Array(10).fill('FAILURE') })).toEqual({ numbers: [5, 10], count: 2 });
  expect(await list({ status: [] })).toEqual({ numbers: [], count: 0 });
});

test('from and to are inclusive', async () => {
  expect(await list({ from: at(4), to: at(2) })).toEqual({ numbers: [2, 3, 4], count: 3 });
  expect(await list({ from: at(4), to: at(4) })).toEqual({ numbers: [4], count: 1 });
  expect(await list({ to: at(12) })).toEqual({ numbers: [12, 14], count: 2 });
});

test('filters are joined with and', async () => {
  const input = { workflowUuid, status: ['FAILURE'], from: at(9) };
  expect(await list(input)).toEqual({ numbers: [5], count: 1 });
  expect(await list({ ...input, workflowUuid: uuidOf('workflow', 2) })).toEqual({ numbers: [], count: 0 });
});

test('a search finds a part of the id, or the whole of it, in any case', async () => {
  expect(await list({ search: 'FFC' })).toEqual({ numbers: [12], count: 1 });
  expect(await list({ search: hashOf(7).toUpperCase() })).toEqual({ numbers: [7], count: 1 });
  expect(await list({ search: hashOf(7), status: ['FAILURE'] })).toEqual({ numbers: [], count: 0 });
  expect(await list({ search: '%' })).toEqual({ numbers: [], count: 0 });
});

test.each([
  ['STARTED_AT', 'ASC', [14, 12, 11, 10]],
  ['ID', 'ASC', [1, 2, 3, 4]],
  ['ID', 'DESC', [14, 13, 12, 11]],
  ['STATUS', 'ASC', [10, 5, 13, 14]],
  ['STATUS', 'DESC', [1, 2, 3, 4]],
  ['CREDIT_USED', 'DESC', [14, 12, 11, 10]],
  ['CREDIT_USED', 'ASC', [1, 2, 3, 4]],
])('workflowExecutions by %s %s', async (field, order, expected) => {
  const { numbers } = await list({ orderBy: { field, order } });
  expect(numbers?.slice(0, 4)).toEqual(expected);
});

test('unknown credits come last in both directions', async () => {
  const last = async (order: string) => (await list({ orderBy: { field: 'CREDIT_USED', order } })).numbers?.at(-1);
  expect([await last('ASC'), await last('DESC')]).toEqual([13, 13]);
});

test('pages neither overlap nor skip', async () => {
  const pages = [0, 1, 2, 3, 4].map((number) => list({ page: { number, size: 3 } }));
  const numbers = (await Promise.all(pages)).flatMap((page) => page.numbers);
  expect(numbers).toEqual([13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14]);
});

test('an unknown workflow has no executions, and no error', async () => {
  expect(await list({ workflowUuid: 'nowhere' })).toEqual({ numbers: [], count: 0 });
});

test.each([
  [{ from: at(1), to: at(2) }, 'from must not be after to'],
  [{ page: { size: 101 } }, 'page.size must be at most 100'],
  [{ page: { number: -1 } }, 'page.number must not be negative'],
  [{ status: Array(11).fill('FAILURE') }, 'status must have at most 10 values'],
  [{ search: 'x'.repeat(257) }, 'search must be at most 256 characters'],
  [{ workflowUuid: '\ud800' }, 'workflowUuid must not contain NUL or half a surrogate pair'],
])('workflowExecutions refuses %j', async (input, message) => {
  const query = 'query ($input: WorkflowExecutionsInput!) { workflowExecutions(input: $input) { count } }';
  const { status, body } = await service.ask(query, { input });
  const errors = [{ message, extensions: { code: 'BAD_USER_INPUT' } }];
  expect({ status, body }).toMatchObject({ status: 200, body: { data: { workflowExecutions: null }, errors } });
});

test('workflowExecution answers one execution with its errors', async () => {
  const query = `{ workflowExecution(input: { uuid: "${uuidOf('execution', 5)}" }) { data { ${everyField} } } }`;
  const { body } = await service.ask(query);
  const errors = [{ error: 'connection refused', count: 4 }];
  expect(body.data).toMatchObject({
    workflowExecution: { data: { status: 'FAILURE', classifiedStatus: 'USER_ERROR', errors } },
  });
});

test('an unknown execution is null, and no error', async () => {
  const { body } = await service.ask('{ workflowExecution(input: { uuid: "nowhere" }) { data { uuid } } }');
  expect(body).toEqual({ data: { workflowExecution: { data: null } } });
});

const logs = (uuid: string) => `{ workflowExecutionLogs(input: { workflowExecutionUUID: "${uuid}" }) {
  data { nodeID message timestamp } } }`;

test('workflowExecutionLogs answers every line', async () => {
  const { body } = await service.ask(logs(uuidOf('execution', 5)));
  const lines = [
    { nodeID: 'node-1', message: 'calling the bank', timestamp: '2026-11-20T11:55:00.100Z' },
    { nodeID: 'node-2', message: 'calling the bank', timestamp: '2026-11-20T11:55:00.120Z' },
  ];
  expect(body).toEqual({ data: { workflowExecutionLogs: { data: lines } } });
});

test.each([
  ['an execution without them', uuidOf('execution', 1)],
  ['one that is not there', 'nowhere'],
])('logs and events of %s are empty, and no error', async (_, uuid) => {
  const query = `{ workflowExecutionLogs(input: { workflowExecutionUUID: "${uuid}" }) { data { nodeID } }
      workflowExecutionEvents(input: { workflowExecutionUUID: "${uuid}" }) { data { status } } }`;
  const { body } = await service.ask(query);
  expect(body).toEqual({ data: { workflowExecutionLogs: { data: [] }, workflowExecutionEvents: { data: [] } } });
});

async function events(input: object) {
  const query = `query ($input: WorkflowExecutionEventsInput!) { workflowExecutionEvents(input: $input) {
    data { capabilityID status method startedAt finishedAt errors { error count } } } }`;
  const { body } = await service.ask<{ workflowExecutionEvents: { data: readonly object[] } }>(query, {
    input: { workflowExecutionUUID: uuidOf('execution', 5), ...input },
  });
  return body.data?.workflowExecutionEvents.data;
}

const [cron, http] = [{ capabilityID: 'cron@1.0.0' }, { capabilityID: 'http@1.0.0' }];

test('workflowExecutionEvents answers every field of every event', async () => {
  expect(await events({ capabilityID: null, status: null })).toEqual([
    {
      capabilityID: 'cron@1.0.0',
      status: 'COMPLETED',
      method: 'Trigger',
      startedAt: '2026-11-20T11:55:00.000Z',
      finishedAt: '2026-11-20T11:55:00.050Z',
      errors: null,
    },
    {
      capabilityID: 'http@1.0.0',
      status: 'failure',
      method: null,
      startedAt: '2026-11-20T11:55:00.060Z',
      finishedAt: null,
      errors: [{ error: 'connection refused', count: 4 }],
    },
  ]);
});

test('workflowExecutionEvents by capability, and by status in any case', async () => {
  expect(await events({ capabilityID: 'cron@1.0.0' })).toMatchObject([cron]);
  expect(await events({ status: 'FAILURE' })).toMatchObject([http]);
  expect(await events({ status: 'completed' })).toMatchObject([cron]);
  expect(await events({ status: 'completed', capabilityID: 'http@1.0.0' })).toEqual([]);
});
