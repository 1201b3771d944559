/** Contract of the threads on each engine. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Threads } from '../../../src/bot/store/repositories/threads.ts';
import type { Store } from '../../../src/bot/store/store.ts';

const key = { teamId: 'T1', channelId: 'C1', subject: 'e1' };
const leaseMs = 30_000;
const picture = { fileId: 'F1', reply: 'timeline', name: 'timeline.png', digest: null };

/** @param openStore a store of its own for each call */
export function threadsContract(openStore: (clock: () => number) => Promise<Store>): void {
  /** The time of the database. */
  let now = 1000;
  beforeEach(() => {
    now = 1000;
  });

  async function threads() {
    const store = await openStore(() => now);
    onTestFinished(() => store.close());
    return store.threads;
  }

  /** @throws Error if another process has the lease of the thread */
  async function hold(all: Threads, at = now) {
    now = at;
    const claim = await all.claim(key, leaseMs);
    if (claim.kind !== 'mine') throw new Error(`The thread is ${claim.kind}.`);
    return claim.lease;
  }

  it('one of several concurrent callers opens a thread', async () => {
    const all = await threads();
    const claims = await Promise.all(Array.from({ length: 20 }, () => all.claim(key, leaseMs)));
    expect(claims.filter(({ kind }) => kind === 'mine')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'taken')).toHaveLength(19);
  });

  it('after a crash the next claim knows the posted messages, and succeeds only after the lease', async () => {
    const all = await threads();
    const mine = await hold(all);
    await mine.saveRoot('1.1', true);
    await mine.saveReply('verdict', '1.2', 'd1.2');
    await mine.saveFile(picture);
    now += leaseMs - 1;
    expect((await all.claim(key, leaseMs)).kind).toBe('taken');
    now += 1;
    const replies = new Map([['verdict', '1.2']]);
    const digests = new Map([['verdict', 'd1.2']]);
    expect(await all.claim(key, leaseMs)).toMatchObject({
      kind: 'mine',
      isNew: false,
      thread: { rootTs: '1.1', isAnchored: true, replies, digests, files: [picture], isFinal: false, openedAt: 1000 },
    });
  });

  it('the subject of a thread is found by its root, in its own channel only', async () => {
    const all = await threads();
    await (await hold(all)).saveRoot('1.1', false);
    expect(await all.subjectBelow({ ...key, rootTs: '1.1' })).toBe('e1');
    expect(await all.subjectBelow({ ...key, rootTs: '1.2' })).toBeNull();
    expect(await all.subjectBelow({ ...key, channelId: 'C2', rootTs: '1.1' })).toBeNull();
    expect(await all.subjectBelow({ ...key, teamId: 'T2', rootTs: '1.1' })).toBeNull();
  });

  it('a thread that may still change can be claimed again, a final one never', async () => {
    const all = await threads();
    await (await hold(all)).release(false);
    await (await hold(all, 1001)).release(true);
    now = 10_000_000;
    expect((await all.claim(key, leaseMs)).kind).toBe('final');
  });

  it('an extended lease lasts; an expired one passes to another process and changes nothing any more', async () => {
    const all = await threads();
    const first = await hold(all);
    now = 25_000;
    expect(await Promise.all([first.keep(), first.keep()])).toEqual([true, true]);
    now = 40_000;
    expect((await all.claim(key, leaseMs)).kind).toBe('taken');
    const second = await hold(all, 55_000);
    expect(await first.keep()).toBe(false);
    await first.release(true);
    expect((await all.claim(key, leaseMs)).kind).toBe('taken');
    now = 80_000;
    expect(await second.keep()).toBe(true);
  });

  it('a message that was posted again replaces its id, a shared file its hash', async () => {
    const all = await threads();
    const mine = await hold(all);
    await mine.saveReply('logs', '1.3', 'd1.3');
    await mine.saveReply('logs', '1.4', 'd1.4');
    await mine.saveFile(picture);
    await mine.saveFile({ ...picture, digest: 'd' });
    const { thread } = await all.claim(key, leaseMs);
    expect(thread).toMatchObject({
      replies: new Map([['logs', '1.4']]),
      digests: new Map([['logs', 'd1.4']]),
      files: [{ ...picture, digest: 'd' }],
    });
    await mine.forgetFile('F1');
    expect((await all.claim(key, leaseMs)).thread.files).toEqual([]);
  });

  it('a thread whose root is gone starts again, once', async () => {
    const all = await threads();
    const mine = await hold(all);
    await mine.saveRoot('1.1', false);
    await mine.saveReply('verdict', '1.2', 'd1.2');
    await mine.saveFile(picture);
    await mine.release(true);
    await all.forget(key, '1.1');
    const anew = await all.claim(key, leaseMs);
    expect(anew).toMatchObject({ kind: 'mine', isNew: true, thread: { rootTs: null, replies: new Map(), files: [] } });
    await all.forget(key, '1.1');
    expect((await all.claim(key, leaseMs)).kind).toBe('taken');
  });

  it('a deleted channel loses its threads, and no other channel does', async () => {
    const all = await threads();
    const keys = [key, { ...key, subject: 'e2' }, { ...key, channelId: 'C2' }, { ...key, teamId: 'T2' }];
    for (const each of keys) {
      const claim = await all.claim(each, 1);
      if (claim.kind === 'mine') await claim.lease.saveFile(picture);
    }
    await all.forgetChannel(key);
    const left = await Promise.all(keys.map((each) => all.claim(each, leaseMs)));
    expect(left.map(({ thread }) => thread.files.length)).toEqual([0, 0, 1, 1]);
  });

  it.each(['teamId', 'channelId', 'subject'] as const)('threads that differ in %s are separate', async (field) => {
    const all = await threads();
    const mine = await hold(all);
    await mine.saveRoot('1.1', false);
    await mine.saveFile(picture);
    const other = await all.claim({ ...key, [field]: 'other' }, leaseMs);
    expect(other).toMatchObject({ kind: 'mine', thread: { rootTs: null, files: [] } });
  });
}
