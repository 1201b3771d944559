/** A digest of which nothing says who would read it is held, and comes once that is known; its owner knows of it. */
import { expect, it } from 'vitest';
import type { Sent } from '../../../src/bot/outbox/ports.ts';
import { startWorker, type WorkerTestOptions } from '../../support/outbox-worker.ts';

const minuteMs = 60_000;

/** A digest that is held until `isKnown` is set. */
async function startHeld(error: string) {
  const state = { isKnown: false };
  const answer: WorkerTestOptions['answer'] = (): Sent | undefined =>
    state.isKnown ? undefined : { kind: 'not_sent', error };
  const test = await startWorker({ answer });
  await test.subscribe();
  test.pass(1000);
  test.worker.start();
  await test.until('after release');
  /** Lets time pass until the digest has been tried so often. */
  const tryUntil = async (times: number) => {
    for (let tried = 2; tried <= times; tried += 1) {
      test.pass(5 * minuteMs);
      await test.until('after release', tried);
    }
  };
  return { ...test, state, tryUntil };
}

it('of which Slack does not say comes late, and its owner is told once that it is held', async () => {
  const { state, told, tryUntil, pass, until, outbox } = await startHeld('sharing_unknown');
  expect(told).toEqual([]);
  await tryUntil(6);
  expect(told).toHaveLength(1);
  expect(told[0]?.text).toMatch(
    /is held back: I could not find out whether people of another company read the channel/,
  );
  state.isKnown = true;
  pass(5 * minuteMs);
  await until('after finish');
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted' }]);
});

it('for want of permissions tells its owner at once what to do', async () => {
  const { told, tryUntil } = await startHeld('sharing_needs_scopes');
  await tryUntil(3);
  expect(told).toHaveLength(1);
  expect(told[0]?.text).toMatch(/I lack the permissions.*Ask an admin to install me again/s);
});

it('that fails for another reason is tried again without a word', async () => {
  const { told, tryUntil } = await startHeld('ratelimited');
  await tryUntil(6);
  expect(told).toEqual([]);
});

it('is given up after six hours with its reason, without a pause: the next one tells of it', async () => {
  const { pass, until, outbox, subscriptions } = await startHeld('sharing_unknown');
  pass(6 * 60 * minuteMs);
  await until('after finish');
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'sharing_unknown' }]);
  expect(await subscriptions.list('T1')).toMatchObject([{ pause: null }]);
});
