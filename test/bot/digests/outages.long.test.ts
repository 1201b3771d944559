/** Digests of a process whose query service is away; outages.test.ts and test/bot/outbox/worker.test.ts have the same within the test's process. */
import { expect, it } from 'vitest';
import { newSqlite } from '../../support/databases/engines.ts';
import { calm, shorterTiming, trialOf } from '../../support/delivery/presets.ts';
import { runTrial, type TrialOptions } from '../../support/delivery/trial.ts';

async function expectEachOnce(trial: Pick<TrialOptions, 'storeUrl' | 'kills'> & Partial<TrialOptions>) {
  const counts = await runTrial(trialOf({ judge: calm, timing: shorterTiming, seed: 1, ...trial }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0, posted: counts.due });
  expect(counts.due).toBeGreaterThan(0);
}

it('digests are posted when the query service comes back after the due time', async () => {
  const kills = [{ kind: 'random', afterMs: 3000 }] as const;
  await expectEachOnce({ storeUrl: await newSqlite(), kills, serviceGoneMs: 2000 });
});

it('digests say once that they could not check when the query service stays away longer', async () => {
  const timing = { ...shorterTiming, rebuildForMs: 1000 };
  const kills = [{ kind: 'random', afterMs: 3000 }] as const;
  const given = { storeUrl: await newSqlite(), kills, timing, repliesCount: 0, serviceGoneMs: 600_000 };
  await expectEachOnce(given);
});
