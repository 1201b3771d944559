/** Contract of planning on each engine: each due time becomes one occurrence, and the next due time is known. */
import { expect, it } from 'vitest';
import { dayMs, due, latestOf, only, openOutbox, start } from '../../../support/bot/outbox.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';
import { installation } from './installations.contract.ts';

export function planningContract(newDatabase: NewDatabase): void {
  const open = async () => openOutbox(await newDatabase());

  it('an occurrence is planned once, when it is due, and the next due time is known', async () => {
    const { outbox, subscriptions, subscribe, planDue, claim, pass } = await open();
    const { id } = await subscribe();
    expect([await outbox.now(), (await outbox.nextDueTimes()).nextAt, await planDue()]).toEqual([start, due.at, 0]);
    pass(1000);
    expect([await planDue(), await planDue()]).toEqual([1, 0]);
    expect(await subscriptions.find('T1', id)).toMatchObject({ nextDue: { localTime: '2026-11-23T09:00' } });
    const occurrence = {
      key: { teamId: 'T1', kind: 'digest', subject: id, occurrenceId: due.localTime },
      dueAt: due.at,
      attempts: 0,
      payload: null,
    };
    const window = { from: due.at - dayMs, to: due.at };
    expect(only(await claim())).toMatchObject({
      ...occurrence,
      window,
      isLate: false,
      messages: [],
      missed: [],
      fencingToken: 1,
    });
    expect((await outbox.nextDueTimes()).nextAt).toBe(due.at + 30_000);
  });

  it('after an outage the latest occurrence is due, and one digest reports the earlier ones', async () => {
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
    'missed occurrences of a digest that is %s are reported by the next one',
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

  it('planning knows the end of the last window, whether its digest was posted or not', async () => {
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

  it('a subscription that cannot be planned delays no other, and its error is thrown', async () => {
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

  it('nothing is planned or claimed for an uninstalled workspace until it is installed again', async () => {
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

  it('a requested digest is one more occurrence, added once', async () => {
    const { outbox, subscribe, claim } = await open();
    const { id } = await subscribe('T1', { channelId: 'C7' });
    const occurrence = {
      occurrenceId: 'now 1',
      dueAt: start,
      window: { from: 1, to: 2 },
      state: 'due',
      isLate: false,
    } as const;
    expect([await outbox.add('T1', id, occurrence), await outbox.add('T1', id, occurrence)]).toEqual([true, false]);
    expect([await outbox.add('T2', id, occurrence), await outbox.add('T1', 'none', occurrence)]).toEqual([
      false,
      false,
    ]);
    expect(only(await claim())).toMatchObject({
      key: { occurrenceId: 'now 1' },
      window: occurrence.window,
      subscription: { channelId: 'C7' },
    });
  });
}
