/** A service that ignores the size of a page: reads are bounded, and missing rows are named. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answered } from '../../../src/bot/query/results.ts';
import { createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import { answer, data, type HostileHttp, startHostileHttp } from '../../support/service/hostile-http.ts';

const came = 301;
const at = (index: number) => new Date(now - 60_000 - index * 1000).toISOString();

/** One row that is a row of every list. */
const row = (index: number) => ({
  ...{ uuid: `u-${index}`, id: `id-${index}`, name: `n-${index}`, workflowId: '', workflowName: 'w' },
  ...{
    status: 'FAILURE',
    startedAt: at(index),
    deployedAt: at(index),
    capabilityID: 'c',
    from: at(index),
    to: at(index),
  },
  ...{ successCount: 1, failureCount: 1, message: 'm', timestamp: at(index) },
});

let server: HostileHttp;
let query: TestQuery;
const rows = Array.from({ length: came }, (_, index) => row(index));

beforeEach(async () => {
  server = await startHostileHttp(answer(500));
  query = createTestQuery(server.url, 'key-of-a-workspace');
  // Every root field of the document gives all rows, under its own name.
  server.behaveAs((request, response) => {
    const names = [...JSON.parse(request.body).query.matchAll(/^ {2}(?:(\w+): )?(\w+)[ (]/gm)].map(
      ([, alias, name]) => alias ?? name,
    );
    data(Object.fromEntries(names.map((name) => [name, { data: rows, count: came }])))(request, response);
  });
});

afterEach(async () => {
  await query[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

type Ask = ReturnType<TestQuery['ask']>;

const lists: Readonly<Record<string, readonly [max: number, read: (ask: Ask) => Promise<Answered<unknown>>]>> = {
  workflows: [20, (ask) => ask.workflows({ page: 0, size: 20 })],
  'workflow names': [100, (ask) => ask.workflowNames('n')],
  executions: [10, (ask) => ask.executions({ window: lastDay, page: 0, size: 10 })],
  deployments: [15, (ask) => ask.deployments({ workflowUuid: 'w-1', page: 0, size: 15 })],
};

describe('from a page with 301 rows', () => {
  it.each(Object.entries(lists))(
    '%s: the requested number is read, and the others are counted',
    async (_name, [max, read]) => {
      const { data: page, provenance } = await read(query.ask());
      const list = Object.values(page as object).find(Array.isArray);
      expect(list).toHaveLength(max);
      expect(page).toMatchObject({ hasMore: true });
      expect(provenance.missing).toEqual([expect.stringMatching(/^the \w+ beyond the number that the bot asked for$/)]);
    },
  );

  it('all are read if all were requested', async () => {
    const { data: all, provenance } = await query.ask().allWorkflows();
    expect(all).toHaveLength(came);
    expect(provenance.missing).toEqual([]);
  });
});

describe('from a page with 5,000 rows', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => row(index));

  it('a thousand are read if all were requested, and the answer says so', async () => {
    server.behaveAs(data({ workflows: { data: many, count: null }, workflowExecutions: { data: many, count: null } }));
    const { data: all, provenance } = await query.ask().everyWorkflow();
    expect(all).toHaveLength(1000);
    expect(provenance.missing).toEqual(['the workflows after the first 1000']);
  });
});
