/** Contract of the rate limiter on each engine: one message at a time per workspace, over all processes. */
import { expect, it } from 'vitest';
import { openOutbox } from '../../../support/bot/outbox.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

const options = { everyMs: 1000, withinMs: 250 };
const [taken, notTaken] = [true, false].map((isAcquired) => (waitMs: number) => ({ isAcquired, waitMs })) as [
  (waitMs: number) => object,
  (waitMs: number) => object,
];

export function postPermitsContract(newDatabase: NewDatabase): void {
  const open = async () => {
    const { store, pass } = await openOutbox(await newDatabase());
    const { backOff, acquire } = store.postPermits;
    return { pass, backOff, take: (teamId = 'T1') => acquire(teamId, options) };
  };

  it('grants one permit at a time, independently of other workspaces', async () => {
    const { take, pass } = await open();
    expect([await take(), await take(), await take('T2')]).toEqual([taken(0), notTaken(1000), taken(0)]);
    pass(1000);
    expect(await take()).toEqual(taken(0));
  });

  it('grants one of many concurrent requests, and gives each of the others its own time to try again', async () => {
    const { take, pass } = await open();
    await take();
    pass(1000);
    const turns = await Promise.all(Array.from({ length: 10 }, () => take()));
    expect(turns.filter(({ isAcquired }) => isAcquired)).toEqual([taken(0)]);
    const moments = turns.flatMap(({ isAcquired, waitMs }) => (isAcquired ? [] : [waitMs])).sort((a, b) => a - b);
    expect(moments).toEqual(Array.from({ length: 9 }, (_, index) => (index + 1) * 1000));
  });

  it('grants a permit that is near enough, for which the caller waits', async () => {
    const { take, pass } = await open();
    await take();
    pass(749);
    expect(await take()).toEqual(notTaken(251));
    pass(1);
    expect(await take()).toEqual(taken(250));
    pass(250);
    expect(await take()).toEqual(notTaken(1000));
  });

  it('grants none before the end of a backoff, of two backoffs the later one', async () => {
    const { take, pass, backOff } = await open();
    await backOff('T1', 60_000);
    await backOff('T1', 30_000);
    expect([await take(), await take('T2')]).toEqual([notTaken(60_000), taken(0)]);
    pass(60_000);
    expect(await take()).toEqual(taken(0));
  });

  it('rounds a backoff up to a millisecond', async () => {
    const { take, backOff } = await open();
    await backOff('T1', 59_999.25);
    expect(await take()).toEqual(notTaken(60_000));
  });

  it('does not wait for hours after the clock was set back by hours', async () => {
    const { take, pass, backOff } = await open();
    await backOff('T1', 30_000);
    for (const _ of ['one', 'other']) await take();
    pass(31_000);
    await take();
    pass(-2 * 3_600_000);
    expect([await take(), await take(), await take()]).toEqual([taken(0), notTaken(1000), notTaken(2000)]);
  });
}
