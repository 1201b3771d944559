/** What every engine owes whoever has claimed a slot, and everybody else of it. */
import { expect, it } from 'vitest';
import type { PartOutcome } from '../../../src/bot/store/outbox/slot.ts';
import type { NewDatabase } from '../../support/engines.ts';
import { leaseMs, only, openLedger, partsOf } from '../../support/ledger.ts';

const sendMs = 10_000;

export function holdsContract(newDatabase: NewDatabase): void {
  const open = async () => openLedger(await newDatabase());

  it('a slot is sent part by part, and what is known of each is kept', async () => {
    const { ledger, begin, claim, pass } = await open();
    const { hold } = await begin();
    expect([await hold.intend('root', sendMs), await hold.settle('root', { kind: 'sent', ts: '1.1' })]).toEqual([
      true,
      true,
    ]);
    const at = await ledger.now();
    pass(5);
    await hold.intend('cause-1', sendMs);
    await hold.settle('cause-1', { kind: 'waiting', error: 'ratelimited' });
    await hold.release(2000, 'ratelimited');
    expect(await claim()).toEqual([]);
    pass(2000);
    const again = only(await claim());
    expect(again).toMatchObject({ payload: 'payload', attempts: 1, fence: 3 });
    const sent = { name: 'root', opaqueId: 'id of root', state: 'sent', attempts: 1, ts: '1.1', error: null };
    const waiting = {
      name: 'cause-1',
      opaqueId: 'id of cause-1',
      state: 'waiting',
      attempts: 1,
      ts: null,
      error: 'ratelimited',
    };
    expect(again.parts).toEqual([
      { ...sent, firstIntentAt: at, lastIntentAt: at },
      { ...waiting, firstIntentAt: at + 5, lastIntentAt: at + 5 },
    ]);
  });

  it('nobody sends what another may have sent: only a part that waits is intended', async () => {
    const { begin } = await open();
    const { hold } = await begin();
    expect([await hold.intend('root', sendMs), await hold.intend('root', sendMs)]).toEqual([true, false]);
    for (const kind of ['unknown', 'uncertain', 'dead'] as const) {
      await hold.settle('root', { kind, error: 'timeout' });
      expect(await hold.intend('root', sendMs)).toBe(false);
    }
    await hold.settle('root', { kind: 'waiting', error: 'it is not there' });
    expect(await hold.intend('root', sendMs)).toBe(true);
    await hold.settle('root', { kind: 'sent', ts: '1.1' });
    expect(await hold.settle('root', { kind: 'waiting', error: 'no' })).toBe(false);
    expect([await hold.intend('root', sendMs), await hold.intend('no such part', sendMs)]).toEqual([false, false]);
  });

  it('an attempt that certainly came to nothing does not count, however often that is said', async () => {
    const { ledger, begin } = await open();
    const { hold } = await begin();
    const attempts = async () => (await ledger.page('T1', 1))[0]?.parts[0]?.attempts;
    const unsent: PartOutcome = { kind: 'unsent', error: 'ratelimited' };
    await hold.intend('root', sendMs);
    expect([await hold.settle('root', unsent), await hold.settle('root', unsent), await attempts()]).toEqual([
      true,
      true,
      0,
    ]);
    expect([await hold.intend('root', sendMs), await attempts()]).toEqual([true, 1]);
  });

  it('is looked for from the first attempt that may have had an effect, not from those that had none', async () => {
    const { ledger, begin, pass } = await open();
    const { hold } = await begin();
    const at = await ledger.now();
    const intend = async (outcome: PartOutcome) => {
      await hold.intend('root', 0);
      await hold.settle('root', outcome);
      pass(100);
      return (await ledger.page('T1', 1))[0]?.parts[0]?.firstIntentAt;
    };
    const unsent: PartOutcome = { kind: 'unsent', error: 'ECONNREFUSED' };
    const absent: PartOutcome = { kind: 'waiting', error: 'not_found' };
    const first = [await intend(unsent), await intend(absent), await intend(unsent), await intend(absent)];
    expect(first).toEqual([null, at + 100, at + 100, at + 100]);
  });

  it('that it was sent may be said twice: of what was said first the answer may be lost', async () => {
    const { begin } = await open();
    const { hold } = await begin();
    await hold.intend('root', sendMs);
    const said = ['1.1', '1.1', '1.2'].map((ts) => () => hold.settle('root', { kind: 'sent', ts }));
    const heard: boolean[] = [];
    for (const say of said) heard.push(await say());
    expect(heard).toEqual([true, true, false]);
  });

  it('nobody sends who might still be sending when the lease is over', async () => {
    const { ledger, begin, pass } = await open();
    const { hold } = await begin();
    pass(leaseMs - sendMs);
    expect(await hold.intend('root', sendMs + 1)).toBe(false);
    expect((await ledger.page('T1', 1))[0]?.parts[0]).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await hold.intend('root', sendMs)).toBe(true);
    pass(sendMs + 1);
    expect([await hold.intend('cause-1', 0), await hold.extend(leaseMs), await hold.intend('cause-1', sendMs)]).toEqual(
      [...[false, true, true]],
    );
  });

  const done: PartOutcome = { kind: 'sent', ts: '1.1' };

  it('what became of a part counts after the lease, while nobody has taken over', async () => {
    const { ledger, begin, pass } = await open();
    const { hold } = await begin();
    await hold.intend('root', sendMs);
    pass(leaseMs + 1);
    expect([await hold.settle('root', done), await hold.finish('posted')]).toEqual([true, true]);
    expect((await ledger.page('T1', 1))[0]).toMatchObject({ state: 'posted', parts: [{ state: 'sent' }, {}] });
  });

  it.each(['another has it', 'it was released', 'it is done', 'it was cancelled'])(
    'once %s nothing can be done',
    async (how) => {
      const { subscriptions, ledger, begin, claim, pass } = await open();
      const { hold, key } = await begin();
      if (how === 'another has it') pass(leaseMs);
      if (how === 'another has it') expect(await claim()).toMatchObject([{ fence: 2 }]);
      if (how === 'it was released') await hold.release(0);
      if (how === 'it is done') await hold.finish('quiet');
      if (how === 'it was cancelled') await subscriptions.remove('T1', key.subscriptionId);
      const before = await ledger.page('T1', 1);
      const did = [
        await hold.extend(leaseMs),
        await hold.savePayload('other', partsOf('x')),
        await hold.intend('root', 0),
      ];
      did.push(await hold.settle('root', done), await hold.finish('posted'), await hold.release(0));
      expect(did).toEqual([false, false, false, false, false, false]);
      expect(await ledger.page('T1', 1)).toEqual(before);
    },
  );

  it('what is sent is made once', async () => {
    const { begin, claim } = await open();
    const { hold } = await begin();
    expect(await hold.savePayload('another', partsOf('root', 'a', 'b'))).toBe(false);
    await hold.release(0);
    const again = only(await claim());
    expect([again.payload, ...again.parts.map(({ name }) => name)]).toEqual(['payload', 'root', 'cause-1']);
  });

  it('one that is done keeps what became of it, and not what was in it', async () => {
    const { ledger, store, begin, claim, pass } = await open();
    const { hold } = await begin();
    expect(await hold.finish('dead', 'is_archived')).toBe(true);
    pass(leaseMs * 10);
    expect(await claim()).toEqual([]);
    expect(await ledger.page('T1', 1)).toMatchObject([{ state: 'dead', error: 'is_archived', nextAt: null }]);
    await store.deleteExpired(await ledger.now());
    expect(await ledger.page('T1', 1)).toHaveLength(1);
  });
}
