/** Contract of the subscriptions on each engine. */
import { expect, it } from 'vitest';
import { dayMs, due, only, openOutbox, plan, start } from '../../../support/bot/outbox.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

export function subscriptionsContract(newDatabase: NewDatabase): void {
  const open = async () => openOutbox(await newDatabase());
  const byPerson = { reason: 'person', at: start, by: 'U2' };
  const byError = { reason: 'is_archived', at: start, by: null };
  const later = { localTime: '2026-11-23T09:00', at: due.at + dayMs, shift: 'none' as const };

  it('a created subscription is found unchanged, in its own workspace only', async () => {
    const { subscriptions, subscribe } = await open();
    const workflows = { kind: 'chosen', uuids: ['w1', 'w2'] } as const;
    const next = { ...due, shift: 'repeated' } as const;
    const made = await subscribe('T1', { workflows, hasAllClear: false, onUncertain: 'repeat' }, next);
    const by = { teamId: 'T1', createdBy: 'U1', createdAt: start, pause: null, notifiedAt: null };
    const meant = { ...plan, workflows, hasAllClear: false, onUncertain: 'repeat', ...by, nextDue: next };
    expect(made).toEqual({ ...meant, id: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(await subscriptions.find('T1', made.id)).toEqual(made);
    expect([await subscriptions.find('T2', made.id), await subscriptions.list('T2')]).toEqual([undefined, []]);
    expect([Object.isFrozen(made), Object.isFrozen(made.schedule)]).toEqual([true, true]);
  });

  it('subscriptions are listed by channel, then time', async () => {
    const { subscriptions, subscribe } = await open();
    const at = (channelId: string, time: string) =>
      subscribe('T1', { channelId, schedule: { ...plan.schedule, time } });
    const made = [await at('C2', '07:00'), await at('C1', '18:00'), await at('C1', '09:00')];
    expect(await subscriptions.list('T1')).toEqual([made[2], made[1], made[0]]);
  });

  it('a changed subscription has the new due time; one of another workspace is not changed', async () => {
    const { subscriptions, subscribe } = await open();
    const { id } = await subscribe();
    const change = { ...plan, channelId: 'C9', workflows: { kind: 'text', text: 'bill' } } as const;
    expect(await subscriptions.change('T2', id, change, later)).toBeUndefined();
    expect(await subscriptions.change('T1', id, change, later)).toMatchObject({ ...change, nextDue: later });
    await subscriptions.recordNotification('T1', id, 77);
    expect(await subscriptions.find('T1', id)).toMatchObject({ ...change, notifiedAt: 77 });
  });

  it('a subscription that is changed while due is planned first, and then uses the new schedule', async () => {
    const { outbox, subscriptions, subscribe, planDue, pass } = await open();
    const { id } = await subscribe();
    pass(1000);
    const schedule = { ...plan.schedule, time: '10:00' };
    await subscriptions.change('T1', id, { ...plan, channelId: 'C9', schedule }, later);
    await planDue();
    expect(await outbox.page('T1', 9)).toMatchObject([
      { key: { occurrenceId: due.localTime }, channelId: 'C9', state: 'due' },
    ]);
    expect(await subscriptions.find('T1', id)).toMatchObject({ nextDue: { localTime: '2026-11-22T10:00' } });
  });

  it('a subscription that a person paused is not due until it is resumed, whatever is changed', async () => {
    const { subscriptions, subscribe } = await open();
    const { id } = await subscribe();
    const pausing = [await subscriptions.pause('T1', id, byPerson), await subscriptions.pause('T1', id, byPerson)];
    expect([...pausing, await subscriptions.pause('T1', id, byError)]).toEqual([true, false, false]);
    await subscriptions.change('T1', id, plan, later);
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause: byPerson, nextDue: null });
    expect([await subscriptions.resume('T1', id, later), await subscriptions.resume('T1', id, due)]).toEqual([
      true,
      false,
    ]);
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null, nextDue: later });
  });

  it('a subscription with a new channel is not paused for its earlier channel', async () => {
    const { subscriptions, subscribe } = await open();
    const { id } = await subscribe();
    await subscriptions.change('T1', id, { ...plan, channelId: 'C2' }, due);
    const pausing = [];
    for (const channelId of ['C1', 'C2']) pausing.push(await subscriptions.pause('T1', id, byError, channelId));
    expect(pausing).toEqual([false, true]);
  });

  it('a subscription that an error paused stays due, has the start and the latest reason, and keeps its due time', async () => {
    const { subscriptions, subscribe } = await open();
    const { id } = await subscribe();
    const newer = { reason: 'not_in_channel', at: start + 1, by: null };
    const pausing = [await subscriptions.pause('T1', id, byError), await subscriptions.pause('T1', id, newer)];
    expect(pausing).toEqual([true, false]);
    const pause = { ...byError, reason: 'not_in_channel' };
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause, nextDue: due });
    expect(await subscriptions.resume('T1', id, later)).toBe(true);
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null, nextDue: due });
    await subscriptions.pause('T1', id, byError);
    expect(await subscriptions.pause('T1', id, byPerson)).toBe(true);
  });

  it('a pause ends by itself only for its own reason', async () => {
    const { subscriptions, subscribe } = await open();
    const { id } = await subscribe();
    await subscriptions.pause('T1', id, byError);
    const endPause = () => subscriptions.endPause('T1', id, byError.reason);
    expect([await subscriptions.endPause('T2', id, byError.reason), await endPause(), await endPause()]).toEqual([
      ...[false, true, false],
    ]);
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null, nextDue: due });
    await subscriptions.pause('T1', id, byPerson);
    expect([await endPause(), (await subscriptions.find('T1', id))?.pause]).toEqual([false, byPerson]);
  });

  it.each(['pause', 'remove'] as const)(
    '%s cancels due occurrences, and keeps those that were begun or posted',
    async (how) => {
      const { subscriptions, outbox, begin, claim, planDue, pass } = await open();
      const posted = await begin();
      const { subject: id } = posted.key;
      await posted.lease.finish('posted');
      pass(dayMs);
      await planDue();
      const begun = only(await claim());
      await begun.lease.savePayload('', [{ name: 'root', opaqueId: '1' }]);
      await begun.lease.recordIntent('root', 1000);
      pass(dayMs);
      await planDue();
      if (how === 'pause') await subscriptions.pause('T1', id, byPerson);
      if (how === 'remove')
        expect([await subscriptions.remove('T2', id), await subscriptions.remove('T1', id)]).toEqual([false, true]);
      const entries = await outbox.page('T1', 9);
      expect(entries.map(({ state }) => state)).toEqual(['cancelled', 'due', 'posted']);
      expect(entries[0]?.error).toBe(`${how}d`);
      expect(only(await claim())).toMatchObject({ key: begun.key, subscription: { id } });
      pass(dayMs);
      expect(await planDue()).toBe(0);
    },
  );

  it('an occurrence that was certainly not sent is cancelled, one that may have been is not', async () => {
    const { subscriptions, outbox, begin } = await open();
    for (const [channelId, outcome, state] of [
      ['C1', { kind: 'unsent', error: 'ECONNREFUSED' }, 'cancelled'],
      ['C2', { kind: 'waiting', error: 'not_found' }, 'due'],
    ] as const) {
      const { lease, key } = await begin({ channelId });
      await lease.recordIntent('root', 1000);
      await lease.recordOutcome('root', outcome);
      await lease.release(60_000);
      await subscriptions.remove('T1', key.subject);
      const entries = await outbox.page('T1', 9);
      expect(entries.find((entry) => entry.channelId === channelId)?.state).toBe(state);
    }
  });

  it('a removed subscription is not found and cannot be changed', async () => {
    const { subscriptions, outbox, subscribe } = await open();
    const { id } = await subscribe();
    await subscriptions.remove('T1', id);
    expect([await subscriptions.find('T1', id), await subscriptions.list('T1')]).toEqual([undefined, []]);
    expect(await subscriptions.change('T1', id, plan, later)).toBeUndefined();
    expect(await subscriptions.resume('T1', id, later)).toBe(false);
    expect(await subscriptions.remove('T1', id)).toBe(false);
    expect([await subscriptions.pause('T1', id, byPerson), (await outbox.nextDueTimes()).nextAt]).toEqual([
      false,
      Infinity,
    ]);
  });
}
