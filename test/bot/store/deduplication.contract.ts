/** Contract of idempotency keys, OAuth states and leases on each engine. */
import { expect, it } from 'vitest';
import type { NewDatabase } from '../../support/engines.ts';
import { openTestStore } from '../../support/store.ts';

const ten = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 10 }, run));

export function coordinationContract(newDatabase: NewDatabase): void {
  const open = async () => openTestStore(await newDatabase());

  it('one of many processes claims a delivery, and again once its key has expired', async () => {
    const { idempotencyKeys: seen, deleteExpired } = await open();
    expect((await ten(() => seen.claim('T1', 'Ev1', 1000, 500))).filter(Boolean)).toHaveLength(1);
    expect(await seen.claim('T2', 'Ev1', 1000, 500)).toBe(true);
    expect(await seen.claim('T1', 'Ev1', 1499, 500)).toBe(false);
    expect((await ten(() => seen.claim('T1', 'Ev1', 1500, 500))).filter(Boolean)).toHaveLength(1);
    await deleteExpired(2000);
    expect(await seen.claim('T1', 'Ev1', 1500, 500)).toBe(true);
  });

  it('an OAuth state ends one installation, and is kept until it expires', async () => {
    const { oauthStates, deleteExpired } = await open();
    expect(await oauthStates.isUsed('state')).toBe(false);
    expect((await ten(() => oauthStates.use('state', 'browser', 2000))).filter(Boolean)).toHaveLength(1);
    expect(await oauthStates.use('another state', 'browser', 2000)).toBe(true);
    await deleteExpired(1999);
    expect(await oauthStates.isUsed('state')).toBe(true);
    await deleteExpired(2000);
    expect(await oauthStates.isUsed('state')).toBe(false);
  });

  it('a lease has one holder until it is released or expires, and an earlier holder cannot end the next one', async () => {
    const { leases } = await open();
    const first = (await ten(() => leases.take('T1', 'tokens', 1000, 500))).filter((lease) => lease !== undefined);
    expect(first).toHaveLength(1);
    expect(await leases.take('T2', 'tokens', 1000, 500)).toBeDefined();
    expect(await leases.take('T1', 'other', 1000, 500)).toBeDefined();
    const second = await leases.take('T1', 'tokens', 1500, 500);
    await first[0]?.release();
    expect(await leases.take('T1', 'tokens', 1600, 500)).toBeUndefined();
    await second?.release();
    expect(await leases.take('T1', 'tokens', 1600, 500)).toBeDefined();
  });
}
