/** Reasons in the outbox for a digest that was not posted or could not check. */
import { expect, it } from 'vitest';
import { AppError } from '../../../src/shared/errors.ts';
import { dayMs, start } from '../../support/bot/outbox.ts';
import { rootAndReply, startWorker } from '../../support/bot/outbox-worker.ts';

const hourMs = 3_600_000;
const requested = {
  occurrenceId: 'now',
  dueAt: start,
  window: { from: start - dayMs, to: start },
  state: 'due',
} as const;

async function blind() {
  const build: typeof rootAndReply.build = async () => {
    throw new AppError('unavailable', 'The query service does not answer.');
  };
  return startWorker({ content: { ...rootAndReply, build } });
}

it('a digest that could not check says so, and the outbox has the reason', async () => {
  const { subscribe, outbox, worker, until, posts } = await blind();
  const { id } = await subscribe();
  await outbox.add('T1', id, { ...requested, isLate: false });
  worker.start();
  await until('after finish');
  expect(posts).toMatchObject([{ text: 'could not check: unavailable' }]);
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted', error: null, checkError: 'unavailable' }]);
});

it('an occurrence that was not claimed in time has the reason that the bot was away', async () => {
  const { subscribe, outbox, worker, until, pass } = await startWorker();
  await subscribe();
  pass(dayMs + hourMs);
  worker.start();
  await until('after finish');
  const [newest, missed] = await outbox.page('T1', 2);
  expect([newest, missed]).toMatchObject([
    { state: 'posted', checkError: null },
    { state: 'missed', error: 'away' },
  ]);
});

it('an occurrence past its catch-up time has its last error as the reason', async () => {
  const { subscribe, outbox, worker, until, pass } = await blind();
  await subscribe();
  pass(1000);
  worker.start();
  await until('after release');
  pass(7 * hourMs);
  await until('after finish');
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'unavailable' }]);
});

it('an occurrence past its catch-up time without an error has the reason that the bot was away', async () => {
  const { subscribe, outbox, worker, until, pass } = await blind();
  const { id } = await subscribe();
  await outbox.add('T1', id, { ...requested, isLate: false });
  pass(7 * hourMs);
  worker.start();
  await until('after finish');
  expect((await outbox.page('T1', 9)).find(({ key }) => key.occurrenceId === 'now')).toMatchObject({ error: 'away' });
});
