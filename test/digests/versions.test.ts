/** Two versions of the bot that overlap: what the newer one has made, the older one leaves to it. */
import { expect, it } from 'vitest';
import type { Sent } from '../../src/digests/ports.ts';
import { type Post, startEngine } from '../support/digest-engine.ts';
import { newSqlite } from '../support/engines.ts';
import { openBeside } from '../support/store.ts';

const minute = 60_000;
const sentAway: Sent = { kind: 'not_sent', error: 'ratelimited', retryAfterMs: 1000 };

/** One digest that is made and not posted yet, in a form that only a newer version knows. */
async function madeByNewer() {
  const storeUrl = await newSqlite();
  const answer = (_post: Post, count: number) => (count === 0 ? sentAway : undefined);
  const test = await startEngine({ storeUrl, answer, timing: { rebuildMs: minute } });
  await test.subscribe('T1');
  test.engine.start();
  test.pass(1000);
  await test.until('after release');
  const db = await openBeside(storeUrl);
  const made = await db.selectFrom('slot').select('payload').executeTakeFirstOrThrow();
  const keep = (payload: string | null) => db.updateTable('slot').set({ payload }).execute();
  await keep('{"version":2}');
  return { ...test, write: () => keep(made.payload) };
}

it('a digest in a form that is not known is left to others, however often it is met, and posted once it is known', async () => {
  const { pass, until, posts, ledger, write } = await madeByNewer();
  for (let times = 2; times < 9; times += 1) {
    pass(minute);
    await until('after release', times);
  }
  expect((await ledger.page('T1', 1))[0]).toMatchObject({ state: 'due', error: 'form_not_known' });
  await write();
  pass(minute);
  await until('after finish');
  expect(posts.map(({ text }) => text)).toEqual(['root C1', 'root C1', 'reply']);
});

it('a digest in a form that nobody knows is given up when the day has passed', async () => {
  const { pass, until, posts, ledger } = await madeByNewer();
  for (let times = 2; times < 6; times += 1) {
    pass(minute);
    await until('after release', times);
  }
  pass(6 * 60 * minute);
  await until('after finish');
  expect(posts).toHaveLength(1);
  expect((await ledger.page('T1', 1))[0]?.state).not.toBe('due');
});
