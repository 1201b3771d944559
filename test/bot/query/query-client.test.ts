/** Operations against the real query service over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { hashOf, ledger, minutesAgo, uuidOf, workflowRecord } from '../../support/service/service-records.ts';

let service: TestService;
let relay: HostileHttp;
let query: TestQuery;

beforeAll(async () => {
  service = await startTestService();
  relay = await startHostileHttp(relayTo(service.url));
  query = createTestQuery(relay.url, service.apiKeys.harbor);
});

afterAll(async () => {
  await query[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await service.close();
});

const payments = uuidOf('workflow', 1);

test('the organization is the one behind the key', async () => {
  const { data, provenance } = await query.ask().organization();
  expect(data.displayName).toBe('Harbor');
  expect(provenance).toEqual({ source: 'live', asOf: now, missing: [] });
});

test('a list has its page and whether there are more', async () => {
  const first = await query.ask().workflows({ page: 0, size: 2 });
  const last = await query.ask().workflows({ page: 1, size: 2 });
  expect(first.data.workflows.map(({ name }) => name)).toEqual(['Überweisung_50%', 'payments-eu']);
  expect(last.data.workflows.map(({ name }) => name)).toEqual(['payments']);
  expect([first.data.hasMore, last.data.hasMore]).toEqual([true, false]);
});

test('a list is filtered by text and status', async () => {
  const { data } = await query.ask().workflows({ search: 'PAY', statuses: ['PAUSED'], page: 0, size: 20 });
  expect(data.workflows.map(({ name }) => name)).toEqual(['payments-eu']);
  expect(data.workflows[0]?.executionCountByStatus).toEqual({ success: 1, failure: 0 });
});

test('status by name takes two round trips without the cache and none with it', async () => {
  const before = relay.requests.length;
  const ask = () => query.ask({ keyId: 'by name' });
  const found = await ask().workflowNames('payments');
  expect(found.data.workflows.map(({ uuid }) => uuid)).toContain(payments);
  await ask().workflowStatus({ uuid: payments, window: lastDay, failuresMax: 3 });
  expect(relay.requests.length - before).toBe(2);
  await ask().workflowNames('payments');
  await ask().workflowStatus({ uuid: payments, window: lastDay, failuresMax: 3 });
  expect(relay.requests.length - before).toBe(2);
});

test('a mistyped name reads the pages of names once', async () => {
  const before = relay.requests.length;
  const ask = query.ask({ keyId: 'typo' });
  expect((await ask.workflowNames('paymnts')).data.workflows).toEqual([]);
  expect((await ask.allWorkflows()).data.map(({ workflowId }) => workflowId)).toContain(hashOf(2));
  expect(relay.requests.length - before).toBe(2);
});

test('a status has the counts of its window and of the one before', async () => {
  const window = { from: minutesAgo(6) - 1, to: now, label: '6m', isMoving: true };
  const { data } = await query.ask().workflowStatus({ uuid: payments, window, failuresMax: 3 });
  expect(data?.workflow?.name).toBe('payments');
  expect(data?.counts).toEqual({ total: 7, success: 5, failure: 1 });
  expect(data?.countsBefore).toEqual({ total: 6, success: 5, failure: 1 });
  expect(data?.creditUsed).toBe('0.3');
});

test('a past window does not count executions after its end', async () => {
  const window = { from: minutesAgo(12), to: minutesAgo(5), label: '2026-11-20T11:48Z..11:55Z', isMoving: false };
  const { data } = await query.ask().workflowStatus({ uuid: payments, window, failuresMax: 3 });
  expect(data?.counts).toEqual({ total: 7, success: 6, failure: 1 });
  expect(data?.creditUsed).toBe('0.35');
  expect(data?.failures?.map(({ uuid }) => uuid)).toEqual([uuidOf('execution', 10)]);
});

test('a status has the last failures, the newest runs, the days and the newest deployment', async () => {
  const { data, provenance } = await query.ask().workflowStatus({ uuid: payments, window: lastDay, failuresMax: 1 });
  expect(data?.failures?.map(({ uuid }) => uuid)).toEqual([uuidOf('execution', 5)]);
  expect(data?.newestExecutions?.map(({ uuid }) => uuid)).toEqual(
    [13, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => uuidOf('execution', number)),
  );
  expect(data?.days).toHaveLength(7);
  expect(data?.days?.at(-1)).toMatchObject({ successCount: 10, failureCount: 2 });
  expect(data?.latestDeployment?.uuid).toBe(uuidOf('deployment', 3));
  expect(provenance.missing).toEqual([]);
});

test('a window of 366 days is within the service’s limit', async () => {
  const window = { from: now - 366 * 86_400_000, to: now, label: '366d', isMoving: true };
  const { data, provenance } = await query.ask().workflowStatus({ uuid: payments, window, failuresMax: 3 });
  expect(provenance.missing).toEqual([]);
  expect(data?.days?.length).toBeGreaterThanOrEqual(366);
});

test.each([
  ['an unknown uuid', uuidOf('workflow', 999)],
  ['another organization’s uuid', uuidOf('workflow', 101)],
  ['what is no uuid at all', 'payments'],
])('%s is no workflow', async (_what, uuid) => {
  const { data, provenance } = await query.ask().workflowStatus({ uuid, window: lastDay, failuresMax: 3 });
  expect(data).toBeNull();
  expect(provenance.missing).toEqual([]);
});

test('a refused key is an error with the time of its first refusal', async () => {
  const asking = query.ask({ keyId: 'refused', apiKey: 'wfq_wrong_key' }).organization();
  await expect(asking).rejects.toMatchObject({
    code: 'unauthorized',
    publicMessage: 'The query service refused this workspace’s API key.',
    since: now,
  });
});

test('all workflows are those of every page', async () => {
  const { organizationId } = ledger.organization;
  await service.writer.putWorkflows(
    Array.from({ length: 129 }, (_, index) => workflowRecord(1000 + index, { organizationId })),
  );
  const asking = query.ask({ keyId: 'ledger', apiKey: service.apiKeys.ledger });
  const { data, provenance } = await asking.allWorkflows();
  expect(new Set(data.map(({ uuid }) => uuid)).size).toBe(130);
  expect(provenance.missing).toEqual([]);
});
