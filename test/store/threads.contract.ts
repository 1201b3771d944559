/** What every engine owes the threads. */
import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/store/store.ts';

const key = { teamId: 'T1', channelId: 'C1', subject: 'e1' };
const leaseMs = 30_000;

/** @param openStore a store of its own for each call */
export function threadsContract(openStore: () => Promise<Store>): void {
  async function threads() {
    const store = await openStore();
    onTestFinished(() => store.close());
    return store.threads;
  }

  it('a thread is opened by one of any number who press at once', async () => {
    const all = await threads();
    const claims = await Promise.all(Array.from({ length: 20 }, () => all.claim(key, 1000, leaseMs)));
    expect(claims.filter(({ kind }) => kind === 'mine')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'taken')).toHaveLength(19);
  });

  it('what was posted is known to whoever goes on after a crash, and only once the lease is over', async () => {
    const all = await threads();
    await all.claim(key, 1000, leaseMs);
    await all.saveRoot(key, '1.1');
    await all.saveReply(key, 'verdict', '1.2');
    expect((await all.claim(key, 1000 + leaseMs - 1, leaseMs)).kind).toBe('taken');
    const replies = new Map([['verdict', '1.2']]);
    expect(await all.claim(key, 1000 + leaseMs, leaseMs)).toEqual({
      kind: 'mine',
      thread: { rootTs: '1.1', replies, isFinal: false },
    });
  });

  it('a thread that may still change can be claimed again, a final one never', async () => {
    const all = await threads();
    await all.claim(key, 1000, leaseMs);
    await all.release(key, false);
    expect((await all.claim(key, 1001, leaseMs)).kind).toBe('mine');
    await all.release(key, true);
    expect((await all.claim(key, 10_000_000, leaseMs)).kind).toBe('final');
  });

  it('a message that was posted again replaces its id', async () => {
    const all = await threads();
    await all.claim(key, 1000, leaseMs);
    await all.saveReply(key, 'logs', '1.3');
    await all.saveReply(key, 'logs', '1.4');
    expect((await all.claim(key, 1001, leaseMs)).thread.replies).toEqual(new Map([['logs', '1.4']]));
  });

  it.each(['teamId', 'channelId', 'subject'] as const)(
    'threads that differ in %s know nothing of each other',
    async (part) => {
      const all = await threads();
      await all.claim(key, 1000, leaseMs);
      await all.saveRoot(key, '1.1');
      const other = await all.claim({ ...key, [part]: 'other' }, 1000, leaseMs);
      expect(other).toMatchObject({ kind: 'mine', thread: { rootTs: null } });
    },
  );
}
