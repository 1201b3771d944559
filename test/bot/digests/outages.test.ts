/** Digests during outages are posted once. The long form is `npm run bench -- delivery`. */
import { expect, it, onTestFinished } from 'vitest';
import { describePostgres, newSqlite } from '../../support/databases/engines.ts';
import { startOwnPostgres } from '../../support/databases/own-postgres.ts';
import { calm, shorterTiming, trialOf } from '../../support/delivery/presets.ts';
import { runTrial, type TrialOptions } from '../../support/delivery/trial.ts';

async function expectEachOnce(trial: Pick<TrialOptions, 'storeUrl' | 'kills'> & Partial<TrialOptions>) {
  const counts = await runTrial(trialOf({ judge: calm, timing: shorterTiming, seed: 1, ...trial }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0, posted: counts.due });
  expect(counts.due).toBeGreaterThan(0);
}

describePostgres('digests of bots whose database server', () => {
  it('crashes as they post are posted once', async () => {
    const server = await startOwnPostgres();
    onTestFinished(server.close);
    let [posts, struck] = [0, Promise.resolve()];
    const random = () => {
      posts += 1;
      if (posts === 3) struck = server.crash();
      return 1;
    };
    const kills = [1, 2].map(() => ({ kind: 'random', afterMs: 8000 }) as const);
    await expectEachOnce({ storeUrl: server.url, replicas: 2, kills, duePerStart: 20, judge: { ...calm, random } });
    await struck;
  });
});

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
