/** Digests of processes that are killed at every failpoint. */
import { expect, it } from 'vitest';
import {
  atRandom,
  duringPosts,
  everyFailpoint,
  limitedTrialOf,
  randomOf,
  trialOf,
} from '../../support/delivery/presets.ts';
import { runTrial } from '../../support/delivery/trial.ts';
import { newSqlite } from '../../support/engines.ts';

const seed = 20_261_123;

it.each([
  ['', trialOf],
  [', if the history can be read once a minute, fifteen messages at a time', limitedTrialOf],
])('digests of killed processes are posted once, each with its reply%s', { timeout: 900_000 }, async (_, trial) => {
  const kills = [...everyFailpoint(), ...duringPosts, ...atRandom(20, randomOf(seed))];
  const counts = await runTrial(trial({ storeUrl: await newSqlite(), kills, seed, deadlineMs: 300_000 }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
  expect(counts.posted).toBe(counts.due);
  expect(counts.due).toBeGreaterThan(kills.length);
});
