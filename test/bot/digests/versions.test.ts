/** Two versions of the bot at once: the older one leaves payloads of the newer one alone. */
import { expect, it } from 'vitest';
import type { Sent } from '../../../src/bot/outbox/ports.ts';
import { type Post, startWorker } from '../../support/bot/outbox-worker.ts';
import { openBeside } from '../../support/bot/store.ts';
import { newSqlite } from '../../support/databases/engines.ts';
import { calm, killsOfVersions, shorterTiming, trialOf } from '../../support/delivery/presets.ts';
import { runTrial } from '../../support/delivery/trial.ts';
import { versions } from '../../support/delivery/versions.ts';

const minute = 60_000;
const sentAway: Sent = { kind: 'not_sent', error: 'ratelimited', retryAfterMs: 1 };

/** A built digest that is not posted, in a form of a newer version. */
async function madeByNewer() {
  const storeUrl = await newSqlite();
  const answer = (_post: Post, count: number) => (count === 0 ? sentAway : undefined);
  const test = await startWorker({ storeUrl, answer, timing: { rebuildMs: minute } });
  await test.subscribe('T1');
  test.worker.start();
  test.pass(1000);
  await test.until('after release');
  const db = await openBeside(storeUrl);
  const made = await db.selectFrom('delivery').select('payload').executeTakeFirstOrThrow();
  const keep = (payload: string | null) => db.updateTable('delivery').set({ payload }).execute();
  await keep('{"version":2}');
  return { ...test, write: () => keep(made.payload) };
}

it('a digest in an unknown form is released each time, and posted once the form is known', async () => {
  const { pass, until, posts, outbox, write } = await madeByNewer();
  for (let times = 2; times < 9; times += 1) {
    pass(minute);
    await until('after release', times);
  }
  expect((await outbox.page('T1', 1))[0]).toMatchObject({ state: 'due', error: 'payload_of_another_version' });
  await write();
  pass(minute);
  await until('after finish');
  expect(posts.map(({ text }) => text)).toEqual(['root C1', 'root C1', 'reply']);
});

it('a digest in a form that no version knows is given up after the catch-up time', async () => {
  const { pass, until, posts, outbox } = await madeByNewer();
  for (let times = 2; times < 6; times += 1) {
    pass(minute);
    await until('after release', times);
  }
  pass(6 * 60 * minute);
  await until('after finish');
  expect(posts).toHaveLength(1);
  expect((await outbox.page('T1', 1))[0]?.state).not.toBe('due');
});

/** On one database, test/hostile/process-shared.test.ts and kills.long.test.ts have both versions at once. */
it('digests of processes that are killed as one version replaces the other, back and forth, are posted once, each with its reply', async () => {
  const given = { storeUrl: await newSqlite(), kills: killsOfVersions, versions, seed: 1 };
  const counts = await runTrial(trialOf({ ...given, judge: calm, timing: shorterTiming }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0, posted: counts.due });
  expect(counts.due).toBeGreaterThan(killsOfVersions.length);
  expect(counts.leftToOthers).toBeGreaterThan(0);
});
