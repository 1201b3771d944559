/** Digests of processes that are killed at every failpoint or whose query service is away, and of strategies whose faults the trial must detect. */
import { expect, it, onTestFinished } from 'vitest';
import { describePostgres, newSqlite } from '../../support/databases/engines.ts';
import { startOwnPostgres } from '../../support/databases/own-postgres.ts';
import {
  atRandom,
  calm,
  duringPosts,
  everyFailpoint,
  killsOfVersions,
  limitedTrialOf,
  randomOf,
  shorterTiming,
  trialOf,
  withoutReplies,
} from '../../support/delivery/presets.ts';
import { strategies } from '../../support/delivery/strategies.ts';
import { runTrial, type TrialOptions } from '../../support/delivery/trial.ts';
import { versions } from '../../support/delivery/versions.ts';

const seed = 20_261_123;

/**
 * Among the failpoints are the cases process/kill9-during-fetch, process/kill9-after-fetch-before-intent-commit,
 * process/kill9-after-result-commit and process/kill9-during-lease-renewal of the hostile cases.
 */

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

it('digests of processes of two versions that are killed are posted once, each with its reply', {
  timeout: 900_000,
}, async () => {
  // Every other process is of the next version, and so is the last one, after an odd number of kills.
  const failpoints = everyFailpoint();
  const kills = [...failpoints, ...atRandom(1 + (failpoints.length % 2 === 0 ? 0 : 1), randomOf(seed), 2500)];
  const trial = { storeUrl: await newSqlite(), kills, versions, judge: calm, timing: shorterTiming, seed };
  const counts = await runTrial(trialOf({ ...trial, deadlineMs: 300_000 }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0, posted: counts.due });
  expect(counts.leftToOthers).toBeGreaterThan(0);
});

const faultless = { faults: {}, lateMs: 0, random: () => 1 };

it('digests of killed processes have no reply twice and none lost where no bot may read the replies', {
  timeout: 900_000,
}, async () => {
  const kills = [...everyFailpoint(), ...duringPosts, ...atRandom(20, randomOf(seed))];
  const counts = await runTrial(withoutReplies({ storeUrl: await newSqlite(), kills, seed, deadlineMs: 300_000 }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0 });
  expect(counts.posted).toBe(counts.due);
});

it.each([
  [strategies[1], 'after send', 'duplicated'],
  [strategies[2], 'before send', 'lost'],
  [strategies[3], 'after send', 'duplicated'],
] as const)(
  'the trial detects that strategy “%s”, killed %s, leaves digests %s',
  { timeout: 240_000 },
  async (strategy, failpoint, wrong) => {
    const kills = [{ kind: 'failpoint', failpoint, nth: 1 }] as const;
    const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), kills, strategy, seed, judge: faultless }));
    expect(counts[wrong].length).toBeGreaterThan(0);
  },
);

/** outages.test.ts and test/bot/outbox/worker.test.ts have the same within the test's process. */
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

describePostgres('digests of bots', (newDatabase) => {
  it('whose database server crashes as they post are posted once', async () => {
    const server = await startOwnPostgres();
    onTestFinished(server.close);
    let [posts, struck] = [0, Promise.resolve()];
    const random = () => {
      posts += 1;
      if (posts === 3) struck = server.crash();
      return 1;
    };
    const kills = [{ kind: 'random', afterMs: 8000 } as const];
    await expectEachOnce({ storeUrl: server.url, kills, duePerStart: 20, judge: { ...calm, random } });
    await struck;
  });

  it('of two versions that run at once and are killed are posted once, each with its reply', async () => {
    const given = { storeUrl: await newDatabase(), replicas: 2, kills: killsOfVersions, versions, seed };
    const counts = await runTrial(trialOf({ ...given, judge: calm, timing: shorterTiming }));
    expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0, posted: counts.due });
    expect(counts.leftToOthers).toBeGreaterThan(0);
  });
});
