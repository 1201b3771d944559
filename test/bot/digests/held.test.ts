/** A digest waits while the readers of its channel are unknown, and its owner is notified. */
import { expect, it } from 'vitest';
import type { Sent } from '../../../src/bot/outbox/ports.ts';
import { startWorker, type WorkerTestOptions } from '../../support/bot/outbox-worker.ts';

const minuteMs = 60_000;

/** A digest that waits until `isKnown` is set. */
async function startHeld(error: string) {
  const state = { isKnown: false };
  const answer: WorkerTestOptions['answer'] = (): Sent | undefined =>
    state.isKnown ? undefined : { kind: 'not_sent', error };
  const test = await startWorker({ answer });
  await test.subscribe();
  test.pass(1000);
  test.worker.start();
  await test.until('after release');
  /** Lets time pass until the digest was tried this often. */
  const tryUntil = async (times: number) => {
    for (let tried = 2; tried <= times; tried += 1) {
      test.pass(5 * minuteMs);
      await test.until('after release', tried);
    }
  };
  return { ...test, state, tryUntil };
}

it('a digest whose readers are unknown is posted late once they are known, and its owner is notified once', async () => {
  const { state, told, tryUntil, pass, until, outbox } = await startHeld('sharing_unknown');
  expect(told).toEqual([]);
  await tryUntil(6);
  expect(told).toHaveLength(1);
  expect(told[0]?.text).toMatch(
    /is delayed: the bot could not find out whether people from another company can read the channel/,
  );
  state.isKnown = true;
  pass(5 * minuteMs);
  await until('after finish');
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted' }]);
});

it('missing permissions notify the owner at once', async () => {
  const { told, tryUntil } = await startHeld('sharing_needs_scopes');
  await tryUntil(3);
  expect(told).toHaveLength(1);
  expect(told[0]?.text).toMatch(/the bot lacks permissions.*Ask a workspace admin to install the bot again/s);
});

it('another error is retried without a notification', async () => {
  const { told, tryUntil } = await startHeld('ratelimited');
  await tryUntil(6);
  expect(told).toEqual([]);
});

it('a digest whose readers stay unknown is missed after six hours with its reason, and is not paused', async () => {
  const { pass, until, outbox, subscriptions } = await startHeld('sharing_unknown');
  pass(6 * 60 * minuteMs);
  await until('after finish');
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'sharing_unknown' }]);
  expect(await subscriptions.list('T1')).toMatchObject([{ pause: null }]);
});
