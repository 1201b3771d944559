/** Contract of idempotency keys, OAuth states and leases on each engine. */
import { expect, it } from 'vitest';
import { openTestStore, testKeys } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

const ten = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 10 }, run));

export function coordinationContract(newDatabase: NewDatabase): void {
  /** A store whose clock a test sets. */
  const open = async () => {
    const time = { now: 1000 };
    return { ...(await openTestStore(await newDatabase(), testKeys(), () => time.now)), time };
  };

  it('one of many processes claims a delivery, and again once its key has expired', async () => {
    const { idempotencyKeys: seen, deleteExpired, time } = await open();
    expect((await ten(() => seen.claim('T1', 'Ev1', 500))).filter(Boolean)).toHaveLength(1);
    expect(await seen.claim('T2', 'Ev1', 500)).toBe(true);
    time.now = 1499;
    expect(await seen.claim('T1', 'Ev1', 500)).toBe(false);
    time.now = 1500;
    expect((await ten(() => seen.claim('T1', 'Ev1', 500))).filter(Boolean)).toHaveLength(1);
    time.now = 2000;
    await deleteExpired();
    time.now = 1500;
    expect(await seen.claim('T1', 'Ev1', 500)).toBe(true);
  });

  it('an OAuth state ends one installation, and is kept until it expires', async () => {
    const { oauthStates, deleteExpired, time } = await open();
    expect(await oauthStates.isUsed('state')).toBe(false);
    expect((await ten(() => oauthStates.use('state', 'browser', 1000))).filter(Boolean)).toHaveLength(1);
    expect(await oauthStates.use('another state', 'browser', 1000)).toBe(true);
    time.now = 1999;
    await deleteExpired();
    expect(await oauthStates.isUsed('state')).toBe(true);
    time.now = 2000;
    await deleteExpired();
    expect(await oauthStates.isUsed('state')).toBe(false);
  });

  it('a lease has one holder until it is released or expires, and an earlier holder cannot end the next one', async () => {
    const { leases, time } = await open();
    const first = (await ten(() => leases.take('T1', 'tokens', 500))).filter((lease) => lease !== undefined);
    expect(first).toHaveLength(1);
    expect(await leases.take('T2', 'tokens', 500)).toBeDefined();
    expect(await leases.take('T1', 'other', 500)).toBeDefined();
    time.now = 1500;
    const second = await leases.take('T1', 'tokens', 500);
    await first[0]?.release();
    time.now = 1600;
    expect(await leases.take('T1', 'tokens', 500)).toBeUndefined();
    await second?.release();
    expect(await leases.take('T1', 'tokens', 500)).toBeDefined();
  });
}
