/** Activity: whole UTC days with the first and the last cut to the range. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bucketsOf } from '../../../src/query-service/graphql/plans/roots/workflows.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { executionRecord, failureRecord, uuidOf } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.writer.putExecutions([
    executionRecord(21, { startedAt: Date.parse('2026-11-10T23:59:59.999Z') }),
    failureRecord(22, { startedAt: Date.parse('2026-11-11T00:00:00Z') }),
    failureRecord(23, { startedAt: Date.parse('2026-11-11T13:00:00Z') }),
    executionRecord(24, { startedAt: Date.parse('2026-11-12T00:00:00Z') }),
  ]);
});
afterAll(() => service.close());

type Bucket = {
  readonly from: string;
  readonly to: string;
  readonly successCount: number;
  readonly failureCount: number;
};

async function activity(input: object) {
  const query = `query ($input: WorkflowActivityInput!) { workflowActivity(input: $input) {
    data { from to successCount failureCount } } }`;
  const { status, body } = await service.ask<{ workflowActivity: { data: readonly Bucket[] } }>(query, { input });
  return { status, buckets: body.data?.workflowActivity?.data, errors: body.errors };
}

const bucket = (from: string, to: string, successCount: number, failureCount: number) => ({
  from: `2026-11-${from}.000Z`,
  to: `2026-11-${to}.000Z`,
  successCount,
  failureCount,
});

test('workflowActivity answers whole UTC days, also empty ones; the range cuts the first and the last', async () => {
  const { buckets } = await activity({ from: '2026-11-10T18:00:00Z', to: '2026-11-13T06:00:00Z' });
  expect(buckets).toEqual([
    bucket('10T18:00:00', '11T00:00:00', 1, 0),
    bucket('11T00:00:00', '12T00:00:00', 0, 2),
    bucket('12T00:00:00', '13T00:00:00', 1, 0),
    bucket('13T00:00:00', '13T06:00:00', 0, 0),
  ]);
});

test('an execution at the very end of the range is in its last bucket', async () => {
  const { buckets } = await activity({ from: '2026-11-11T12:00:00Z', to: '2026-11-12T00:00:00Z' });
  expect(buckets).toEqual([bucket('11T12:00:00', '12T00:00:00', 1, 1)]);
});

test('a range of one instant is one bucket', async () => {
  const { buckets } = await activity({ from: '2026-11-12T00:00:00Z', to: '2026-11-12T00:00:00Z' });
  expect(buckets).toEqual([bucket('12T00:00:00', '12T00:00:00', 1, 0)]);
});

test('the range is the last seven days by default', async () => {
  const { buckets } = await activity({ from: null, to: null });
  expect(buckets).toHaveLength(8);
  expect(buckets?.at(0)).toEqual(bucket('13T12:00:00', '14T00:00:00', 0, 0));
  expect(buckets?.at(-1)).toEqual(bucket('20T00:00:00', '20T12:00:00', 10, 2));
});

test('the range is seven days up to a given end by default', async () => {
  const { buckets } = await activity({ to: '2026-11-12T00:00:00Z' });
  expect(buckets?.map(({ from }) => from.slice(8, 10))).toEqual(['05', '06', '07', '08', '09', '10', '11']);
});

test('workflowActivity of one workflow counts only its executions', async () => {
  const input = { workflowUUID: uuidOf('workflow', 2), from: '2026-11-18T00:00:00Z', to: '2026-11-18T23:00:00Z' };
  const { buckets } = await activity(input);
  expect(buckets).toEqual([bucket('18T00:00:00', '18T23:00:00', 1, 0)]);
});

test('workflowActivity of a workflow that never ran is empty days', async () => {
  const input = { workflowUUID: uuidOf('workflow', 3), from: '2026-11-18T00:00:00Z', to: '2026-11-19T00:00:00Z' };
  expect((await activity(input)).buckets).toEqual([bucket('18T00:00:00', '19T00:00:00', 0, 0)]);
});

test('workflowActivity of an unknown workflow has no buckets, and no error', async () => {
  expect(await activity({ workflowUUID: 'nowhere' })).toEqual({ status: 200, buckets: [], errors: undefined });
});

test.each([
  [{ from: '2026-11-12T00:00:00Z', to: '2026-11-11T00:00:00Z' }, 'from must not be after to'],
  [{ from: '2030-01-01T00:00:00Z' }, 'from must not be after to'],
  [{ from: '2025-11-18T11:59:59Z', to: '2026-11-19T12:00:00Z' }, 'from and to must be at most 366 days apart'],
])('workflowActivity refuses %j', async (input, message) => {
  expect(await activity(input)).toMatchObject({
    status: 200,
    errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

test('a range of 366 days is answered', async () => {
  const [from, to] = ['2025-11-19T12:00:00Z', '2026-11-20T12:00:00Z'];
  expect((await activity({ from, to })).buckets).toHaveLength(367);
  expect(bucketsOf(Date.parse(from), Date.parse(to), [])).toHaveLength(367);
});
