/** A digest of many workflows keeps the limits of a service on the cost of a document, and names each check that failed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DigestRequest } from '../../../src/bot/digests/build.ts';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { executionRecord, serviceNow, uuidOf, workflowRecord } from '../../support/service/service-records.ts';
import { type Refusal, startStrictService } from '../../support/service/strict-service.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const midnight = serviceNow - 720 * minuteMs;
/** They run every ten minutes from 0:00 to 6:00, and rest for the other hours of every day. */
const resting = [21, 22, 23].map((number) => uuidOf('workflow', number));
const numbers = Array.from({ length: 23 }, (_, index) => index + 1);
const twelve = numbers.slice(0, 12).map((number) => uuidOf('workflow', number));
const tooComplex: Refusal = {
  status: 400,
  body: { errors: [{ message: 'too much', extensions: { code: 'QUERY_TOO_COMPLEX' } }] },
};

let service: TestService;
let apiKey: string;

beforeAll(async () => {
  service = await startTestService();
  apiKey = service.apiKeys.harbor;
  await service.writer.putWorkflows(numbers.slice(3).map((number) => workflowRecord(number)));
  const days = Array.from({ length: 9 }, (_, day) => midnight - day * dayMs);
  const starts = days.flatMap((day) => Array.from({ length: 36 }, (_, index) => day + index * 10 * minuteMs));
  await service.writer.putExecutions(
    resting.flatMap((workflowUuid, which) =>
      starts.map((startedAt, index) => executionRecord(5000 + which * 1000 + index, { workflowUuid, startedAt })),
    ),
  );
});
afterAll(() => service.close());

const chosen = (uuids: readonly string[]): DigestRequest =>
  digestRequest(serviceNow, { plan: { workflows: { kind: 'chosen', uuids }, hasAllClear: true } });

test('a digest of twelve chosen workflows knows the number of runs', async () => {
  await using desk = digestDesk({ url: service.url, apiKey }, serviceNow);
  expect(await desk.facts(chosen(twelve))).toMatchObject({ failureCount: 2, successCount: 10, missing: [] });
});

test('three resting workflows are not called silent, however small the documents that the service takes', async () => {
  for (const max of [100, 2]) {
    await using strict = await startStrictService(service.url, max, tooComplex);
    await using desk = digestDesk({ url: strict.url, apiKey }, serviceNow);
    expect(await desk.facts(chosen(resting))).toMatchObject({ silent: [], missing: [] });
  }
});

test.each([
  [
    'workflowActivity(',
    {
      successCount: null,
      daily: null,
      missing: [
        'the number of runs',
        'how the failure rate usually varies',
        'the runs by day, with which this digest is checked',
      ],
    },
  ],
  ['workflowExecutions0: workflowExecutions(', { missing: ['which workflows went silent'] }],
])(
  'a check that the service refuses is listed as missing, and the workflows are not called silent: %s',
  async (field, facts) => {
    const isRefused = (query: string) => query.includes(field);
    await using strict = await startStrictService(service.url, (query) => (isRefused(query) ? 0 : 100), tooComplex);
    await using desk = digestDesk({ url: strict.url, apiKey }, serviceNow);
    expect(await desk.facts(chosen(resting))).toMatchObject({ silent: [], ...facts });
  },
);
