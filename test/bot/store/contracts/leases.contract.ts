/** Contract of the lease of an occurrence on each engine. */
import { expect, it } from 'vitest';
import type { SendOutcome } from '../../../../src/bot/store/outbox/delivery.ts';
import { leaseMs, messagesOf, only, openOutbox } from '../../../support/bot/outbox.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

const sendMs = 10_000;

export function leasesContract(newDatabase: NewDatabase): void {
  const open = async () => openOutbox(await newDatabase());

  it('is sent message by message, and the outcome of each is stored', async () => {
    const { outbox, begin, claim, pass } = await open();
    const { lease } = await begin();
    expect([
      await lease.recordIntent('root', sendMs),
      await lease.recordOutcome('root', { kind: 'sent', ts: '1.1' }),
    ]).toEqual([true, true]);
    const at = await outbox.now();
    pass(5);
    await lease.recordIntent('cause-1', sendMs);
    await lease.recordOutcome('cause-1', { kind: 'waiting', error: 'ratelimited' });
    await lease.release(2000, 'ratelimited');
    expect(await claim()).toEqual([]);
    pass(2000);
    const again = only(await claim());
    expect(again).toMatchObject({ payload: 'payload', attempts: 1, fencingToken: 3 });
    const sent = { name: 'root', opaqueId: 'id of root', state: 'sent', attempts: 1, ts: '1.1', error: null };
    const waiting = {
      name: 'cause-1',
      opaqueId: 'id of cause-1',
      state: 'waiting',
      attempts: 1,
      ts: null,
      error: 'ratelimited',
    };
    expect(again.messages).toMatchObject([
      { ...sent, firstIntentAt: at, lastIntentAt: at },
      { ...waiting, firstIntentAt: at + 5, lastIntentAt: at + 5 },
    ]);
  });

  it('only a waiting message gets an intent, so that no process repeats a possible send', async () => {
    const { begin } = await open();
    const { lease } = await begin();
    expect([await lease.recordIntent('root', sendMs), await lease.recordIntent('root', sendMs)]).toEqual([true, false]);
    for (const kind of ['unknown', 'uncertain', 'dead'] as const) {
      await lease.recordOutcome('root', { kind, error: 'timeout' });
      expect(await lease.recordIntent('root', sendMs)).toBe(false);
    }
    await lease.recordOutcome('root', { kind: 'waiting', error: 'it is not there' });
    expect(await lease.recordIntent('root', sendMs)).toBe(true);
    await lease.recordOutcome('root', { kind: 'sent', ts: '1.1' });
    expect(await lease.recordOutcome('root', { kind: 'waiting', error: 'no' })).toBe(false);
    expect([await lease.recordIntent('root', sendMs), await lease.recordIntent('no such message', sendMs)]).toEqual([
      false,
      false,
    ]);
  });

  it('an attempt that certainly posted nothing does not count, however often it is recorded', async () => {
    const { outbox, begin } = await open();
    const { lease } = await begin();
    const attempts = async () => (await outbox.page('T1', 1))[0]?.messages[0]?.attempts;
    const unsent: SendOutcome = { kind: 'unsent', error: 'ratelimited' };
    await lease.recordIntent('root', sendMs);
    expect([
      await lease.recordOutcome('root', unsent),
      await lease.recordOutcome('root', unsent),
      await attempts(),
    ]).toEqual([true, true, 0]);
    expect([await lease.recordIntent('root', sendMs), await attempts()]).toEqual([true, 1]);
  });

  it('the search range begins at the first attempt with a possible effect', async () => {
    const { outbox, begin, pass } = await open();
    const { lease } = await begin();
    const at = await outbox.now();
    const intend = async (outcome: SendOutcome) => {
      await lease.recordIntent('root', 0);
      await lease.recordOutcome('root', outcome);
      pass(100);
      return (await outbox.page('T1', 1))[0]?.messages[0]?.firstIntentAt;
    };
    const unsent: SendOutcome = { kind: 'unsent', error: 'ECONNREFUSED' };
    const absent: SendOutcome = { kind: 'waiting', error: 'not_found' };
    const first = [await intend(unsent), await intend(absent), await intend(unsent), await intend(absent)];
    expect(first).toEqual([null, at + 100, at + 100, at + 100]);
  });

  it('the same outcome may be recorded twice, because the first answer may be lost', async () => {
    const { begin } = await open();
    const { lease } = await begin();
    await lease.recordIntent('root', sendMs);
    const said = ['1.1', '1.1', '1.2'].map((ts) => () => lease.recordOutcome('root', { kind: 'sent', ts }));
    const heard: boolean[] = [];
    for (const say of said) heard.push(await say());
    expect(heard).toEqual([true, true, false]);
  });

  it('a message is not sent if its send could outlast the lease', async () => {
    const { outbox, begin, pass } = await open();
    const { lease } = await begin();
    pass(leaseMs - sendMs);
    expect(await lease.recordIntent('root', sendMs + 1)).toBe(false);
    expect((await outbox.page('T1', 1))[0]?.messages[0]).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await lease.recordIntent('root', sendMs)).toBe(true);
    pass(sendMs + 1);
    expect([
      await lease.recordIntent('cause-1', 0),
      await lease.extend(leaseMs),
      await lease.recordIntent('cause-1', sendMs),
    ]).toEqual([...[false, true, true]]);
  });

  const done: SendOutcome = { kind: 'sent', ts: '1.1' };

  it('an outcome is recorded after the lease as long as no other process has claimed the occurrence', async () => {
    const { outbox, begin, pass } = await open();
    const { lease } = await begin();
    await lease.recordIntent('root', sendMs);
    pass(leaseMs + 1);
    expect([await lease.recordOutcome('root', done), await lease.finish('posted')]).toEqual([true, true]);
    expect((await outbox.page('T1', 1))[0]).toMatchObject({ state: 'posted', messages: [{ state: 'sent' }, {}] });
  });

  it.each(['another has it', 'it was released', 'it is done', 'it was cancelled'])(
    'refuses every write once %s',
    async (how) => {
      const { subscriptions, outbox, begin, claim, pass } = await open();
      const { lease, key } = await begin();
      if (how === 'another has it') pass(leaseMs);
      if (how === 'another has it') expect(await claim()).toMatchObject([{ fencingToken: 2 }]);
      if (how === 'it was released') await lease.release(0);
      if (how === 'it is done') await lease.finish('quiet');
      if (how === 'it was cancelled') await subscriptions.remove('T1', key.subject);
      const before = await outbox.page('T1', 1);
      const did = [
        await lease.extend(leaseMs),
        await lease.savePayload('other', messagesOf('x')),
        await lease.recordIntent('root', 0),
      ];
      did.push(await lease.recordOutcome('root', done), await lease.finish('posted'), await lease.release(0));
      expect(did).toEqual([false, false, false, false, false, false]);
      expect(await outbox.page('T1', 1)).toEqual(before);
    },
  );

  it('its payload is stored once', async () => {
    const { begin, claim } = await open();
    const { lease } = await begin();
    expect(await lease.savePayload('another', messagesOf('root', 'a', 'b'))).toBe(false);
    await lease.release(0);
    const again = only(await claim());
    expect([again.payload, ...again.messages.map(({ name }) => name)]).toEqual(['payload', 'root', 'cause-1']);
  });

  it('a finished one keeps its outcome, not its payload', async () => {
    const { outbox, store, begin, claim, pass } = await open();
    const { lease } = await begin();
    expect(await lease.finish('dead', 'is_archived')).toBe(true);
    pass(leaseMs * 10);
    expect(await claim()).toEqual([]);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'dead', error: 'is_archived', nextAt: null }]);
    await store.deleteExpired();
    expect(await outbox.page('T1', 1)).toHaveLength(1);
  });
}
