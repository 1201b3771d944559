/** Every look-up against a service with the fields of the specification only, which ignores optional inputs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collected, createTestQuery, lastDay, type TestQuery } from '../../../support/bot/query.ts';
import type { HostileHttp } from '../../../support/service/hostile-http.ts';
import {
  specificationKey,
  specificationNow,
  startSpecificationService,
} from '../../../support/service/specification-service.ts';

const minuteMs = 60_000;
const uuidsOf = (rows: readonly { readonly uuid: string }[] | null | undefined) => rows?.map(({ uuid }) => uuid);

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

test('executions are sorted and filtered by the requested status and window', async () => {
  const filter = { statuses: ['SUCCESS'], window: { ...lastDay, from: specificationNow - 250 * minuteMs } };
  const { data } = await query.ask().executions({ ...filter, page: 0, size: 20 });
  expect(uuidsOf(data.executions)).toEqual(['e-2']);
});

test('a status that the service does not know is filtered by the client', async () => {
  const { data } = await query
    .ask()
    .executions({ statuses: ['IN_PROGRESS', 'SUCCESS'], window: lastDay, page: 0, size: 20 });
  expect(uuidsOf(data.executions)).toEqual(['e-2', 'e-0']);
});

test('each failure and each execution is returned once', async () => {
  expect((await query.ask().failures({ window: lastDay })).data).toMatchObject({
    executions: [{ uuid: 'e-3' }, { uuid: 'e-1' }],
    isCut: false,
  });
  const pages = await collected(query.ask().eachExecution({ window: lastDay }));
  expect(pages.flatMap(({ executions }) => uuidsOf(executions))).toEqual(['e-4', 'e-3', 'e-2', 'e-1', 'e-0']);
});

test('an execution has no fields beyond the specification', async () => {
  const { data, provenance } = await query.ask().execution('e-3');
  expect(data?.execution).toMatchObject({ uuid: 'e-3', workflowUuid: null });
  expect(data?.events?.map(({ capabilityID }) => capabilityID)).toEqual(['cron@1.0.0', 'http@1.0.0']);
  expect(data?.logs).toEqual([{ nodeID: 'n-1', message: 'hello', timestamp: '2026-11-20T11:31:00.000Z' }]);
  expect(provenance).toEqual({ source: 'live', asOf: specificationNow, missing: [] });
});

test('an execution without steps and log has empty ones, and an unknown execution is null', async () => {
  const { data, provenance } = await query.ask().execution('e-0');
  expect(data).toMatchObject({ events: [], logs: [] });
  expect(provenance.missing).toEqual([]);
  expect((await query.ask().execution('e-none')).data).toBeNull();
});

test('the steps of several executions are grouped by execution', async () => {
  const { data } = await query.ask().eventsOf(['e-3', 'e-0']);
  expect([data.get('e-0'), data.get('e-3')?.length]).toEqual([[], 2]);
});

test('an execution is found by its id although the service cannot search', async () => {
  expect(uuidsOf((await query.ask().executionsByPrefix('3'.padStart(64, 'e'))).data.found)).toEqual(['e-3']);
  expect((await query.ask().executionsByPrefix('9'.repeat(64))).data.found).toEqual([]);
});

test('executions are found by the beginning of an id although the service cannot search', async () => {
  expect(uuidsOf((await query.ask().executionsByPrefix('eeeeeeee')).data.found)).toEqual([
    'e-4',
    'e-3',
    'e-2',
    'e-1',
    'e-0',
  ]);
  expect((await query.ask().executionsByPrefix('99999999')).data.found).toEqual([]);
});

test('the client splits a history into its parts', async () => {
  const { data, provenance } = await query
    .ask()
    .history({ workflowUuid: 'w-40', before: specificationNow - 200 * minuteMs });
  expect(uuidsOf(data.failures)).toEqual(['e-3', 'e-1']);
  expect(uuidsOf(data.failuresUntil)).toEqual(['e-1']);
  expect(uuidsOf(data.goodBefore)).toEqual(['e-0']);
  expect(data).toMatchObject({ firstGoodAfter: null, latestGoodAfter: { uuid: 'e-2' } });
  expect(uuidsOf(data.deployments)).toEqual(['d-2', 'd-1']);
  expect(provenance.missing).toEqual([]);
});

test('deployments are read as a list and one by one, and an unknown one is null', async () => {
  const { data } = await query.ask().deployments({ workflowUuid: 'w-40', page: 0, size: 20 });
  expect(data).toMatchObject({ deployments: [{ uuid: 'd-2' }, { uuid: 'd-1' }], hasMore: false });
  const { data: one } = await query.ask().deployment('d-1');
  expect(one).toMatchObject({ binaryURL: 'https://a.example/b', executionCountByStatus: null });
  expect((await query.ask().deployment('d-none')).data).toBeNull();
});

test('activity in buckets of six hours is added up to days, and an account may have no member', async () => {
  const { data: days } = await query.ask().activity({ window: lastDay });
  expect(days.map(({ successCount }) => successCount)).toEqual([42, 18]);
  const { data, provenance } = await query.ask().account();
  expect(data).toMatchObject({ member: null, organization: { displayName: 'Specified' } });
  expect(provenance.missing).toEqual([]);
});
