/** What the ledger keeps of why a digest did not come, or told nothing. */
import { expect, it } from 'vitest';
import { AppError } from '../../../src/shared/errors.ts';
import { startEngine, twoParts } from '../../support/digest-engine.ts';
import { dayMs, start } from '../../support/ledger.ts';

const hourMs = 3_600_000;
const asked = { slot: 'now', dueAt: start, window: { from: start - dayMs, to: start }, state: 'due' } as const;

async function blind() {
  const build: typeof twoParts.build = async () => {
    throw new AppError('unavailable', 'The query service does not answer.');
  };
  return startEngine({ content: { ...twoParts, build } });
}

it('a digest that could not look is posted as that, and the ledger knows why', async () => {
  const { subscribe, ledger, engine, until, posts } = await blind();
  const { id } = await subscribe();
  await ledger.add('T1', id, { ...asked, isLate: false });
  engine.start();
  await until('after finish');
  expect(posts).toMatchObject([{ text: 'could not check: unavailable' }]);
  expect(await ledger.page('T1', 1)).toMatchObject([{ state: 'posted', error: null, couldNotLook: 'unavailable' }]);
});

it('of a slot that nobody saw in time the ledger knows that the bot was away', async () => {
  const { subscribe, ledger, engine, until, pass } = await startEngine();
  await subscribe();
  pass(dayMs + hourMs);
  engine.start();
  await until('after finish');
  const [newest, missed] = await ledger.page('T1', 2);
  expect([newest, missed]).toMatchObject([
    { state: 'posted', couldNotLook: null },
    { state: 'missed', error: 'away' },
  ]);
});

it('of a slot that was begun too late the ledger knows what kept it last', async () => {
  const { subscribe, ledger, engine, until, pass } = await blind();
  await subscribe();
  pass(1000);
  engine.start();
  await until('after release');
  pass(7 * hourMs);
  await until('after finish');
  expect(await ledger.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'unavailable' }]);
});

it('and where nothing did, that the bot was away', async () => {
  const { subscribe, ledger, engine, until, pass } = await blind();
  const { id } = await subscribe();
  await ledger.add('T1', id, { ...asked, isLate: false });
  pass(7 * hourMs);
  engine.start();
  await until('after finish');
  expect((await ledger.page('T1', 9)).find(({ key }) => key.slot === 'now')).toMatchObject({ error: 'away' });
});
