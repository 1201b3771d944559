/** A service that refuses more rows than its limit is read whole, in halves, and the limit is remembered. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collected, createTestQuery, lastDay, now } from '../../support/bot/query.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { executionRecord, hashOf, uuidOf, workflowRecord } from '../../support/service/service-records.ts';

const workflowUuid = uuidOf('workflow', 50);
const minuteMs = 60_000;
const count = 130;

let service: TestService;
let strict: HostileHttp;
let rowsMax = 10;
let asked: number[] = [];

/** The rows of all pages in its variables; one for a list without pages. */
function rowsIn(body: string): number {
  const { variables } = JSON.parse(body) as {
    readonly variables: Readonly<Record<string, { readonly page?: { readonly size: number } }>>;
  };
  return Object.values(variables).reduce((sum, input) => sum + (input.page?.size ?? 1), 0);
}

beforeAll(async () => {
  service = await startTestService({ clock: () => now });
  await service.writer.putWorkflows([workflowRecord(50, { name: 'long' })]);
  await service.writer.putExecutions(
    Array.from({ length: count }, (_, index) =>
      executionRecord(90_000 + index, {
        workflowUuid,
        startedAt: now - (index + 1) * 5 * minuteMs,
        status: index % 13 === 12 ? 'SUCCESS' : 'FAILURE',
      }),
    ),
  );
  const pass = relayTo(service.url);
  strict = await startHostileHttp((request, response) => {
    const rows = rowsIn(request.body);
    asked.push(rows);
    if (rows <= rowsMax) return pass(request, response);
    response.writeHead(400, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ errors: [{ message: 'no', extensions: { code: 'QUERY_TOO_COMPLEX' } }] }));
  });
});
afterAll(async () => {
  await strict[Symbol.asyncDispose]();
  await service.close();
});

const whole = () => createTestQuery(service.url, service.apiKeys.harbor);
/** One row at a time takes many round trips: a deadline here would be one of the machine. */
const limited = () => createTestQuery(strict.url, service.apiKeys.harbor);

test.each([50, 10, 1])('of a service that takes %i rows, every answer is the same', async (max) => {
  [rowsMax, asked] = [max, []];
  await using free = whole();
  await using query = limited();
  for (const read of [
    (ask: ReturnType<typeof query.ask>) => ask.history({ workflowUuid, before: now - 20 * minuteMs }),
    (ask: ReturnType<typeof query.ask>) => ask.workflowStatus({ uuid: workflowUuid, window: lastDay, failuresMax: 5 }),
    (ask: ReturnType<typeof query.ask>) => ask.executions({ workflowUuid, window: lastDay, page: 1, size: 20 }),
    (ask: ReturnType<typeof query.ask>) => ask.failures({ workflowUuid, window: lastDay }),
    (ask: ReturnType<typeof query.ask>) => ask.everyWorkflow(),
    (ask: ReturnType<typeof query.ask>) => ask.deploymentsOf([workflowUuid]),
    (ask: ReturnType<typeof query.ask>) => ask.newestStartsOf([workflowUuid]),
    (ask: ReturnType<typeof query.ask>) => ask.executionsByPrefix(hashOf(90_000).slice(0, 60)),
  ]) {
    const [expected, found] = [await read(free.ask()), await read(query.ask())];
    expect(found.data).toEqual(expected.data);
    expect(found.provenance.missing).toEqual([]);
  }
  const filter = { workflowUuid, window: { ...lastDay, from: now - 2 * 86_400_000, label: '2d' } };
  const [expected, found] = [
    await collected(free.ask().eachExecution(filter)),
    await collected(query.ask().eachExecution(filter)),
  ];
  const uuidsOf = (pages: typeof found) => pages.flatMap(({ executions }) => executions.map(({ uuid }) => uuid));
  expect(uuidsOf(found)).toEqual(uuidsOf(expected));
  expect(uuidsOf(found)).toHaveLength(count);
});

test('the limit is remembered: a second question is asked within it', async () => {
  rowsMax = 30;
  await using query = limited();
  await query.ask().history({ workflowUuid, before: now });
  asked = [];
  await query.ask().history({ workflowUuid, before: now - minuteMs });
  expect(asked.length).toBeGreaterThan(5);
  expect(Math.max(...asked)).toBeLessThanOrEqual(30);
});

test('a question that is refused at any size has the refusal as its answer, after few attempts', async () => {
  [rowsMax, asked] = [0, []];
  await using query = limited();
  await expect(query.ask().history({ workflowUuid, before: now })).rejects.toMatchObject({ code: 'internal' });
  expect(asked.length).toBeLessThan(15);
});
