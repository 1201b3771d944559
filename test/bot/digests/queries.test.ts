/** Limits of the queries of a digest. */
import { expect, it } from 'vitest';
import { queryDeployments } from '../../../src/bot/digests/queries.ts';
import { failingWorkflows } from '../../../src/bot/insight/digest/causes.ts';
import { digestRootMessage } from '../../../src/bot/views/digest/root.ts';
import { digestFacts, digestWindow, tallyOf } from '../../support/digest-facts.ts';
import { createTestQuery } from '../../support/query.ts';

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
  expect(result).toEqual({ data: [], missing: ['the deployments of 4850 more workflows'] });
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
  const one = { uuid: 'd', errorMessage: null, txHash: null, binaryURL: null, configURL: null };
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

it('a digest has the rejected deployments of workflows that did not fail, and names how many it did not query', async () => {
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const workflows = Array.from({ length: 153 }, (_, index) => ({ uuid: `w-${index}`, name: `workflow-${index}` }));
  const at = digestWindow.from + 60_000;
  const deploymentsOf = async () => {
    const one = { uuid: 'd', errorMessage: null, txHash: null, binaryURL: null, configURL: null };
    const ofTime = (status: 'ACTIVE' | 'FAILED', time: number) => ({
      ...one,
      status,
      deployedAt: new Date(time).toISOString(),
    });
    const own = [ofTime('ACTIVE', at + 1000), ofTime('FAILED', at), ofTime('FAILED', digestWindow.from - 1)];
    return { data: new Map([['w-3', own]]), provenance: { source: 'live', asOf: 0, missing: [] } } as const;
  };
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, [], workflows, digestWindow);
  expect(result.data).toEqual([{ workflowName: 'workflow-3', status: 'FAILED', deployedAt: at }]);
  expect(result.missing).toEqual(['whether deployments of 3 more workflows were rejected']);
});
