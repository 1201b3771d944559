/** Limits of the queries of a digest. */
import { expect, it } from 'vitest';
import { queryDeployments } from '../../../src/bot/digests/queries.ts';
import { failingWorkflows } from '../../../src/bot/insight/digest/causes.ts';
import { digestWindow, tallyOf } from '../../support/digest-facts.ts';
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
  const result = await queryDeployments({ ...query.ask(), deploymentsOf }, failing, digestWindow);
  expect(queried).toEqual(failing.slice(0, 150).flatMap(({ uuids }) => uuids));
  expect(result).toEqual({ data: [], missing: ['the deployments of 4850 more workflows'] });
});
