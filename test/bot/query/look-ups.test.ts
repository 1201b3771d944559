/** Lists, deployments, activity and the account of the real query service over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collected, createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import {
  executionRecord,
  failureRecord,
  harbor,
  ledger,
  minutesAgo,
  uuidOf,
} from '../../support/service/service-records.ts';

const payments = uuidOf('workflow', 1);
const numbersOf = (rows: readonly { readonly uuid: string }[]) =>
  rows.map(({ uuid }) => Number.parseInt(uuid.slice(-12), 16));

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

test('executions are newest first, page by page', async () => {
  const filter = { workflowUuid: payments, window: lastDay, size: 8 };
  const first = await query.ask().executions({ ...filter, page: 0 });
  const second = await query.ask().executions({ ...filter, page: 1 });
  expect(numbersOf(first.data.executions)).toEqual([13, 1, 2, 3, 4, 5, 6, 7]);
  expect(numbersOf(second.data.executions)).toEqual([8, 9, 10, 11, 12]);
  expect([first.data.hasMore, second.data.hasMore]).toEqual([true, false]);
});

test('executions match the requested status and window, of one workflow or of all', async () => {
  const window = { from: minutesAgo(10), to: minutesAgo(5), label: 'five minutes', isMoving: false };
  const failed = await query.ask().executions({ statuses: ['FAILURE'], window, page: 0, size: 20 });
  expect(numbersOf(failed.data.executions)).toEqual([10]);
  const days = { ...lastDay, from: minutesAgo(3 * 1440), label: '3d' };
  const everywhere = await query.ask().executions({ window: days, page: 0, size: 20 });
  expect(numbersOf(everywhere.data.executions)).toContain(14);
});

test('failures are complete, or cut at the requested number', async () => {
  const whole = await query.ask().failures({ workflowUuid: payments, window: lastDay });
  expect([numbersOf(whole.data.executions), whole.data.isCut]).toEqual([[5, 10], false]);
  const cut = await query.ask().failures({ workflowUuid: payments, window: lastDay, max: 1 });
  expect([numbersOf(cut.data.executions), cut.data.isCut]).toEqual([[5], true]);
});

test('deployments are newest first, with the facts of a list and of one of them', async () => {
  const { data } = await query.ask().deployments({ workflowUuid: payments, page: 0, size: 2 });
  expect([numbersOf(data.deployments), data.hasMore]).toEqual([[3, 2], true]);
  const one = await query.ask().deployment(uuidOf('deployment', 2));
  expect(one.data).toEqual({
    uuid: uuidOf('deployment', 2),
    status: 'FAILED',
    deployedAt: '2026-11-20T11:00:00.000Z',
    errorMessage: 'binary not found',
    txHash: null,
    binaryURL: 'https://artifacts.example/binary',
    configURL: 'https://artifacts.example/config',
    executionCountByStatus: { success: 3, failure: 1 },
  });
});

test.each([uuidOf('deployment', 99), uuidOf('deployment', 101)])(
  'deployment %s of another organization is not found',
  async (uuid) => {
    expect((await query.ask().deployment(uuid)).data).toBeNull();
  },
);

test('activity is of one workflow or of all, by day, including empty days', async () => {
  const window = { ...lastDay, from: now - 3 * 86_400_000, label: '3d' };
  const one = await query.ask().activity({ workflowUuid: payments, window });
  const all = await query.ask().activity({ window });
  const sum = (days: readonly { readonly successCount: number }[]) => days.map(({ successCount }) => successCount);
  expect([sum(one.data), sum(all.data)]).toEqual([
    [0, 0, 0, 10],
    [0, 1, 0, 10],
  ]);
});

test('the account is the person and the organization, in one round trip', async () => {
  const before = relay.requests.length;
  const { data } = await query.ask().account();
  expect(data).toMatchObject({
    member: { displayName: 'Dana', memberType: 'ADMIN', memberStatus: 'JOINED' },
    organization: { displayName: 'Harbor' },
  });
  expect(relay.requests.length - before).toBe(1);
  // It is not shown, so it is neither requested nor cached.
  expect(relay.requests.at(-1)?.body).not.toContain('email');
});

test('a key without a member has an organization, and nothing is missing', async () => {
  const asking = query.ask({ keyId: 'ledger', apiKey: service.apiKeys.ledger });
  const { data, provenance } = await asking.account();
  expect(data).toMatchObject({ member: null, organization: { displayName: 'Ledger' } });
  expect(provenance.missing).toEqual([]);
});

test('hundreds of executions with the same start are each returned once', async () => {
  const { organizationId } = ledger.organization;
  const place = { organizationId, workflowUuid: uuidOf('workflow', 101), startedAt: minutesAgo(90) };
  await service.writer.putExecutions(Array.from({ length: 350 }, (_, index) => executionRecord(2000 + index, place)));
  const asking = query.ask({ keyId: 'ledger', apiKey: service.apiKeys.ledger });
  const pages = await collected(asking.eachExecution({ window: lastDay }));
  const uuids = pages.flatMap(({ executions }) => executions.map(({ uuid }) => uuid));
  expect([uuids.length, new Set(uuids).size]).toEqual([352, 352]);
});

test('two thousand failures are cut, and the answer says so', async () => {
  const { organizationId } = harbor.organization;
  const place = { organizationId, workflowUuid: uuidOf('workflow', 2) };
  await service.writer.putExecutions(
    Array.from({ length: 2100 }, (_, index) =>
      failureRecord(5000 + index, { ...place, startedAt: minutesAgo(1) - index * 1000, logs: null, events: null }),
    ),
  );
  const { data, provenance } = await query.ask().failures({ workflowUuid: place.workflowUuid, window: lastDay });
  expect([data.executions.length, data.isCut]).toEqual([2000, true]);
  expect(provenance.missing).toEqual([]);
});
