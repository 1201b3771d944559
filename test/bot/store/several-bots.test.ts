/** Several bots on one PostgreSQL share the due work, and none waits for another. */
import { type Kysely, sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { OccurrenceLease } from '../../../src/bot/store/outbox/delivery.ts';
import { openStore, type Store } from '../../../src/bot/store/store.ts';
import type { Tables } from '../../../src/bot/store/tables.ts';
import {
  due,
  latestOf,
  leaseMs,
  messagesOf,
  only,
  openOutbox,
  openThread,
  plan,
  someThread,
} from '../../support/bot/outbox.ts';
import { openBeside } from '../../support/bot/store.ts';
import { describePostgres } from '../../support/databases/engines.ts';

const bots = 5;
const everything = { max: 7, leaseMs, perTeam: 3, exceptTeams: [] };
const past = { ...due, at: 1000 };

async function openAll(url: string, count = bots): Promise<readonly Store[]> {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(url)));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  return stores;
}

/** One after the other: a busy machine may need more than two seconds for many new connections at once. */
async function subscribe(stores: readonly Store[], count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { subscriptions } = stores[index % bots] ?? only(stores);
    await subscriptions.create(`T${index % 20}`, plan, { userId: 'U1', at: 1 }, past);
  }
}

async function claimAll({ outbox }: Store): Promise<readonly string[]> {
  const claimed: string[] = [];
  for (let misses = 0; misses < 20; ) {
    const occurrences = await outbox.claim(everything);
    for (const { key, fencingToken } of occurrences) claimed.push(`${key.teamId} ${key.subject} ${fencingToken}`);
    misses = occurrences.length === 0 ? misses + 1 : 0;
  }
  return claimed;
}

/** @returns how many statements wait for a lock */
async function waits(step: Kysely<Tables>): Promise<number> {
  // In a transaction the server repeats the same statistics until the snapshot is cleared.
  await sql`select pg_stat_clear_snapshot()`.execute(step);
  const { rows } = await sql<{ readonly n: number }>`select count(*) as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(step);
  return rows[0]?.n ?? 0;
}

describePostgres('several bots', (newDatabase) => {
  it('plan each subscription once and claim each occurrence once', async () => {
    const stores = await openAll(await newDatabase());
    await subscribe(stores, 300);
    const only4 = stores.map(async ({ outbox }) => {
      let count = 0;
      for (let misses = 0; misses < 5; ) {
        const planned = await outbox.plan(11, (subscription) => ({
          ...latestOf(subscription, 1000),
          next: { ...due, at: 9e12 },
        }));
        count += planned;
        misses = planned === 0 ? misses + 1 : 0;
      }
      return count;
    });
    expect((await Promise.all(only4)).reduce((sum, count) => sum + count)).toBe(300);
    const claimed = (await Promise.all(stores.map(claimAll))).flat();
    expect([claimed.length, new Set(claimed).size]).toEqual([300, 300]);
    expect(claimed.filter((one) => !one.endsWith(' 1'))).toEqual([]);
  });

  it('whose clocks are two hours apart agree who has a lease, a thread and a delivery', async () => {
    const [url, startedAt, halfHourMs] = [await newDatabase(), Date.now(), 1_800_000];
    const clock = vi.spyOn(Date, 'now');
    onTestFinished(() => clock.mockRestore());
    // Opened after its clock was set: it may keep the function that it reads.
    const openAt = async (ms: number) => {
      clock.mockReturnValue(startedAt + ms);
      return only(await openAll(url, 1));
    };
    const takeAll = async ({ leases, outbox, idempotencyKeys, oauthStates }: Store) => {
      const thread = await openThread({ outbox }, someThread, halfHourMs);
      return [
        (await leases.take('T1', 'token refresh', halfHourMs)) !== undefined,
        thread.kind === 'mine' && (await thread.delivery.lease.extend(halfHourMs)),
        await idempotencyKeys.claim('T1', 'Ev1', halfHourMs),
        await oauthStates.use('state', 'browser', halfHourMs),
      ];
    };
    expect(await takeAll(await openAt(-3_600_000))).toEqual([true, true, true, true]);
    const second = await openAt(3_600_000);
    await second.deleteExpired();
    expect(await takeAll(second)).toEqual([false, false, false, false]);
  });

  it('do not wait for a bot that stopped in the middle of a claim or a plan', async () => {
    const url = await newDatabase();
    const { outbox, subscribe, planDue, claim, pass } = await openOutbox(url);
    for (const teamId of ['T1', 'T2']) await subscribe(teamId);
    const beside = await openBeside(url);
    await beside.transaction().execute(async (step) => {
      pass(1000);
      await step.selectFrom('subscription').selectAll().where('teamId', '=', 'T1').forUpdate().execute();
      expect([await planDue(), (await outbox.page('T2', 9)).length]).toEqual([1, 1]);
    });
    await planDue();
    await beside.transaction().execute(async (step) => {
      await step.selectFrom('delivery').selectAll().where('teamId', '=', 'T2').forUpdate().execute();
      expect(only(await claim()).key.teamId).toBe('T1');
    });
    expect(only(await claim()).key.teamId).toBe('T2');
  });

  it('continue without a bot that was frozen past its lease, and refuse its writes', async () => {
    const url = await newDatabase();
    const [first, second] = [await openOutbox(url), await openOutbox(url)];
    const { lease, key } = await first.begin();
    second.pass(1000 + leaseMs);
    const taken = only(await second.claim());
    expect(taken).toMatchObject({ key, fencingToken: 2, payload: 'payload' });
    expect([await lease.recordIntent('root', 1000), await taken.lease.recordIntent('root', 1000)]).toEqual([
      false,
      true,
    ]);
    const late = [
      await lease.recordOutcome('root', { kind: 'sent', ts: '1.1' }),
      await lease.savePayload('old', messagesOf('root')),
    ];
    expect([...late, await lease.release(0), await lease.finish('posted'), await lease.extend(1)]).not.toContain(true);
    expect(await taken.lease.recordOutcome('root', { kind: 'sent', ts: '1.2' })).toBe(true);
  });

  it('send a message once when two record its intent at the same time', async () => {
    const { begin } = await openOutbox(await newDatabase());
    const { lease } = await begin();
    const intents = await Promise.all(Array.from({ length: 8 }, () => lease.recordIntent('root', 1000)));
    expect(intents.filter(Boolean)).toHaveLength(1);
  });

  it.each<[string, string, (lease: OccurrenceLease) => Promise<boolean>]>([
    ['is about to send', 'intent', (lease) => lease.recordIntent('root', 1000)],
    ['has sent', 'sent', (lease) => lease.recordOutcome('root', { kind: 'sent', ts: '1.1' })],
  ])(
    'do not claim an occurrence while another bot records that it %s a message, though its lease has ended',
    async (_, state, write) => {
      const url = await newDatabase();
      const [first, second] = [await openOutbox(url), await openOutbox(url)];
      const { lease } = await first.begin();
      second.pass(1000 + leaseMs);
      const beside = await openBeside(url);
      const written = await beside.transaction().execute(async (step) => {
        await step.selectFrom('posted_message').select('name').forUpdate().execute();
        const waiting = write(lease);
        await expect.poll(() => waits(step)).toBe(1);
        expect(await second.claim()).toEqual([]);
        return { waiting };
      });
      expect(await written.waiting).toBe(true);
      expect(only(await second.claim())).toMatchObject({ fencingToken: 2, messages: [{ state }, {}] });
    },
  );

  it('refuse a write during a claim by another bot', async () => {
    const url = await newDatabase();
    const { begin, outbox } = await openOutbox(url);
    const { lease } = await begin();
    const beside = await openBeside(url);
    const late = await beside.transaction().execute(async (step) => {
      await step.updateTable('delivery').set({ fence: 2 }).execute();
      const waiting = Promise.all([
        lease.recordIntent('root', 1000),
        lease.recordOutcome('root', { kind: 'sent', ts: '1.1' }),
      ]);
      await expect.poll(() => waits(step)).toBe(2);
      return { waiting };
    });
    expect(await late.waiting).toEqual([false, false]);
    expect(await outbox.page('T1', 1)).toMatchObject([{ messages: [{ state: 'waiting', attempts: 0, ts: null }, {}] }]);
  });

  it('do not send a message that another bot has just cancelled', async () => {
    const url = await newDatabase();
    const { outbox, begin } = await openOutbox(url);
    const { lease } = await begin();
    const beside = await openBeside(url);
    const intent = await beside.transaction().execute(async (step) => {
      await step.updateTable('delivery').set({ state: 'cancelled', fence: 9 }).execute();
      const waiting = lease.recordIntent('root', 1000);
      await expect.poll(() => waits(step)).toBe(1);
      return { waiting };
    });
    expect(await intent.waiting).toBe(false);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'cancelled', messages: [{ state: 'waiting' }, {}] }]);
  });

  it('finish a message that another bot cancels after its intent', async () => {
    const url = await newDatabase();
    const { outbox, subscriptions, begin } = await openOutbox(url);
    const { key } = await begin();
    const beside = await openBeside(url);
    const removal = await beside.transaction().execute(async (step) => {
      await step.selectFrom('delivery').select('occurrenceId').forUpdate().execute();
      await step.updateTable('posted_message').set({ state: 'intent', attempts: 1 }).execute();
      const waiting = subscriptions.remove('T1', key.subject);
      await expect.poll(() => waits(step)).toBe(1);
      return { waiting };
    });
    expect(await removal.waiting).toBe(true);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'due' }]);
  });

  it('continue after one failed statement when a newer bot changes the tables', async () => {
    const url = await newDatabase();
    const { begin, claim, pass } = await openOutbox(url);
    await begin();
    await (await openBeside(url)).schema.alterTable('delivery').addColumn('newer', 'text').execute();
    pass(leaseMs);
    await expect(claim()).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
    expect(await claim()).toHaveLength(1);
  });

  it('use the server’s clock', async () => {
    const url = await newDatabase();
    const before = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const now = await only(await openAll(url, 1)).outbox.now();
    vi.useRealTimers();
    expect(now).toBeGreaterThan(before - 60_000);
    expect(now).toBeLessThan(Date.now() + 60_000);
  });
});
