/** Lists of executions from services that number, order, filter, count and cut pages differently. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ExecutionRows } from '../../../src/bot/query/results.ts';
import { collected, createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import {
  answer,
  type Behaviour,
  data,
  type HostileHttp,
  hang,
  inTurn,
  startHostileHttp,
} from '../../support/service/hostile-http.ts';

let server: HostileHttp;
let query: TestQuery;

beforeEach(async () => {
  server = await startHostileHttp(answer(500));
  query = createTestQuery(server.url, 'key-of-a-workspace');
});

afterEach(async () => {
  await query[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

type Row = { readonly uuid: string; readonly startedAt: string; readonly status: string };

/** So many, one every ten seconds, newest first. */
const rowsOf = (length: number, status = 'FAILURE'): readonly Row[] =>
  Array.from({ length }, (_, index) => ({
    uuid: `e-${index}`,
    startedAt: new Date(now - index * 10_000).toISOString().replace('Z', '123456Z'),
    status,
  }));

type Input = { readonly to?: string; readonly page: { readonly number: number; readonly size: number } };

type Habits = {
  readonly sizeMax?: number;
  readonly countOf?: (page: readonly Row[], all: readonly Row[]) => unknown;
  readonly isEndIgnored?: boolean;
  readonly isEndExclusive?: boolean;
};

/** A service of the specification, with habits of its own. */
function listing(all: readonly Row[], { sizeMax = 100, countOf = () => null, ...habits }: Habits = {}): Behaviour {
  return (request, response) => {
    const { to, page } = JSON.parse(request.body).variables.input as Input;
    const end = to === undefined || habits.isEndIgnored ? Number.POSITIVE_INFINITY : Date.parse(to);
    const within = all.filter(({ startedAt }) => {
      const at = Date.parse(startedAt);
      return habits.isEndExclusive ? at < end : at <= end;
    });
    const size = Math.min(page.size, sizeMax);
    const rows = within.slice(page.number * size, (page.number + 1) * size);
    data({ workflowExecutions: { data: rows, count: countOf(rows, within) } })(request, response);
  };
}

async function everyUuid(pages: AsyncIterable<ExecutionRows>): Promise<readonly string[]> {
  const uuids: string[] = [];
  for await (const { executions } of pages) uuids.push(...executions.map(({ uuid }) => uuid));
  return uuids;
}

const uuidsOf = (rows: readonly Row[]) => rows.map(({ uuid }) => uuid);

test.each<[string, Habits]>([
  ['counts the total (upstream/count-is-total)', { countOf: (_page, all) => all.length }],
  ['counts the page (upstream/count-is-page-size)', { countOf: (page) => page.length }],
  ['counts nonsense', { countOf: () => -7 }],
  ['cuts pages to 20 (upstream/page-clamped)', { sizeMax: 20, countOf: (page) => page.length }],
  ['cuts pages to 7 and counts the total', { sizeMax: 7, countOf: (_page, all) => all.length }],
  ['takes an end as exclusive', { isEndExclusive: true }],
  ['ignores an end', { isEndIgnored: true }],
])('a service that %s gives every execution once', async (_habit, habits) => {
  const all = rowsOf(347);
  server.behaveAs(listing(all, habits));
  expect(await everyUuid(query.ask().eachExecution({ window: lastDay }))).toEqual(uuidsOf(all));
});

test('a service that ignores the order gives every execution once (upstream/order-ignored)', async () => {
  const all = rowsOf(250).toReversed();
  server.behaveAs(listing(all));
  const found = await everyUuid(query.ask().eachExecution({ window: lastDay }));
  expect(found.toSorted()).toEqual(uuidsOf(all).toSorted());
  expect((await query.ask().failures({ window: lastDay })).data.executions.map(({ uuid }) => uuid)).toEqual(
    uuidsOf(all.toReversed()),
  );
});

test('a service that ignores the status is filtered here (upstream/filter-ignored)', async () => {
  const all = rowsOf(150).map((row, index) => (index % 3 === 0 ? row : { ...row, status: 'SUCCESS' }));
  server.behaveAs(listing(all));
  expect((await query.ask().failures({ window: lastDay })).data.executions).toHaveLength(50);
});

test('executions that start while pages are read cause no duplicate and no gap (upstream/page-shift)', async () => {
  const all = rowsOf(300);
  const late = rowsOf(40).map((row, index) => ({ ...row, uuid: `late-${index}` }));
  server.behaveAs(inTurn(listing(all), listing([...late, ...all])));
  expect(await everyUuid(query.ask().eachExecution({ window: lastDay }))).toEqual(uuidsOf(all));
});

test('a service that repeats its first page gets no request after the third', async () => {
  const all = rowsOf(100);
  server.behaveAs(data({ workflowExecutions: { data: all, count: 9999 } }));
  expect(await everyUuid(query.ask().eachExecution({ window: lastDay }))).toEqual(uuidsOf(all));
  expect(server.requests).toHaveLength(3);
});

test('if a later page of failures fails, those before it are returned, and the answer says so', async () => {
  server.behaveAs(inTurn(listing(rowsOf(250)), answer(404)));
  const { data: list, provenance } = await query.ask().failures({ window: lastDay });
  expect([list.executions.length, list.isCut]).toEqual([100, true]);
  expect(provenance.missing).toEqual(['the failures after the first 100']);
});

test('megabytes of error texts cut the list', async () => {
  const errors = [{ error: 'x'.repeat(20_000), count: 1 }];
  server.behaveAs(listing(rowsOf(900).map((row) => ({ ...row, errors }))));
  const { data: list } = await query.ask().failures({ window: lastDay });
  // Three pages, each but the first beginning with the last row of the one before.
  expect([list.executions.length, list.isCut]).toEqual([298, true]);
});

test('rows that cannot be read are counted', async () => {
  server.behaveAs(data({ workflowExecutions: { data: [...rowsOf(2), { uuid: null }, 'x'], count: 4 } }));
  const pages = await collected(query.ask().eachExecution({ window: lastDay }));
  expect(pages.map(({ executions, unreadable }) => [executions.length, unreadable])).toEqual([[2, 2]]);
});

test('a stream waits for a busy service’s Retry-After, and continues', async () => {
  const all = rowsOf(150);
  const busy = answer(429, '', { 'retry-after': '30' });
  server.behaveAs(inTurn(listing(all), busy, listing(all)));
  const asking = query.ask();
  expect(await everyUuid(asking.eachExecution({ window: lastDay }))).toEqual(uuidsOf(all));
  expect(query.waits).toContain(30_000);
  expect(asking.pauses).toContain(30_000);
});

test('a stream from a service that fails ends with its error after the rows that were read', async () => {
  server.behaveAs(inTurn(listing(rowsOf(250)), answer(404)));
  const pages = query.ask().eachExecution({ window: lastDay })[Symbol.asyncIterator]();
  expect((await pages.next()).value?.executions).toHaveLength(100);
  await expect(pages.next()).rejects.toMatchObject({ code: 'unavailable', since: now });
});

test('a stream that is aborted ends at once with the reason, though the service hangs', async () => {
  server.behaveAs(inTurn(listing(rowsOf(250)), hang));
  const controller = new AbortController();
  const pages = query.ask().eachExecution({ window: lastDay }, controller.signal)[Symbol.asyncIterator]();
  await pages.next();
  const next = pages.next();
  controller.abort(new Error('cancelled'));
  await expect(next).rejects.toThrow('cancelled');
});

test('a stream requests a page only when it is consumed', async () => {
  server.behaveAs(listing(rowsOf(6000)));
  for await (const { executions } of query.ask().eachExecution({ window: lastDay })) {
    expect(executions).toHaveLength(100);
    break;
  }
  expect(server.requests).toHaveLength(1);
});
