/** What every engine owes what is due: it becomes a slot once, and the next time is known. */
import { expect, it } from 'vitest';
import type { NewDatabase } from '../../support/engines.ts';
import { dayMs, due, latestOf, only, openOutbox, start } from '../../support/outbox.ts';
import { installation } from './installations.contract.ts';

export function planningContract(newDatabase: NewDatabase): void {
  const open = async () => openOutbox(await newDatabase());

  it('a slot comes when it is due, once, and the next one is known', async () => {
    const { outbox, subscriptions, subscribe, planDue, claim, pass } = await open();
    const { id } = await subscribe();
    expect([await outbox.now(), (await outbox.nextDueTimes()).nextAt, await planDue()]).toEqual([start, due.at, 0]);
    pass(1000);
    expect([await planDue(), await planDue()]).toEqual([1, 0]);
    expect(await subscriptions.find('T1', id)).toMatchObject({ nextDue: { localTime: '2026-11-23T09:00' } });
    const slot = {
      key: { teamId: 'T1', subscriptionId: id, occurrenceId: due.localTime },
      dueAt: due.at,
      attempts: 0,
      payload: null,
    };
    const window = { from: due.at - dayMs, to: due.at };
    expect(only(await claim())).toMatchObject({
      ...slot,
      window,
      isLate: false,
      messages: [],
      missed: [],
      fencingToken: 1,
    });
    expect((await outbox.nextDueTimes()).nextAt).toBe(due.at + 30_000);
  });

  it('after an outage the latest is due, and those before it are told of in one digest', async () => {
    const { outbox, subscribe, planDue, claim, pass } = await open();
    await subscribe();
    pass(3 * dayMs + 1000);
    await planDue();
    const late = only(await claim());
    expect(late).toMatchObject({ key: { occurrenceId: '2026-11-25T09:00' }, isLate: false });
    expect(late.missed.map(({ occurrenceId }) => occurrenceId.slice(8, 10))).toEqual(['22', '23', '24']);
    await late.lease.savePayload('payload', []);
    await late.lease.finish('posted');
    pass(dayMs);
    await planDue();
    expect(only(await claim()).missed).toEqual([]);
    expect((await outbox.page('T1', 9)).map(({ state }) => state)).toEqual([
      'due',
      'posted',
      'missed',
      'missed',
      'missed',
    ]);
  });

  it.each(['dead', 'cancelled'] as const)(
    'what a digest that is %s would have told, the next one tells',
    async (state) => {
      const { subscribe, planDue, claim, pass } = await open();
      await subscribe();
      pass(dayMs + 1000);
      await planDue();
      const first = only(await claim());
      await first.lease.savePayload('payload', []);
      await first.lease.release(0);
      const again = only(await claim());
      expect(again.missed).toEqual([]);
      await again.lease.finish(state, 'is_archived');
      pass(dayMs);
      await planDue();
      expect(only(await claim()).missed).toEqual([{ occurrenceId: due.localTime, dueAt: due.at }]);
    },
  );

  it('whoever plans a slot knows to when the last ones told, whether they came or not', async () => {
    const { outbox, subscriptions, subscribe, pass } = await open();
    const { id } = await subscribe();
    const coveredTo: (number | null)[] = [];
    const planDue = () =>
      outbox.plan(9, (subscription, now, last) => {
        coveredTo.push(last);
        return latestOf(subscription, now);
      });
    pass(1000);
    await planDue();
    const now = due.at + dayMs / 2;
    await outbox.add('T1', id, {
      occurrenceId: 'now',
      dueAt: now,
      window: { from: 0, to: now },
      state: 'missed',
      isLate: false,
    });
    pass(dayMs);
    await planDue();
    await subscriptions.pause('T1', id, { reason: 'person', at: due.at, by: 'U1' });
    await subscriptions.resume('T1', id, { ...due, localTime: '2026-11-25T09:00', at: due.at + 3 * dayMs });
    pass(2 * dayMs);
    await planDue();
    expect(coveredTo).toEqual([null, due.at, null]);
  });

  it('one subscription that cannot be planned delays no other, and is told of', async () => {
    const { outbox, subscribe, pass } = await open();
    const bad = await subscribe('T1');
    await subscribe('T2');
    pass(1000);
    const failing: typeof latestOf = (subscription, now) => {
      if (subscription.id === bad.id) throw new Error('no such zone');
      return latestOf(subscription, now);
    };
    await expect(outbox.plan(10, failing)).rejects.toThrow('no such zone');
    expect([(await outbox.page('T1', 9)).length, (await outbox.page('T2', 9)).length]).toEqual([0, 1]);
  });

  it('a workspace that the bot was taken from has nothing done, until the bot is back', async () => {
    const { store, outbox, subscribe, planDue, claim, pass } = await open();
    await subscribe();
    await store.installations.save('T1', installation);
    await store.installations.markUninstalled('T1', start);
    pass(1000);
    expect([(await outbox.nextDueTimes()).nextAt, await planDue(), await claim()]).toEqual([Infinity, 0, []]);
    pass(2 * dayMs);
    await store.installations.save('T1', { ...installation, installedAt: start + 2 * dayMs });
    expect([(await outbox.nextDueTimes()).nextAt, await planDue()]).toEqual([due.at, 1]);
    expect(only(await claim()).missed).toHaveLength(2);
  });

  it('a digest that a person asks for is a slot beside the others, once', async () => {
    const { outbox, subscribe, claim } = await open();
    const { id } = await subscribe('T1', { channelId: 'C7' });
    const slot = {
      occurrenceId: 'now 1',
      dueAt: start,
      window: { from: 1, to: 2 },
      state: 'due',
      isLate: false,
    } as const;
    expect([await outbox.add('T1', id, slot), await outbox.add('T1', id, slot)]).toEqual([true, false]);
    expect([await outbox.add('T2', id, slot), await outbox.add('T1', 'none', slot)]).toEqual([false, false]);
    expect(only(await claim())).toMatchObject({
      key: { occurrenceId: 'now 1' },
      window: slot.window,
      subscription: { channelId: 'C7' },
    });
  });
}
