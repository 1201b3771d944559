/** Facts about many workflows in few round trips. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestQuery, now, type TestQuery } from '../../../support/bot/query.ts';
import { data, startHostileHttp } from '../../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../../support/service/service.ts';
import { executionRecord, minutesAgo, uuidOf, workflowRecord } from '../../../support/service/service-records.ts';

const hourMs = 3_600_000;
const window = { from: now - hourMs, to: now, label: 'the last hour', isMoving: false };

let service: TestService;
let query: TestQuery;

beforeAll(async () => {
  service = await startTestService();
  query = createTestQuery(service.url, service.apiKeys.harbor);
  await service.writer.putWorkflows(Array.from({ length: 120 }, (_, index) => workflowRecord(1000 + index)));
  await service.writer.putExecutions([
    executionRecord(200, { workflowUuid: uuidOf('workflow', 1000), startedAt: minutesAgo(61), creditMicros: 7 }),
  ]);
});

afterAll(async () => {
  await query[Symbol.asyncDispose]();
  await service.close();
});

test('every workflow is listed with its last run, past one page', async () => {
  const { data } = await query.ask().everyWorkflow();
  expect(data).toHaveLength(123);
  expect(data.find(({ uuid }) => uuid === uuidOf('workflow', 1000))?.executedAt).not.toBeNull();
});

test('deployments are those of each workflow, newest first, and none for one that does not exist', async () => {
  const uuids = [uuidOf('workflow', 1), uuidOf('workflow', 2), uuidOf('workflow', 999)];
  const { data } = await query.ask().deploymentsOf(uuids);
  const found = [...data].map(([uuid, deployments]) => [uuid, deployments.map((deployment) => deployment.uuid)]);
  expect(found).toEqual([
    [uuids[0], [3, 2, 1].map((number) => uuidOf('deployment', number))],
    [uuids[1], [uuidOf('deployment', 4)]],
    [uuids[2], []],
  ]);
});

test('the newest starts of a workflow are at most 60, newest first, up to an instant', async () => {
  const uuids = [uuidOf('workflow', 1), uuidOf('workflow', 3)];
  const { data } = await query.ask().newestStartsOf(uuids);
  const starts = Array.from({ length: 13 }, (_, index) => minutesAgo(index));
  expect(data.get(uuidOf('workflow', 1))).toEqual({ starts, isWhole: true });
  expect(data.get(uuidOf('workflow', 3))).toEqual({ starts: [], isWhole: true });
  const before = await query.ask().newestStartsOf(uuids, minutesAgo(3));
  expect(before.data.get(uuidOf('workflow', 1))?.starts).toEqual(starts.slice(3));
});

test.each([10, 15, 20, 60])('of exactly %i runs it is known whether there are older ones', async (count) => {
  const number = 1000 + count;
  const runs = Array.from({ length: count }, (_, index) =>
    executionRecord(number * 100 + index, { workflowUuid: uuidOf('workflow', number), startedAt: minutesAgo(index) }),
  );
  await service.writer.putExecutions(runs);
  const { data } = await query.ask().newestStartsOf([uuidOf('workflow', number)]);
  const found = data.get(uuidOf('workflow', number));
  expect([found?.starts.length, found?.isWhole]).toEqual([count, count < 60]);
});

test.each([
  ['with older runs', 25, 10, false],
  ['with an older run at the same instant', 11, 10, false],
  ['without older runs', 10, 10, true],
])('of a service whose pages have ten rows, a workflow %s', async (_what, runs, read, isWhole) => {
  const starts = Array.from(
    { length: runs },
    (_unused, index) => now - Math.min(index, 9 + Math.max(0, index - 10)) * 1000,
  );
  const capped = await startHostileHttp((request, response) => {
    const { variables } = JSON.parse(request.body);
    const fields = Object.entries<{ readonly to?: string }>(variables).map(([name, { to }]) => {
      const rows = starts.flatMap((start, index) =>
        to !== undefined && start > Date.parse(to)
          ? []
          : [
              {
                uuid: `e-${index}`,
                id: '',
                workflowName: 'w',
                status: 'SUCCESS',
                startedAt: new Date(start).toISOString(),
              },
            ],
      );
      return [name, { data: rows.slice(0, 10), count: Math.min(10, rows.length) }];
    });
    data(Object.fromEntries(fields))(request, response);
  });
  const asking = createTestQuery(capped.url, 'key-of-a-workspace');
  const answer = await asking.ask().newestStartsOf(['w-1']);
  expect(answer.data.get('w-1')).toMatchObject({ starts: { length: read }, isWhole });
  await asking[Symbol.asyncDispose]();
  await capped[Symbol.asyncDispose]();
});

test('the starts in periods are the first of each, in order, and those of no other period or workflow', async () => {
  const uuid = uuidOf('workflow', 1);
  const periods = [
    { uuid, from: minutesAgo(5), to: minutesAgo(2) },
    { uuid, from: minutesAgo(90_000), to: minutesAgo(80_000) },
    { uuid: uuidOf('workflow', 3), from: minutesAgo(5), to: minutesAgo(2) },
  ];
  const { data } = await query.ask().startsIn(periods);
  expect(data).toEqual([
    { starts: [5, 4, 3].map(minutesAgo), isCut: false },
    { starts: [], isCut: false },
    { starts: [], isCut: false },
  ]);
});

test('counts and credits are exactly those of the window', async () => {
  const { data } = await query.ask().countsOf([uuidOf('workflow', 1), uuidOf('workflow', 1000)], window);
  expect(data.get(uuidOf('workflow', 1))).toEqual({ total: 12, success: 10, failure: 2, creditUsed: '0.6' });
  expect(data.get(uuidOf('workflow', 1000))).toMatchObject({ total: 0 });
});

test('an unknown workflow has no counts, and the answer says so', async () => {
  const { data, provenance } = await query.ask().countsOf([uuidOf('workflow', 1), uuidOf('workflow', 999)], window);
  expect([...data.keys()]).toEqual([uuidOf('workflow', 1)]);
  expect(provenance.missing).toEqual(['the number of runs of 1 of 2 workflows']);
});

test('activities are in the requested order', async () => {
  const of = (number: number) => ({ workflowUuid: uuidOf('workflow', number), window });
  const { data } = await query.ask().activities([of(2), of(1), { window }]);
  expect(data.map((days) => days?.map(({ failureCount }) => failureCount))).toEqual([[0], [2], [2]]);
});

test('sixteen workflows take two documents, the first of which is small', async () => {
  let requests = 0;
  const counting = createTestQuery(service.url, service.apiKeys.harbor);
  const ask = counting.ask({
    apiKey: () => {
      requests += 1;
      return service.apiKeys.harbor;
    },
  });
  const uuids = Array.from({ length: 17 }, (_, index) => uuidOf('workflow', 1000 + index));
  await ask.deploymentsOf(uuids.slice(1));
  expect(requests).toBe(2);
  await ask.deploymentsOf(uuids);
  expect(requests).toBe(4);
  await counting[Symbol.asyncDispose]();
});
