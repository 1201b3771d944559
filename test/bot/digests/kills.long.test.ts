/** Digests of processes that are killed at every failpoint. */
import { expect, it } from 'vitest';
import { atRandom, duringPosts, everyFailpoint, randomOf, trialOf } from '../../support/delivery/presets.ts';
import { runTrial } from '../../support/delivery/trial.ts';
import { newSqlite } from '../../support/engines.ts';

const seed = 20_261_123;

it('digests of killed processes are posted once, each with its reply', { timeout: 600_000 }, async () => {
  const kills = [...everyFailpoint(), ...duringPosts, ...atRandom(20, randomOf(seed))];
  const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), kills, seed }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
  expect(counts.posted).toBe(counts.due);
  expect(counts.due).toBeGreaterThan(kills.length);
});
