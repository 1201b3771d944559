/** Workflows: the list with its filters, orders and pages, and one with its counts since an instant. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { hashOf, minutesAgo, uuidOf, workflowRecord } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Listed = { readonly workflows: { readonly data: readonly { readonly name: string }[]; readonly count: number } };

async function names(input: object): Promise<readonly string[] | undefined> {
  const query = 'query ($input: WorkflowsInput!) { workflows(input: $input) { data { name } count } }';
  const { body } = await service.ask<Listed>(query, { input });
  return body.data?.workflows.data.map(({ name }) => name);
}

async function refusalOf(input: object) {
  const query = 'query ($input: WorkflowsInput!) { workflows(input: $input) { count } }';
  const { status, body } = await service.ask(query, { input });
  return { status, data: body.data, code: body.errors?.[0]?.extensions.code, message: body.errors?.[0]?.message };
}

const everyField = `uuid name workflowId status ownerAddress registeredAt executedAt executionCount
  executionCountByStatus { success failure } creditUsed hasTeeExecutions hasNonTeeExecutions workflowSource`;

test('workflows answers every field, with the counts of all time, and the total', async () => {
  const query = `{ workflows(input: { search: "payments", page: { size: 1, number: 1 } }) { data { ${everyField} } count } }`;
  const { body } = await service.ask<Listed>(query);
  expect(body.data?.workflows).toEqual({
    count: 2,
    data: [
      {
        uuid: uuidOf('workflow', 1),
        name: 'payments',
        workflowId: hashOf(1),
        status: 'ACTIVE',
        ownerAddress: 'ab'.repeat(20),
        registeredAt: '2026-09-21T12:01:00.000Z',
        executedAt: '2026-11-20T12:00:00.000Z',
        executionCount: 13,
        executionCountByStatus: { success: 10, failure: 2 },
        creditUsed: '0.6',
        hasTeeExecutions: false,
        hasNonTeeExecutions: true,
        workflowSource: 'GIT',
      },
    ],
  });
});

test('workflows answers a workflow that never ran', async () => {
  const query = `{ workflows(input: { search: "weisung" }) { data { executedAt executionCount creditUsed
    executionCountByStatus { success failure } hasTeeExecutions hasNonTeeExecutions } } }`;
  const { body } = await service.ask<Listed>(query);
  expect(body.data?.workflows.data).toEqual([
    {
      executedAt: null,
      executionCount: 0,
      creditUsed: null,
      executionCountByStatus: { success: 0, failure: 0 },
      hasTeeExecutions: false,
      hasNonTeeExecutions: false,
    },
  ]);
});

test('workflows answers the newest registration first', async () => {
  expect(await names({})).toEqual(['Überweisung_50%', 'payments-eu', 'payments']);
  const organizationId = 'org_order';
  await service.writer.putOrganization({ ...organization, organizationId });
  // Neither by name nor by uuid, which breaks the tie.
  const registered = [3, 1, 2, 2].map((registeredAt, n) => workflowRecord(n + 1, { organizationId, registeredAt }));
  await service.writer.putWorkflows(registered);
  const key = await service.createKey({ organizationId, name: 'order' });
  const { body } = await service.ask<Listed>('{ workflows(input: {}) { data { name } } }', null, key);
  const listed = body.data?.workflows.data.map(({ name }) => name);
  expect(listed).toEqual(['workflow-1', 'workflow-4', 'workflow-3', 'workflow-2']);
});

test('a null filter is the same as none', async () => {
  const none = { page: null, status: null, search: null, workflowOwnerAddress: null, orderBy: null };
  expect(await names(none)).toHaveLength(3);
});

test('workflows by status answers only those of the statuses', async () => {
  expect(await names({ status: ['PAUSED', 'DELETED'] })).toEqual(['payments-eu']);
  expect(await names({ status: Array(10).fill('PAUSED') })).toEqual(['payments-eu']);
  expect(await names({ status: ['DELETED'] })).toEqual([]);
});

test('no workflow has a status of an empty list', async () => {
  expect(await names({ status: [] })).toEqual([]);
});

test('a search is a substring, in any case of any alphabet', async () => {
  expect(await names({ search: 'MENTS-e' })).toEqual(['payments-eu']);
  expect(await names({ search: 'üBERW' })).toEqual(['Überweisung_50%']);
});

test('per cent and underscore are ordinary characters of a search', async () => {
  expect(await names({ search: '%' })).toEqual(['Überweisung_50%']);
  expect(await names({ search: 'g_5' })).toEqual(['Überweisung_50%']);
  expect(await names({ search: 'payments_eu' })).toEqual([]);
});

test('filters are joined with and', async () => {
  expect(await names({ search: 'payments', status: ['ACTIVE'] })).toEqual(['payments']);
});

test('workflows by owner answers those of each address, however it is written', async () => {
  expect(await names({ workflowOwnerAddress: [`0x${'CD'.repeat(20)}`] })).toEqual(['payments-eu']);
  expect(await names({ workflowOwnerAddress: Array(100).fill('cd'.repeat(20)) })).toEqual(['payments-eu']);
  expect(await names({ workflowOwnerAddress: ['cd'.repeat(20), 'ab'.repeat(20)] })).toHaveLength(3);
});

test.each([
  ['NAME', 'ASC', ['payments', 'payments-eu', 'Überweisung_50%']],
  ['NAME', 'DESC', ['Überweisung_50%', 'payments-eu', 'payments']],
  ['STATUS', 'DESC', ['payments-eu', 'Überweisung_50%', 'payments']],
  ['EXECUTED_AT', 'DESC', ['payments', 'payments-eu', 'Überweisung_50%']],
  ['EXECUTED_AT', 'ASC', ['payments-eu', 'payments', 'Überweisung_50%']],
])('workflows by %s %s, the ones without a value last', async (field, order, expected) => {
  expect(await names({ orderBy: { field, order } })).toEqual(expected);
});

test.each([
  [{ page: { size: 101 } }, 'page.size must be at most 100'],
  [{ page: { size: 0 } }, 'page.size must be at least 1'],
  [{ page: { number: -1 } }, 'page.number must not be negative'],
  [{ status: Array(11).fill('ACTIVE') }, 'status must have at most 10 values'],
  [{ search: 'x'.repeat(257) }, 'search must be at most 256 characters'],
  [{ search: 'a\0b' }, 'search must not contain NUL or half a surrogate pair'],
  [{ workflowOwnerAddress: Array(101).fill('ab'.repeat(20)) }, 'workflowOwnerAddress must have at most 100 values'],
])('workflows refuses %j', async (input, message) => {
  expect(await refusalOf(input)).toEqual({ status: 200, data: { workflows: null }, code: 'BAD_USER_INPUT', message });
});

test('a search may have 256 characters of any kind', async () => {
  expect(await names({ search: '𝒳'.repeat(256) })).toEqual([]);
});

test('a page has ten entries by default, a hundred at most, and none beyond the last', async () => {
  const organizationId = 'org_many';
  await service.writer.putOrganization({ ...organization, organizationId });
  await service.writer.putWorkflows(Array.from({ length: 105 }, (_, n) => workflowRecord(n, { organizationId })));
  const key = await service.createKey({ organizationId, name: 'many' });
  const query = `{ a: workflows(input: {}) { data { uuid } count } b: workflows(input: { page: { size: 100 } }) { data { uuid } }
    c: workflows(input: { page: { size: 100, number: 1 } }) { data { uuid } }
    d: workflows(input: { page: { size: 100, number: 2 } }) { data { uuid } } }`;
  const { body } = await service.ask<Record<'a' | 'b' | 'c' | 'd', Listed['workflows']>>(query, null, key);
  expect(Object.values(body.data ?? {}).map(({ data }) => data.length)).toEqual([10, 100, 5, 0]);
  expect(body.data?.a.count).toBe(105);
});

const organization = {
  displayName: 'Many',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
  createdAt: 0,
  updatedAt: null,
  tenantId: 3,
} as const;

test('workflow counts executions that started at or after from', async () => {
  const query = `query ($input: WorkflowInput!) { workflow(input: $input) { data { ${everyField} } } }`;
  const from = new Date(minutesAgo(6)).toISOString();
  const { body } = await service.ask(query, { input: { uuid: uuidOf('workflow', 1), from } });
  expect(body.data).toMatchObject({
    workflow: {
      data: {
        name: 'payments',
        executionCount: 7,
        executionCountByStatus: { success: 5, failure: 1 },
        creditUsed: '0.3',
      },
    },
  });
});

test('workflow counts nothing from the future on', async () => {
  const query = `{ workflow(input: { uuid: "${uuidOf('workflow', 1)}", from: "2030-01-01T00:00:00Z" }) {
    data { executionCount executedAt creditUsed } } }`;
  const { body } = await service.ask(query);
  const data = { executionCount: 0, executedAt: '2026-11-20T12:00:00.000Z', creditUsed: null };
  expect(body.data).toEqual({ workflow: { data } });
});

test('an unknown workflow is an error, and the rest of the document is answered', async () => {
  const query = `{ workflow(input: { uuid: "nowhere", from: "2026-11-20T00:00:00Z" }) { data { name } }
    getOrganization { displayName } }`;
  const { status, body } = await service.ask(query);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      data: { workflow: null, getOrganization: { displayName: 'Harbor' } },
      errors: [{ message: 'workflow not found', path: ['workflow'], extensions: { code: 'NOT_FOUND' } }],
    },
  });
});
