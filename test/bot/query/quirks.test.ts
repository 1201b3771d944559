/** Variations that the specification allows, and how the client reads them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { subtractDecimals } from '../../../src/bot/query/rows.ts';
import { createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import {
  answer,
  type Behaviour,
  data,
  type HostileHttp,
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

const workflow = (number: number) => ({ uuid: `w-${number}`, name: `n-${number}`, workflowId: '', status: 'ACTIVE' });
const workflows = (from: number, length: number) => Array.from({ length }, (_, index) => workflow(from + index));

/** Pages of the workflows, whatever `count` says. */
function pages(rowsOf: (page: number) => readonly unknown[], count: unknown = null): Behaviour {
  return (request, response) => {
    const { number } = JSON.parse(request.body).variables.input.page;
    data({ workflows: { data: rowsOf(number), count } })(request, response);
  };
}

test('pages that shift while they are read give every workflow once', async () => {
  server.behaveAs(pages((page) => [workflows(0, 100), workflows(98, 100), workflows(198, 3)][page] ?? []));
  const { data: all, provenance } = await query.ask().allWorkflows();
  expect(all.map(({ uuid }) => uuid)).toEqual(workflows(0, 201).map(({ uuid }) => uuid));
  expect(provenance.missing).toEqual([]);
});

test('a service that repeats its first page gets two requests', async () => {
  server.behaveAs(pages(() => workflows(0, 100), 10_000));
  expect((await query.ask().allWorkflows()).data).toHaveLength(100);
  expect(server.requests).toHaveLength(2);
});

test('an endless list is cut after fifty pages, and the answer says so', async () => {
  server.behaveAs(pages((page) => workflows(page * 100, 100)));
  const { data: all, provenance } = await query.ask().allWorkflows();
  expect(all).toHaveLength(5000);
  expect(provenance.missing).toEqual(['the workflows after the first 5000']);
});

test('if a page fails, those before it are returned, and the answer says so', async () => {
  server.behaveAs(
    inTurn(
      pages(() => workflows(0, 100)),
      answer(404),
    ),
  );
  const { data: all, provenance } = await query.ask().allWorkflows();
  expect(all).toHaveLength(100);
  expect(provenance.missing).toEqual(['the workflows after the first 100']);
});

test.each([
  ['the total', 57, true],
  ['the page', 7, false],
  ['no number', 'many', false],
])('a short page has a next one only if the count is the total (count: %s)', async (_what, count, hasMore) => {
  server.behaveAs(pages(() => workflows(0, 7), count));
  expect((await query.ask().workflows({ page: 0, size: 20 })).data.hasMore).toBe(hasMore);
});

test('a list whose filter the service ignores is filtered by the client', async () => {
  server.behaveAs(pages(() => [workflow(1), { ...workflow(2), status: 'PAUSED' }]));
  const { data: page } = await query.ask().workflows({ statuses: ['PAUSED'], page: 0, size: 20 });
  expect(page.workflows.map(({ uuid }) => uuid)).toEqual(['w-2']);
});

test('invalid counts are unknown, and the workflow is returned', async () => {
  server.behaveAs(pages(() => [{ ...workflow(1), executionCountByStatus: { success: -1, failure: 1e99 } }]));
  const { data: page } = await query.ask().workflows({ page: 0, size: 20 });
  expect(page.workflows[0]).toMatchObject({ uuid: 'w-1', executionCountByStatus: null, executedAt: null });
});

const counted = (total: number, creditUsed: unknown) => ({
  data: { ...workflow(1), executionCount: total, executionCountByStatus: { success: total, failure: 0 }, creditUsed },
});
const empty = { activity: { data: [] }, failures: { data: [] }, recent: { data: [] }, deployments: { data: [] } };
const question = { uuid: 'w-1', window: lastDay, failuresMax: 3 };
const ended = { from: now - 7_200_000, to: now - 3_600_000, label: 'an hour', isMoving: false };

test.each([
  ['a string', '0.30', '0.1', '0.2'],
  ['a number', 5, 2.5, '2.5'],
  [
    'a long decimal',
    '12345678901234567890.000000000000000002',
    '0.000000000000000001',
    '12345678901234567890.000000000000000001',
  ],
  ['an object', { amount: '1' }, { amount: '0' }, null],
  ['null', null, null, null],
  ['words', 'about 3', 'none', null],
  ['less than before', '1', '2', null],
  ['none since its end, as where nothing has run', '0.3', null, '0.3'],
  ['unreadable since its end', '0.3', { amount: '0' }, null],
])('credits that are %s are subtracted exactly or unknown', async (_what, start, end, expected) => {
  server.behaveAs(
    data({ ...empty, sinceStart: counted(3, start), sinceBefore: counted(5, 0), sinceEnd: counted(1, end) }),
  );
  const { data: status } = await query.ask().workflowStatus({ ...question, window: ended });
  expect(status).toMatchObject({ creditUsed: expected, counts: { total: 2 }, countsBefore: { total: 2 } });
});

test.each([
  ['1', '1', '0'],
  ['10', '3.5', '6.5'],
  ['100', '0', '100'],
  ['100.0', '0.00', '100'],
  ['0.10', '0.03', '0.07'],
  [null, '1', null],
])('%s less %s is %s', (a, b, expected) => {
  expect(subtractDecimals(a, b)).toBe(expected);
});

const unmatched = { sinceStart: null, sinceBefore: null };
const filled = { ...empty, ...unmatched, recent: { data: [{ uuid: 'e-1', startedAt: '2026-11-20T11:00:00Z' }] } };

test.each([
  ['a code', { ...empty, ...unmatched }, [{ message: 'x', path: ['sinceStart'], extensions: { code: 'NOT_FOUND' } }]],
  ['words', { ...empty, ...unmatched }, [{ message: 'No such workflow', path: ['sinceStart'] }]],
  ['words of its own beside nothing else', { ...empty, ...unmatched }, [{ message: 'Nope.', path: ['sinceStart'] }]],
  ['null', { ...empty, ...unmatched, sinceStart: { data: null } }, undefined],
  ['an error that blanks everything', null, [{ message: 'workflow not found' }]],
])('%s in the answer means that the workflow does not exist', async (_how, body, errors) => {
  server.behaveAs(answer(200, { data: body, errors }));
  const { data: status, provenance } = await query.ask().workflowStatus(question);
  expect(status).toBeNull();
  expect(provenance.missing).toEqual([]);
});

test('a workflow that could not be read while its executions were is an error, not an unknown workflow', async () => {
  const errors = [{ message: 'boom', path: ['sinceStart'], extensions: { code: 'INTERNAL' } }];
  server.behaveAs(answer(200, { data: filled, errors }));
  await expect(query.ask().workflowStatus(question)).rejects.toMatchObject({ code: 'unavailable' });
});
