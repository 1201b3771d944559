/** What a digest asks about deployments where more workflows fail than anybody reads of. */
import { expect, it } from 'vitest';
import { askDeployments } from '../../../src/bot/digests/ask-deployments.ts';
import { failingWorkflows } from '../../../src/bot/insight/digest/causes.ts';
import { digestWindow, tallyOf } from '../../support/digest-facts.ts';
import { createTestQuery } from '../../support/query.ts';

it('of 5,000 failing workflows it asks for the deployments of the first, and says how many are left', async () => {
  const tally = tallyOf(5000, 1);
  const listed = [...tally.workflows.keys()].map((name) => ({ uuid: `uuid of ${name}`, name }));
  const asked: string[] = [];
  await using query = createTestQuery('http://127.0.0.1:1', 'key');
  const deploymentsOf = async (uuids: readonly string[]) => {
    asked.push(...uuids);
    return { data: new Map(), provenance: { source: 'live', asOf: 0, missing: [] } } as const;
  };
  const failing = failingWorkflows(tally, [], listed);
  const told = await askDeployments({ ...query.ask(), deploymentsOf }, failing, digestWindow, new Map());
  expect(asked).toEqual(failing.slice(0, 150).flatMap(({ uuids }) => uuids));
  expect(told).toEqual({ data: [], missing: ['the deployments of 4850 more workflows'] });
});
