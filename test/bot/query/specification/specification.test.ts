/** The client against a service with the fields of the specification only. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestQuery, lastDay, type TestQuery } from '../../../support/bot/query.ts';
import type { HostileHttp } from '../../../support/service/hostile-http.ts';
import {
  specificationKey,
  specificationNow,
  specificationWorkflows,
  startSpecificationService,
} from '../../../support/service/specification-service.ts';

let service: HostileHttp;
let query: TestQuery;

beforeAll(async () => {
  service = await startSpecificationService();
  query = createTestQuery(service.url, specificationKey);
});

afterAll(async () => {
  await query[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const question = { uuid: 'w-40', window: lastDay, failuresMax: 3 };

test('the organization is found, with an unknown status', async () => {
  expect((await query.ask().organization()).data.activeStatus).toBe('DORMANT');
});

test('pages of another size, whose count is that of the page, give every workflow once', async () => {
  const { data, provenance } = await query.ask().allWorkflows();
  expect(data.map(({ uuid }) => uuid)).toEqual(specificationWorkflows.map(({ uuid }) => uuid));
  expect(provenance.missing).toEqual([]);
});

test('a workflow is found by a text in its name', async () => {
  const { data } = await query.ask().workflowNames('payments');
  expect(data).toEqual({
    workflows: [{ uuid: 'w-40', name: 'payments', workflowId: 'f'.repeat(64), status: 'HIBERNATING' }],
    hasMore: false,
  });
});

test('a status has no credits if the service has them in a form of its own', async () => {
  const { data, provenance } = await query.ask().workflowStatus(question);
  expect(data?.workflow?.name).toBe('payments');
  expect(data?.counts).toEqual({ total: 14, success: 10, failure: 3 });
  expect(data?.creditUsed).toBeNull();
  expect(provenance).toEqual({ source: 'live', asOf: specificationNow, missing: [] });
});

test('a field that the service lacks is not requested a second time', async () => {
  await query.ask().workflowStatus(question);
  const before = service.requests.length;
  await query.ask({ isFresh: true }).workflowStatus(question);
  await query.ask().workflowStatus({ ...question, uuid: 'w-1' });
  const texts = service.requests.slice(before).map(({ body }) => body);
  expect(texts).toHaveLength(2);
  expect(texts.join()).not.toContain('creditUsed');
});

test('executions are read without the detailed status that the service lacks, with one refusal for the workspace', async () => {
  await using other = createTestQuery(service.url, specificationKey);
  const before = service.requests.length;
  const filter = { window: lastDay, page: 0, size: 20 };
  const { data } = await other.ask().executions(filter);
  expect(data.executions.map(({ detailedStatus }) => detailedStatus)).toEqual(data.executions.map(() => null));
  expect(data.executions).not.toEqual([]);
  await other.ask().executions({ ...filter, page: 1 });
  const texts = service.requests.slice(before).map(({ body }) => body.includes('detailedStatus'));
  expect(texts).toEqual([true, false, false]);
});

test('the client sorts and filters if the service ignores both', async () => {
  const { data } = await query.ask().workflowStatus(question);
  expect(data?.newestExecutions?.map(({ uuid }) => uuid)).toEqual(['e-4', 'e-3', 'e-2', 'e-1', 'e-0']);
  expect(data?.newestExecutions?.[0]).toMatchObject({ status: 'TERMINATED', finishedAt: null });
  expect(data?.failures?.map(({ uuid }) => uuid)).toEqual(['e-3', 'e-1']);
  expect(data?.latestDeployment).toMatchObject({ uuid: 'd-2', status: 'HIBERNATING' });
});

test('buckets of six hours are added up to days', async () => {
  const { data } = await query.ask().workflowStatus(question);
  expect(data?.days?.map(({ from, successCount, failureCount }) => [from, successCount, failureCount])).toEqual([
    ['2026-11-19T12:00:00.000Z', 42, 2],
    ['2026-11-20T00:00:00.000Z', 18, 2],
  ]);
});

test('a workflow that is null without an error does not exist', async () => {
  const { data } = await query.ask().workflowStatus({ ...question, uuid: 'w-none' });
  expect(data).toBeNull();
});

test('a key counts as refused if only the errors say so, in other words', async () => {
  const asking = query.ask({ keyId: 'other', apiKey: 'another-key' }).organization();
  await expect(asking).rejects.toMatchObject({ code: 'unauthorized' });
});
