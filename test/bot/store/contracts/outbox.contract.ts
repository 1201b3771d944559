/** Contract of the outbox on each engine: fair claims, duplicate checks, pages and expiry. */
import { expect, it } from 'vitest';
import type { OccurrenceLease } from '../../../../src/bot/store/outbox/delivery.ts';
import { dayMs, due, leaseMs, only, openOutbox, plan } from '../../../support/bot/outbox.ts';
import { openBeside } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

const minuteMs = 60_000;
const requested = {
  occurrenceId: 'now',
  dueAt: due.at,
  window: { from: 0, to: 1 },
  state: 'due',
  isLate: false,
} as const;

async function recordAttempt(lease: OccurrenceLease, name: string): Promise<void> {
  await lease.recordOutcome(name, { kind: 'waiting', error: 'not there' });
  await lease.recordIntent(name, 1000);
}

export function outboxContract(newDatabase: NewDatabase): void {
  const open = async () => openOutbox(await newDatabase());
  /** A claimed occurrence whose root is in its second attempt. */
  const openWithSecondAttempt = async () => {
    const { outbox, begin, pass } = await open();
    const { lease } = await begin();
    for (const _ of ['first', 'second']) await recordAttempt(lease, 'root');
    return { outbox, lease, pass };
  };

  it('claims are round robin over workspaces, longest due first in each, within the limit of each', async () => {
    const { subscribe, planDue, claim, pass } = await open();
    for (const second of [0, 1, 2, 3]) await subscribe('T1', {}, { ...due, at: due.at + second });
    for (const teamId of ['T2', 'T3']) await subscribe(teamId, {}, { ...due, at: due.at + 100 });
    pass(2000);
    await planDue();
    const teams = async (options: Parameters<typeof claim>[0]) => (await claim(options)).map(({ key }) => key.teamId);
    expect(await teams({ max: 9, perTeam: 1, exceptTeams: ['T2'] })).toEqual(['T1', 'T3']);
    expect(await teams({ max: 2 })).toEqual(['T1', 'T2']);
    expect(await teams({ max: 9, perTeam: 1 })).toEqual(['T1']);
    expect(await teams({ max: 9, exceptTeams: ['T1', 'T2'] })).toEqual([]);
    expect(await teams({ max: 9 })).toEqual(['T1']);
  });

  it('an occurrence is claimed by one of many processes, and again when its lease ends', async () => {
    const { subscribe, planDue, claim, pass } = await open();
    for (let count = 0; count < 20; count += 1) await subscribe(`T${count % 3}`);
    pass(1000);
    await planDue();
    const all = (await Promise.all(Array.from({ length: 10 }, () => claim({ max: 2 })))).flat();
    expect(new Set(all.map(({ key }) => key.subject)).size).toBe(all.length);
    await claim();
    expect(await claim()).toEqual([]);
    pass(leaseMs);
    expect(await claim()).toHaveLength(20);
  });

  it('a missed occurrence is reported by one of two digests that are built at once', async () => {
    const { outbox, subscribe, planDue, claim, pass } = await open();
    const { id } = await subscribe();
    pass(dayMs + 1000);
    await planDue();
    await outbox.add('T1', id, requested);
    const [first, second] = await claim();
    expect([first?.missed, second?.missed]).toEqual([second?.missed, [{ occurrenceId: due.localTime, dueAt: due.at }]]);
    const saved = await Promise.all([first, second].map((one) => one?.lease.savePayload('payload', [])));
    expect(saved.sort()).toEqual([false, true]);
    for (const one of [first, second]) await one?.lease.release(0);
    const again = await claim();
    expect(again.map(({ payload, missed }) => [payload, missed.length]).sort()).toEqual([
      [null, 0],
      ['payload', 0],
    ]);
  });

  it('an occurrence keeps the channel that it was planned for', async () => {
    const { subscriptions, begin, claim, pass } = await open();
    const { key } = await begin();
    const change = { ...plan, channelId: 'C2', hasAllClear: false };
    await subscriptions.change('T1', key.subject, change, { ...due, at: due.at + dayMs });
    pass(leaseMs);
    expect(only(await claim()).subscription).toMatchObject({ channelId: 'C1', hasAllClear: false });
  });

  it('an occurrence is not claimable before its time, and the next due time is known', async () => {
    const { outbox, subscribe, claim, pass } = await open();
    const { id } = await subscribe('T1', {}, { ...due, at: due.at + dayMs });
    await outbox.add('T1', id, { ...requested, notBefore: due.at + 20_000 });
    expect([(await outbox.nextDueTimes()).nextAt, await claim()]).toEqual([due.at + 20_000, []]);
    pass(21_000);
    await only(await claim()).lease.release(5000);
    expect((await outbox.nextDueTimes()).nextAt).toBe(due.at + 25_000);
    pass(5000);
    await only(await claim()).lease.finish('posted');
    expect((await outbox.nextDueTimes()).nextAt).toBe(due.at + dayMs);
  });

  it('a message with a second attempt is checked for duplicates after 2 and 10 minutes, and no other', async () => {
    const { outbox, begin, pass } = await open();
    const { lease, key } = await begin();
    for (const name of ['root', 'cause-1', 'cause-1']) await recordAttempt(lease, name);
    await lease.recordOutcome('root', { kind: 'sent', ts: '1.1' });
    await lease.recordOutcome('cause-1', { kind: 'sent', ts: '1.2' });
    await lease.finish('posted');
    expect([await outbox.claimDuplicateChecks(9), (await outbox.nextDueTimes()).nextAt]).toEqual([
      [],
      (await outbox.now()) + 2 * minuteMs,
    ]);
    for (const [checksDone, wait] of [2, 8].entries()) {
      pass(wait * minuteMs);
      const message = { name: 'cause-1', ts: '1.2', attempts: 2 };
      expect(await outbox.claimDuplicateChecks(9)).toMatchObject([
        { key, channelId: 'C1', rootTs: '1.1', message, checksDone },
      ]);
      expect(await outbox.claimDuplicateChecks(9)).toEqual([]);
      // A slow process may record the same check as the process that claimed it again.
      for (const _ of ['one', 'other']) await outbox.recordDuplicateCheck(key, 'cause-1', checksDone);
    }
    pass(dayMs / 2);
    expect(await outbox.claimDuplicateChecks(9)).toEqual([]);
  });

  it('a duplicate check that was not recorded is claimed again', async () => {
    const { outbox, lease, pass } = await openWithSecondAttempt();
    await lease.recordOutcome('root', { kind: 'sent', ts: '1.1' });
    pass(2 * minuteMs);
    expect([(await outbox.claimDuplicateChecks(9)).length, (await outbox.claimDuplicateChecks(9)).length]).toEqual([
      1, 0,
    ]);
    pass(minuteMs);
    expect(await outbox.claimDuplicateChecks(9)).toHaveLength(1);
  });

  it('a message that was given up after several attempts is checked for duplicates, too', async () => {
    const { outbox, lease, pass } = await openWithSecondAttempt();
    await lease.recordOutcome('root', { kind: 'dead', error: 'not there' });
    await lease.finish('dead');
    pass(2 * minuteMs);
    expect(await outbox.claimDuplicateChecks(9)).toMatchObject([
      { rootTs: null, message: { name: 'root', state: 'dead' } },
    ]);
  });

  it('a subscription in an unknown form is not claimed, and all others are', async () => {
    const url = await newDatabase();
    const { subscribe, planDue, claim, pass } = await openOutbox(url);
    const { id } = await subscribe('T1');
    await subscribe('T2');
    pass(1000);
    await planDue();
    const newer = (await openBeside(url)).updateTable('subscription').set({ workflows: '{"kind":"newer"}' });
    await newer.where('id', '=', id).execute();
    expect(only(await claim()).key.teamId).toBe('T2');
  });

  it('pages are newest first and contain each entry once', async () => {
    const { outbox, subscribe, planDue, pass } = await open();
    for (const teamId of ['T1', 'T1', 'T2']) await subscribe(teamId);
    pass(2 * dayMs + 1000);
    await planDue();
    const whole = await outbox.page('T1', 9);
    expect(whole.map(({ dueAt }) => dueAt)).toEqual([2, 2, 1, 1, 0, 0].map((days) => due.at + days * dayMs));
    const first = await outbox.page('T1', 3);
    const rest = await outbox.page('T1', 9, first.at(-1)?.cursor);
    expect([...first, ...rest]).toEqual(whole);
    expect(await outbox.page('T1', 9, whole.at(-1)?.cursor)).toEqual([]);
    await expect(outbox.page('T1', 9, 'yesterday')).rejects.toMatchObject({ code: 'usage' });
  });

  it('finished occurrences expire after 90 days, due ones never', async () => {
    const { store, outbox, begin, subscribe, planDue, pass, claim } = await open();
    const { lease, key } = await begin();
    await lease.finish('posted');
    await store.subscriptions.remove('T1', key.subject);
    await subscribe('T2');
    await planDue();
    pass(due.at + 90 * dayMs - (await outbox.now()));
    await store.deleteExpired();
    expect(await outbox.page('T1', 9)).toHaveLength(1);
    pass(1);
    await store.deleteExpired();
    expect([(await outbox.page('T1', 9)).length, (await outbox.page('T2', 9)).length]).toEqual([0, 1]);
    expect(await claim()).toHaveLength(1);
  });
}
