/** A record of another organization behaves exactly like one that does not exist. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { hashOf, uuidOf } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const random = { workflow: crypto.randomUUID(), deployment: crypto.randomUUID(), execution: crypto.randomUUID() };
const foreign = {
  workflow: uuidOf('workflow', 101),
  deployment: uuidOf('deployment', 101),
  execution: uuidOf('execution', 101),
};

/** Every operation that takes a uuid, by what its uuid belongs to. */
const operations = [
  [
    'workflow',
    'query ($uuid: String!) { workflow(input: { uuid: $uuid, from: "2020-01-01T00:00:00Z" }) { data { name } } }',
  ],
  ['workflow', 'query ($uuid: String!) { workflowActivity(input: { workflowUUID: $uuid }) { data { from } } }'],
  [
    'workflow',
    'query ($uuid: String!) { workflowDeployments(input: { workflowUUID: $uuid }) { data { uuid } count } }',
  ],
  ['workflow', 'query ($uuid: String!) { workflowExecutions(input: { workflowUuid: $uuid }) { data { uuid } count } }'],
  ['deployment', 'query ($uuid: String!) { workflowDeployment(input: { uuid: $uuid }) { data { uuid } } }'],
  ['execution', 'query ($uuid: String!) { workflowExecution(input: { uuid: $uuid }) { data { uuid } } }'],
  [
    'execution',
    'query ($uuid: String!) { workflowExecutionLogs(input: { workflowExecutionUUID: $uuid }) { data { message } } }',
  ],
  [
    'execution',
    'query ($uuid: String!) { workflowExecutionEvents(input: { workflowExecutionUUID: $uuid }) { data { status } } }',
  ],
] as const;

const visibleIn = ({ status, headers, text }: { status: number; headers: Headers; text: string }) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'date'),
});

test.each(operations)('a foreign %s answers byte for byte like a random one: %s', async (kind, query) => {
  const own = await service.ask(query, { uuid: foreign[kind] }, service.apiKeys.ledger);
  for (let run = 0; run < 3; run += 1) {
    const absent = visibleIn(await service.ask(query, { uuid: random[kind] }));
    expect(visibleIn(await service.ask(query, { uuid: foreign[kind] }))).toEqual(absent);
    // Not so where it may be seen, or this test could not fail.
    expect(own.text).not.toBe(absent.text);
  }
});

test('no list, count or search has records of another organization', async () => {
  const query = `query ($id: String!) {
    workflows(input: { search: "payments" }) { data { uuid } count }
    byId: workflowExecutions(input: { search: $id }) { data { uuid } count }
    failures: workflowExecutions(input: { status: [FAILURE] }) { data { uuid } count }
    workflowActivity(input: { from: "2026-11-20T00:00:00Z" }) { data { successCount failureCount } }
    getCreOrganizationInfo { derivedWorkflowOwners } }`;
  const { body } = await service.ask(query, { id: hashOf(5) }, service.apiKeys.ledger);
  expect(body.data).toEqual({
    workflows: { data: [{ uuid: foreign.workflow }], count: 1 },
    byId: { data: [], count: 0 },
    failures: { data: [{ uuid: foreign.execution }], count: 1 },
    workflowActivity: { data: [{ successCount: 1, failureCount: 1 }] },
    getCreOrganizationInfo: { derivedWorkflowOwners: ['ab'.repeat(20)] },
  });
});

test('clearing one organization leaves the other unchanged', async () => {
  const other = await startTestService();
  await other.writer.clearOrganization('org_harbor');
  const query = '{ workflowExecutions(input: {}) { count } workflows(input: {}) { count data { executionCount } } }';
  const { body } = await other.ask(query, null, other.apiKeys.ledger);
  expect(body.data).toEqual({
    workflowExecutions: { count: 2 },
    workflows: { count: 1, data: [{ executionCount: 2 }] },
  });
  await other.close();
});
