/** Limits of the queries of a digest. */
import { expect, it } from 'vitest';
import { queryActivity, queryDeployments } from '../../../src/bot/digests/queries.ts';
import { failingWorkflows } from '../../../src/bot/insight/digest/causes.ts';
import { digestRootMessage } from '../../../src/bot/views/digest/root.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { digestFacts, digestWindow, tallyOf } from '../../support/bot/digest-facts.ts';
import { createTestQuery } from '../../support/bot/query.ts';

it('a digest queries the deployments of the first 150 of 5,000 failing workflows, and names how many are left', async () => {
  const tally = tallyOf(5000, 1);
  const listed = [...tally.workflows.keys()].map((name) => ({ uuid: `uuid of ${name}`, name }));
  const queried: string[] = [];
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const deploymentsOf = async (uuids: readonly string[]) => {
    queried.push(...uuids);
    return { data: new Map(), provenance: { source: 'live', asOf: 0, missing: [] } } as const;
  };
  const failing = failingWorkflows(tally, [], listed);
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, failing, [], digestWindow);
  expect(queried).toEqual(failing.slice(0, 150).flatMap(({ uuids }) => uuids));
  expect(result).toEqual({
    data: [],
    missing: ['the deployments of 4850 of the workflows'],
    unchecked: [],
    notLookedAt: 0,
  });
});

it('a digest names how many workflows have more deployments in the window than it reads', async () => {
  const tally = tallyOf(2, 1);
  const [often = '', seldom = ''] = [...tally.workflows.keys()];
  const listed = [often, seldom].map((name) => ({ uuid: `uuid of ${name}`, name }));
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const deploymentsUntil = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{
        uuid: `d-${index}`,
        status: 'ACTIVE' as const,
        errorMessage: null,
        txHash: null,
        binaryURL: null,
        configURL: null,
        executionCountByStatus: null,
      },
      deployedAt: new Date(digestWindow.to - 1 - index).toISOString(),
    }));
  const deploymentsOf = async () => {
    const data = new Map(
      [often, seldom].map((name) => [`uuid of ${name}`, deploymentsUntil(name === often ? 50 : 49)]),
    );
    return { data, provenance: { source: 'live', asOf: 0, missing: [] } } as const;
  };
  const failing = failingWorkflows(tally, [], listed);
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, failing, [], digestWindow);
  expect(result.data).toHaveLength(99);
  expect(result.missing).toEqual(['older deployments of one workflow']);
});

it('a digest calls only the newest deployment up to its end active, and those that it replaced replaced', async () => {
  const tally = tallyOf(1, 1);
  const [name = ''] = tally.workflows.keys();
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const one = {
    uuid: 'd',
    errorMessage: null,
    txHash: null,
    binaryURL: null,
    configURL: null,
    executionCountByStatus: null,
  };
  const newestFirst = ['ACTIVE', 'FAILED', 'ACTIVE', 'ACTIVE'] as const;
  const own = newestFirst.map((status, index) => ({
    ...{ ...one, status },
    // The newest came after the window.
    deployedAt: new Date(digestWindow.to - index * 60_000).toISOString(),
  }));
  const deploymentsOf = async () =>
    ({ data: new Map([['w-1', own]]), provenance: { source: 'live', asOf: 0, missing: [] } }) as const;
  const failing = failingWorkflows(tally, [], [{ uuid: 'w-1', name }]);
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, failing, [], digestWindow);
  expect(result.data?.map(({ status }) => status)).toEqual(['FAILED', 'ACTIVE', 'REPLACED']);
  const { text } = digestRootMessage(digestFacts(tally, { deployments: result.data?.slice(1) ?? [] }));
  expect([...text.matchAll(/> \((\w+)\)/g)].map(([, state]) => state)).toEqual(['active', 'replaced']);
});

it('a digest has the rejected deployments of 600 workflows that did not fail; how many are left is no warning', async () => {
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const workflows = Array.from({ length: 653 }, (_, index) => ({ uuid: `w-${index}`, name: `workflow-${index}` }));
  const at = digestWindow.from + 60_000;
  const asked: [number, number][] = [];
  const deploymentsOf = async (uuids: readonly string[], rowsMax = 0) => {
    asked.push([uuids.length, rowsMax]);
    const one = {
      uuid: 'd',
      errorMessage: null,
      txHash: null,
      binaryURL: null,
      configURL: null,
      executionCountByStatus: null,
    };
    const ofTime = (status: 'ACTIVE' | 'FAILED', time: number) => ({
      ...one,
      status,
      deployedAt: new Date(time).toISOString(),
    });
    const own = [ofTime('ACTIVE', at + 1000), ofTime('FAILED', at), ofTime('FAILED', digestWindow.from - 1)];
    const data = new Map(uuids.filter((uuid) => uuid === 'w-3' || uuid === 'w-599').map((uuid) => [uuid, own]));
    return { data, provenance: { source: 'live', asOf: 0, missing: [] } } as const;
  };
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, [], workflows, digestWindow);
  expect(result.data?.map(({ workflowName, status }) => [workflowName, status])).toEqual([
    ['workflow-3', 'FAILED'],
    ['workflow-599', 'FAILED'],
  ]);
  expect(asked).toEqual(Array(4).fill([150, 10]));
  expect(result).toMatchObject({ missing: [], notLookedAt: 53 });
  const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { deploymentsNotLookedAt: 53 }));
  expect(text).toContain('Not checked for failed deployments: 53 workflows.');
  expect(text).not.toContain('Not known');
});

it('a digest that cannot read the deployments of some workflows names them as not known, and asks no further', async () => {
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const workflows = Array.from({ length: 400 }, (_, index) => ({ uuid: `w-${index}`, name: `workflow-${index}` }));
  let asked = 0;
  const deploymentsOf = async () => {
    asked += 1;
    throw new AppError('unavailable', 'down', { isRetryable: true });
  };
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, [], workflows, digestWindow);
  expect(result).toEqual({
    data: [],
    missing: ['the deployments'],
    unchecked: ['failed deployments'],
    notLookedAt: 250,
  });
  expect(asked).toBe(1);
});

it.each([
  [20, 'the digest’s zone', 'Europe/Berlin', 20],
  [21, 'UTC, which the service counts for all of them in one document', 'UTC', 0],
])('the days of a digest of %i chosen workflows are those of %s', async (count, _, zone, documents) => {
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const about = { kind: 'chosen', uuids: Array.from({ length: count }, (_each, index) => `w-${index}`) } as const;
  const frame = {
    about,
    window: digestWindow,
    zone: 'Europe/Berlin',
    dueAt: digestWindow.to,
    isLate: false,
    missed: [],
  };
  const day = { from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', successCount: 2, failureCount: 1 };
  const provenance = { source: 'live', asOf: 0, missing: [] } as const;
  let asked = 0;
  const ask = {
    ...query.ask(),
    activities: async (filters: readonly unknown[]) => ({ data: filters.map(() => [day]), provenance }),
    activitySeries: async (_filter: unknown, asZone: string) => {
      asked += 1;
      return { data: { zone: asZone, buckets: [day] }, provenance };
    },
  };
  const { daily } = await queryActivity(ask, frame, null, [digestWindow, digestWindow]);
  expect(daily).toEqual({ zone, buckets: [{ ...day, successCount: 2 * count, failureCount: count }] });
  expect(asked).toBe(documents);
});
