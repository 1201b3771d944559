/** Digests during outages are posted once. The long form is `npm run bench -- delivery`. */
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/shared/errors.ts';
import { rootAndReply, startWorker } from '../../support/bot/outbox-worker.ts';
import { describePostgres } from '../../support/databases/engines.ts';
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
    const kills = [{ kind: 'random', afterMs: 8000 } as const];
    await expectEachOnce({ storeUrl: server.url, kills, duePerStart: 20, judge: { ...calm, random } });
    await struck;
  });
});

it('a digest is posted when the query service comes back within a quarter of an hour', async () => {
  let builds = 0;
  const build: typeof rootAndReply.build = async (...given) => {
    builds += 1;
    if (builds < 3) throw new AppError('unavailable', 'The query service does not answer.');
    return rootAndReply.build(...given);
  };
  const { posts, until, pass, subscribe, worker } = await startWorker({ content: { ...rootAndReply, build } });
  await subscribe();
  worker.start();
  pass(1000);
  for (const times of [1, 2]) {
    await until('after release', times);
    pass(60_000);
  }
  await until('after finish');
  expect(posts.map(({ text }) => text)).toEqual([expect.stringMatching(/^root /), 'reply']);
});
