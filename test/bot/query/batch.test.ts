/** Batches fit the limits of a service that publishes none: halved on a refusal, which is remembered for ten minutes for each workspace. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestQuery, now } from '../../support/bot/query.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { uuidOf, workflowRecord } from '../../support/service/service-records.ts';
import { type Refusal, startStrictService } from '../../support/service/strict-service.ts';

const window = { from: now - 86_400_000, to: now, label: 'the last day', isMoving: false };
const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
const filters = numbers.map((number) => ({ workflowUuid: uuidOf('workflow', number), window }));

let service: TestService;
let apiKey: string;

beforeAll(async () => {
  service = await startTestService();
  apiKey = service.apiKeys.harbor;
  await service.writer.putWorkflows(numbers.slice(3).map((number) => workflowRecord(number)));
});
afterAll(() => service.close());

test('the activity of 20 workflows is read within the limits of the embedded service', async () => {
  await using query = createTestQuery(service.url, apiKey);
  const { data, provenance } = await query.ask().activities([...filters, ...filters]);
  expect(data.map((days) => days?.reduce((sum, { failureCount }) => sum + failureCount, 0))).toEqual(
    [...numbers, ...numbers].map((number) => (number === 1 ? 2 : 0)),
  );
  expect(provenance.missing).toEqual([]);
});

const refusals: Readonly<Record<string, Refusal>> = {
  QUERY_TOO_COMPLEX: {
    status: 400,
    body: { errors: [{ message: 'The document asks for too much.', extensions: { code: 'QUERY_TOO_COMPLEX' } }] },
  },
  'a cost without a code, with HTTP 200': {
    status: 200,
    body: { data: null, errors: [{ message: 'Query Cost limit of 100 exceeded, found 140.' }] },
  },
  'a code of its own': {
    status: 200,
    body: { errors: [{ message: 'no', extensions: { code: 'COMPLEXITY_LIMIT_EXCEEDED' } }] },
  },
};

test.each(Object.keys(refusals))(
  'a service that takes two at a time and refuses more with %s is read whole',
  async (name) => {
    const refusal = refusals[name];
    if (!refusal) throw new Error(name);
    await using strict = await startStrictService(service.url, 2, refusal);
    await using query = createTestQuery(strict.url, apiKey);
    const { data, provenance } = await query.ask().activities(filters);
    expect(data).not.toContain(null);
    expect(provenance.missing).toEqual([]);
    const counts = await query
      .ask()
      .countsOf([uuidOf('workflow', 1), uuidOf('workflow', 2), uuidOf('workflow', 3)], window);
    expect([...counts.data.values()].map(({ total }) => total)).toEqual([12, 0, 0]);
  },
);

test('a size that was refused is tried again after ten minutes, and says nothing about other workspaces', async () => {
  await using strict = await startStrictService(
    service.url,
    4,
    refusals['QUERY_TOO_COMPLEX'] ?? { status: 400, body: {} },
  );
  await using query = createTestQuery(strict.url, apiKey);
  const refusedFor = async (teamId: string) => {
    const before = strict.refused.length;
    await query.ask({ teamId, isFresh: true }).activities(filters);
    return strict.refused.length - before;
  };
  expect([await refusedFor('T0001'), await refusedFor('T0001'), await refusedFor('T0002')]).toEqual([4, 0, 4]);
  query.clock.now += 10 * 60_000 + 1;
  expect(await refusedFor('T0001')).toBe(4);
});

test('a document that is refused at every size is asked in full again the next time', async () => {
  await using strict = await startStrictService(
    service.url,
    0,
    refusals['QUERY_TOO_COMPLEX'] ?? { status: 400, body: {} },
  );
  await using query = createTestQuery(strict.url, apiKey);
  await expect(query.ask().activities(filters)).rejects.toThrow('rejected the query');
  await expect(query.ask().activities(filters)).rejects.toThrow('rejected the query');
  expect(strict.sizes).toEqual([15, 8, 4, 2, 1, 15, 8, 4, 2, 1]);
});
