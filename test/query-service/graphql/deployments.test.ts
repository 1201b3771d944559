/** Deployments: a workflow's history with its filters and orders, and one of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { hashOf, minutesAgo, uuidOf } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const workflowUUID = uuidOf('workflow', 1);
const at = (minutes: number) => new Date(minutesAgo(minutes)).toISOString();

type Listed = { readonly workflowDeployments: { readonly data: readonly { readonly uuid: string }[] } };

/** The last characters of the uuids: the numbers of the records. */
async function numbers(input: object): Promise<readonly number[] | undefined> {
  const query = `query ($input: WorkflowDeploymentsInput!) { workflowDeployments(input: $input) { data { uuid } count } }`;
  const { body } = await service.ask<Listed>(query, { input: { workflowUUID, ...input } });
  return body.data?.workflowDeployments.data.map(({ uuid }) => Number(uuid.slice(-1)));
}

const everyField = `uuid status deployedAt txHash errorMessage binaryURL configURL workflowID workflowSource
  hasTeeExecutions hasNonTeeExecutions executionCountByStatus { success failure }`;

test('workflowDeployments answers every field, newest first, each with the executions up to the next', async () => {
  const query = `{ workflowDeployments(input: { workflowUUID: "${workflowUUID}" }) { count data { ${everyField} } } }`;
  const { body } = await service.ask<{ workflowDeployments: { data: readonly object[] } }>(query);
  expect(body.data?.workflowDeployments).toMatchObject({ count: 3 });
  expect(body.data?.workflowDeployments.data).toMatchObject([
    { uuid: uuidOf('deployment', 3), executionCountByStatus: { success: 7, failure: 1 } },
    {
      uuid: uuidOf('deployment', 2),
      status: 'FAILED',
      deployedAt: at(60),
      txHash: null,
      errorMessage: 'binary not found',
      binaryURL: 'https://artifacts.example/binary',
      configURL: 'https://artifacts.example/config',
      workflowID: hashOf(1),
      workflowSource: 'GIT',
      hasTeeExecutions: false,
      hasNonTeeExecutions: true,
      executionCountByStatus: { success: 3, failure: 1 },
    },
    { uuid: uuidOf('deployment', 1), executionCountByStatus: { success: 0, failure: 0 } },
  ]);
});

test('workflowDeployments filters by status, time and workflow id', async () => {
  expect(await numbers({ status: ['FAILED'] })).toEqual([2]);
  expect(await numbers({ from: at(60), to: at(8) })).toEqual([3, 2]);
  expect(await numbers({ to: at(61) })).toEqual([1]);
  expect(await numbers({ search: 'FFF1' })).toEqual([3, 2, 1]);
  expect(await numbers({ search: 'fff2' })).toEqual([]);
});

test('workflowDeployments answers the requested order, one page at a time', async () => {
  const orderBy = { field: 'DEPLOYED_AT', order: 'ASC' };
  expect(await numbers({ orderBy, page: { size: 2 } })).toEqual([1, 2]);
  expect(await numbers({ orderBy, page: { size: 2, number: 1 } })).toEqual([3]);
  expect(await numbers({ orderBy: { field: 'WORKFLOW_ID', order: 'DESC' } })).toEqual([3, 2, 1]);
});

test('workflowDeployments of an unknown workflow is empty, without an error', async () => {
  const { body } = await service.ask(
    '{ workflowDeployments(input: { workflowUUID: "nowhere" }) { data { uuid } count } }',
  );
  expect(body).toEqual({ data: { workflowDeployments: { data: [], count: 0 } } });
});

test.each([
  [{ page: { size: 101 } }, 'page.size must be at most 100'],
  [{ from: at(1), to: at(2) }, 'from must not be after to'],
  [{ workflowUUID: 'a\0' }, 'workflowUUID must not contain NUL or half a surrogate pair'],
])('workflowDeployments refuses %j', async (input, message) => {
  const query = 'query ($input: WorkflowDeploymentsInput!) { workflowDeployments(input: $input) { count } }';
  const { body } = await service.ask(query, { input: { workflowUUID, ...input } });
  expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
});

test('workflowDeployment answers one deployment', async () => {
  const query = `{ workflowDeployment(input: { uuid: "${uuidOf('deployment', 2)}" }) { data { ${everyField} } } }`;
  const { body } = await service.ask(query);
  expect(body.data).toMatchObject({ workflowDeployment: { data: { status: 'FAILED', deployedAt: at(60) } } });
});

test('an unknown deployment is an error', async () => {
  const { status, body } = await service.ask('{ workflowDeployment(input: { uuid: "nowhere" }) { data { uuid } } }');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: { workflowDeployment: null },
    errors: [{ message: 'workflow deployment not found', extensions: { code: 'NOT_FOUND' } }],
  });
});
