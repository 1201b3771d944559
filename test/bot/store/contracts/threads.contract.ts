/** Contract of threads in the outbox on each engine. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { threadKey } from '../../../../src/bot/store/outbox/open-delivery.ts';
import type { Store } from '../../../../src/bot/store/store.ts';
import { beginThread, someThread as key, leaseMs, openThread, postIn } from '../../../support/bot/outbox.ts';

const picture = { fileId: 'F1', messageName: 'timeline', fileName: 'timeline.png', contentHash: null };

/** @param openStore a store of its own for each call */
export function threadsContract(openStore: (clock: () => number) => Promise<Store>): void {
  /** The time of the database. */
  let now = 1000;
  beforeEach(() => {
    now = 1000;
  });

  async function open() {
    const store = await openStore(() => now);
    onTestFinished(() => store.close());
    return store;
  }

  it('one of several concurrent callers opens a thread', async () => {
    const store = await open();
    const claims = await Promise.all(Array.from({ length: 20 }, () => openThread(store, key)));
    expect(claims.filter(({ kind }) => kind === 'mine')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'taken')).toHaveLength(19);
  });

  it('after a crash the next claim knows the posted messages, and succeeds only after the lease', async () => {
    const store = await open();
    const { lease } = await beginThread(store, { posted: { root: '1.1', verdict: '1.2' } });
    await lease.saveFile(picture);
    now += leaseMs - 1;
    expect((await openThread(store, key)).kind).toBe('taken');
    now += 1;
    expect(await openThread(store, key)).toMatchObject({
      ...{ kind: 'mine', isNew: false },
      delivery: {
        messages: [
          { name: 'root', ts: '1.1', attempts: 1 },
          { name: 'verdict', ts: '1.2', contentHash: 'hash of 1.2' },
        ],
        ...{ files: [picture], openedAt: 1000, fencingToken: 1 },
      },
    });
  });

  it('the subject of a thread is found by its root, in its own channel only', async () => {
    const store = await open();
    const { outbox } = store;
    await beginThread(store, { posted: { root: '1.1' } });
    expect(await outbox.subjectBelow({ ...key, rootTs: '1.1' })).toBe('e1');
    expect(await outbox.subjectBelow({ ...key, rootTs: '1.2' })).toBeNull();
    expect(await outbox.subjectBelow({ ...key, channelId: 'C2', rootTs: '1.1' })).toBeNull();
    expect(await outbox.subjectBelow({ ...key, teamId: 'T2', rootTs: '1.1' })).toBeNull();
  });

  it('a root that was there before counts as sent, without an attempt', async () => {
    const store = await open();
    const { lease } = await beginThread(store);
    await lease.adoptRoot('0.9');
    await lease.defer(0);
    expect((await beginThread(store)).messages).toMatchObject([
      { name: 'root', state: 'sent', ts: '0.9', attempts: 0 },
    ]);
  });

  it('a thread that may still change can be claimed again, a final one never', async () => {
    const store = await open();
    await (await beginThread(store)).lease.defer(0);
    await (await beginThread(store)).lease.finish('posted');
    now = 10_000_000;
    expect((await openThread(store, key)).kind).toBe('final');
  });

  it('an extended lease lasts; an expired one passes to another process and changes nothing any more', async () => {
    const store = await open();
    const first = await beginThread(store, { posted: { root: '1.1' } });
    now = 25_000;
    expect(await first.lease.extend(leaseMs)).toBe(true);
    now = 40_000;
    expect((await openThread(store, key)).kind).toBe('taken');
    now = 55_000;
    const second = await beginThread(store);
    const { lease } = first;
    expect([
      await lease.extend(leaseMs),
      await lease.addMessages([{ name: 'late', opaqueId: 'o' }], 1),
      await lease.recordEdit('root', 'hash'),
      await lease.renew({ name: 'root', opaqueId: 'o' }),
      await lease.finish('posted'),
    ]).toEqual(Array(5).fill(false));
    expect((await openThread(store, key)).kind).toBe('taken');
    now = 80_000;
    expect(await second.lease.extend(leaseMs)).toBe(true);
  });

  it('a message that is posted again replaces its id, an edit its hash, and a shared file its hash', async () => {
    const store = await open();
    const { lease, ...thread } = await beginThread(store, { posted: { root: '1.1', logs: '1.3' } });
    await lease.recordEdit('root', 'edited');
    await lease.renew({ name: 'logs', opaqueId: 'new' });
    await postIn({ ...thread, lease }, { logs: '1.4' });
    await lease.saveFile(picture);
    await lease.saveFile({ ...picture, contentHash: 'h' });
    const read = async () => {
      await lease.defer(0);
      now += leaseMs;
      return beginThread(store);
    };
    const { messages, files, ...next } = await read();
    expect(messages).toMatchObject([
      { name: 'root', ts: '1.1', contentHash: 'edited' },
      { name: 'logs', ts: '1.4', opaqueId: 'new', attempts: 1 },
    ]);
    expect(files).toEqual([{ ...picture, contentHash: 'h' }]);
    await next.lease.forgetFile('F1');
    await next.lease.defer(0);
    expect((await beginThread(store)).files).toEqual([]);
  });

  it('a thread whose root is gone starts again, once', async () => {
    const store = await open();
    const { lease } = await beginThread(store, { posted: { root: '1.1', verdict: '1.2' } });
    await lease.saveFile(picture);
    await lease.finish('posted');
    await store.outbox.forgetThread(threadKey(key, key.subject), '1.1');
    expect(await openThread(store, key)).toMatchObject({
      ...{ kind: 'mine', isNew: true },
      delivery: { messages: [], files: [] },
    });
    await store.outbox.forgetThread(threadKey(key, key.subject), '1.1');
    expect((await openThread(store, key)).kind).toBe('taken');
  });

  it('a deleted channel loses its threads, and no other channel does', async () => {
    const store = await open();
    const keys = [key, { ...key, subject: 'e2' }, { ...key, channelId: 'C2' }, { ...key, teamId: 'T2' }];
    for (const each of keys) {
      const { lease } = await beginThread(store, { key: each });
      await lease.saveFile(picture);
      await lease.defer(0);
    }
    await store.outbox.forgetThreadsIn(key);
    const left = await Promise.all(keys.map((each) => beginThread(store, { key: each })));
    expect(left.map(({ files }) => files.length)).toEqual([0, 0, 1, 1]);
  });

  it.each(['teamId', 'channelId', 'subject'] as const)('threads that differ in %s are separate', async (field) => {
    const store = await open();
    const { lease } = await beginThread(store, { posted: { root: '1.1' } });
    await lease.saveFile(picture);
    expect(await beginThread(store, { key: { ...key, [field]: 'other' } })).toMatchObject({ messages: [], files: [] });
  });
}
