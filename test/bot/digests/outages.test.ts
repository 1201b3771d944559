/** A digest during an outage of the query service is posted once. Outages of the database server are in test/hostile/process-shared.test.ts and kills.long.test.ts; the long form is `npm run bench -- delivery`. */
import { expect, it } from 'vitest';
import { AppError } from '../../../src/shared/errors.ts';
import { rootAndReply, startWorker } from '../../support/bot/outbox-worker.ts';

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
