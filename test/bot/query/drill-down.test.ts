/** Queries of an investigation against the real query service, and their round trips. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Execution } from '../../../src/bot/query/results.ts';
import { momentsOf } from '../../../src/query-service/sample/moments.ts';
import { sampleNow as now } from '../../support/bot/commands.ts';
import { createTestQuery, type TestQuery } from '../../support/bot/query.ts';
import { expectEvery } from '../../support/runner/every.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

const minuteMs = 60_000;
const moments = momentsOf(now);
const lastHour = { from: now - 60 * minuteMs, to: now, label: '60m', isMoving: true };

let service: TestService;
let relay: HostileHttp;
let query: TestQuery;
let payments: string;
let failure: Execution;

beforeAll(async () => {
  service = await startTestService({ sample: 'fixed', hasRecords: false, clock: () => now });
  relay = await startHostileHttp(relayTo(service.url));
  const [apiKey = ''] = Object.values(service.sampleKeys);
  query = createTestQuery(relay.url, apiKey);
  query.clock.now = now;
  payments = await workflowUuid('payments');
  failure = await newestFailure(payments);
});

afterAll(async () => {
  await query[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await service.close();
});

async function workflowUuid(name: string): Promise<string> {
  const { data } = await query.ask().allWorkflows();
  return data.find((workflow) => workflow.name === name)?.uuid ?? '';
}

async function newestFailure(uuid: string, window = lastHour): Promise<Execution> {
  const { data } = await query
    .ask()
    .executions({ workflowUuid: uuid, statuses: ['FAILURE'], window, page: 0, size: 1 });
  if (!data.executions[0]) throw new Error('the sample has no such failure');
  return data.executions[0];
}

/** Counts round trips. */
async function tripsOf(run: () => Promise<unknown>): Promise<number> {
  const before = relay.requests.length;
  await run();
  return relay.requests.length - before;
}

test('an execution is read with its steps and its log in one round trip', async () => {
  const trips = await tripsOf(async () => {
    const { data, provenance } = await query.ask().execution(failure.uuid);
    expect(data?.execution).toEqual({ ...failure, workflowUuid: payments });
    expect(data?.events?.at(-1)?.errors?.[0]?.error).toContain('unknown field');
    expect(new Set(data?.logs?.map(({ nodeID }) => nodeID)).size).toBe(9);
    expect(provenance).toEqual({ source: 'live', asOf: now, missing: [] });
  });
  expect(trips).toBe(1);
});

test('log lines are sorted by time, steps by their start', async () => {
  const { data } = await query.ask().execution(failure.uuid);
  const at = (data?.logs ?? []).map(({ timestamp }) => Date.parse(timestamp));
  const starts = (data?.events ?? []).map(({ startedAt }) => Date.parse(startedAt));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
});

test('the steps can be requested without the log', async () => {
  const whole = await query.ask().execution(failure.uuid);
  const { data } = await query.ask().executionEvents(failure.uuid);
  expect(data).toEqual({ ...whole.data, logs: null });
});

test('the log can be requested without the steps', async () => {
  const whole = await query.ask().execution(failure.uuid);
  const { data } = await query.ask().executionLogs(failure.uuid);
  expect(data).toEqual({ ...whole.data, events: null });
});

test.each(['execution', 'executionEvents', 'executionLogs'] as const)('%s of an unknown id is null', async (method) => {
  expect((await query.ask()[method]('11111111-0000-4000-8000-000000000000')).data).toBeNull();
});

test('an execution that ended long ago is cached for an hour, one that just ended for seconds', async () => {
  const window = { ...lastHour, to: now - 30 * minuteMs, isMoving: false };
  const settled = await newestFailure(payments, window);
  const ask = async (uuid: string) => void (await query.ask({ keyId: 'ages' }).execution(uuid));
  for (const uuid of [settled.uuid, failure.uuid]) await ask(uuid);
  query.clock.now += 20_000;
  expect(await tripsOf(() => ask(settled.uuid))).toBe(0);
  expect(await tripsOf(() => ask(failure.uuid))).toBe(1);
  query.clock.now = now;
});

test('an execution is found by its 64-hex id', async () => {
  const { data } = await query.ask().executionsByPrefix(failure.id.toLowerCase().replace(/^0x/, ''));
  expect(data.found.map(({ uuid }) => uuid)).toEqual([failure.uuid]);
  const nothing = { found: [], searchedNewest: null };
  expect((await query.ask().executionsByPrefix('f'.repeat(64))).data).toEqual(nothing);
});

test('the history of a failure has the executions before it, in one round trip', async () => {
  const trips = await tripsOf(async () => {
    const before = Date.parse(failure.startedAt);
    const { data, provenance } = await query.ask().history({ workflowUuid: payments, before });
    expect(data.failures?.[0]?.uuid).toBe(failure.uuid);
    expect(data.failuresUntil?.length).toBe(80);
    expect(data.goodBefore).toHaveLength(5);
    expectEvery(data.goodBefore ?? [], ({ startedAt }) => Date.parse(startedAt) < moments.badRelease);
    expect(data.deployments?.map(({ deployedAt }) => Date.parse(deployedAt))[0]).toBe(moments.badRelease);
    expect(data).toMatchObject({ firstGoodAfter: null, latestGoodAfter: null });
    expect(provenance.missing).toEqual([]);
  });
  expect(trips).toBe(1);
});

test('the history of a past outage has the first good run after it and the newest', async () => {
  const uuid = await workflowUuid('payments-eu');
  const window = { from: moments.outageFrom, to: moments.outageTo, label: 'outage', isMoving: false };
  const failed = await newestFailure(uuid, window);
  const { data } = await query.ask().history({ workflowUuid: uuid, before: Date.parse(failed.startedAt) });
  const first = Date.parse(data.firstGoodAfter?.startedAt ?? '');
  expect(first - moments.outageTo).toBeGreaterThanOrEqual(0);
  expect(first - moments.outageTo).toBeLessThan(15 * minuteMs);
  expect(now - Date.parse(data.latestGoodAfter?.startedAt ?? '')).toBeLessThan(16 * minuteMs);
  expect(data.failuresUntil?.[0]?.uuid).toBe(failed.uuid);
});

test('the counts since several instants are read in one document, in their order', async () => {
  const hour = 60 * minuteMs;
  const instants = [moments.badRelease - hour, moments.badRelease, moments.badRelease + 10 * minuteMs];
  const trips = await tripsOf(async () => {
    const { data, provenance } = await query.ask().countsSince({ workflowUuid: payments, instants });
    expect(data.map((counts) => [counts?.success, counts?.failure])).toEqual([
      [120, 80],
      [0, 80],
      [0, 60],
    ]);
    expect(provenance.missing).toEqual([]);
  });
  expect(trips).toBe(1);
  const many = Array.from({ length: 16 }, (_, index) => now - index * hour);
  expect(await tripsOf(() => query.ask().countsSince({ workflowUuid: payments, instants: many }))).toBeLessThanOrEqual(
    3,
  );
});

test('the steps of six executions are read in one round trip, those of seven in two', async () => {
  const filter = { workflowUuid: payments, window: lastHour, page: 0, size: 7 };
  const uuids = (await query.ask().executions(filter)).data.executions.map(({ uuid }) => uuid);
  const alone = await query.ask().executionEvents(uuids[5] ?? '');
  const trips = await tripsOf(async () => {
    const { data, provenance } = await query.ask().eventsOf(uuids.slice(0, 6));
    expect([...data.keys()].toSorted()).toEqual(uuids.slice(0, 6).toSorted());
    expect(data.get(uuids[5] ?? '')).toEqual(alone.data?.events);
    expect(provenance.missing).toEqual([]);
  });
  expect(trips).toBe(1);
  expect(await tripsOf(() => query.ask().eventsOf(uuids))).toBe(2);
});

test('every run of two days is read page by page, each once, newest first', async () => {
  const window = { from: now - 2 * 1440 * minuteMs, to: now, label: '2d', isMoving: true };
  const starts: number[] = [];
  const uuids = new Set<string>();
  let longest = 0;
  for await (const { executions } of query.ask().eachExecution({ workflowUuid: payments, window })) {
    longest = Math.max(longest, executions.length);
    for (const { uuid, startedAt } of executions) {
      uuids.add(uuid);
      starts.push(Date.parse(startedAt));
    }
  }
  const { data } = await query.ask().workflowStatus({ uuid: payments, window, failuresMax: 1 });
  expect(uuids.size).toBe(data?.counts?.total);
  // Dozens of pages.
  expect(uuids.size).toBeGreaterThan(5_000);
  expect(starts).toEqual(starts.toSorted((a, b) => b - a));
  expect([starts.length, longest]).toEqual([uuids.size, 100]);
});
