/** Migration of a database that the version before the renamed tables made, with a row in each of them. */
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/bot/store/database.ts';
import { storeMigrations } from '../../../src/bot/store/migrations.ts';
import type { Tables } from '../../../src/bot/store/tables.ts';
import { migrate } from '../../../src/shared/sql/migrate.ts';
import { beginThread, dayMs, due, leaseMs, only, openOutbox, openThread, start } from '../../support/bot/outbox.ts';
import { restoreInto } from '../../support/bot/store.ts';
import { describeEngines } from '../../support/databases/engines.ts';

const window = { window_from: due.at - dayMs, window_to: due.at };
const occurrence = { team_id: 'T1', subscription_id: 'S1', slot: due.localTime, channel_id: 'C1' };
const yesterday = { ...occurrence, slot: '2026-11-21T09:00', due_at: due.at - dayMs, ...window, is_late: 0 };

/** A row for every renamed table or column, by the names of that version. */
const oldRows: readonly (readonly [table: string, row: Readonly<Record<string, string | number | null>>])[] = [
  [
    'subscription',
    {
      ...{ team_id: 'T1', id: 'S1', channel_id: 'C1', time: '09:00', weekdays: '1,2,3,4,5,6,7', zone: 'UTC' },
      ...{ workflows: '{"kind":"all"}', has_all_clear: 1, on_uncertain: 'hold', created_by: 'U1', created_at: 1 },
      ...{ next_at: due.at + dayMs, next_slot: '2026-11-23T09:00', next_shift: 'none', told_at: 77 },
    },
  ],
  ['slot', { ...yesterday, state: 'missed', claimable_at: due.at, error: 'away', told_in: due.localTime }],
  [
    'slot',
    {
      ...{ ...occurrence, due_at: due.at, ...window, is_late: 0, state: 'due', claimable_at: due.at, fence: 4 },
      ...{ payload: 'payload', could_not_look: 'unavailable' },
    },
  ],
  [
    'slot_part',
    {
      ...{ team_id: 'T1', subscription_id: 'S1', slot: due.localTime, name: 'root', place: 0, opaque_id: 'o1' },
      ...{ state: 'sent', attempts: 2, ts: '1.1', sweep_at: due.at, sweeps: 1 },
    },
  ],
  [
    'slot_part',
    {
      ...{ team_id: 'T1', subscription_id: 'S1', slot: due.localTime, name: 'cause-1', place: 1, opaque_id: 'o2' },
      ...{ state: 'waiting', attempts: 0, ts: null, sweep_at: null, sweeps: 0 },
    },
  ],
  ['pace', { team_id: 'T1', free_at: 0, held_until: start + 5000, back_at: 0 }],
  ['seen', { team_id: 'T1', key: 'Ev1', expires_at: due.at + dayMs }],
  [
    'thread',
    {
      ...{ team_id: 'T1', channel_id: 'C1', subject: 'e1', root_ts: '1.1', is_final: 0, is_anchored: 0 },
      ...{ claimed_until: start + 5000, opened_at: 7 },
    },
  ],
  ['thread_reply', { team_id: 'T1', channel_id: 'C1', subject: 'e1', name: 'verdict', ts: '1.2' }],
  [
    'thread_file',
    {
      ...{ team_id: 'T1', channel_id: 'C1', subject: 'e1', file_id: 'F1', reply: 'verdict', name: 'logs.txt' },
      digest: 'd',
    },
  ],
];

async function insert(db: Kysely<Tables>, table: string, row: (typeof oldRows)[number][1]): Promise<void> {
  const names = sql.join(Object.keys(row).map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`.execute(db);
}

/** Reads a migrated database through the repositories. */
async function expectRowsRead(url: string): Promise<void> {
  const { store, outbox, subscriptions, claim, pass } = await openOutbox(url);
  const nextDue = { localTime: '2026-11-23T09:00', at: due.at + dayMs, shift: 'none' };
  expect(await subscriptions.find('T1', 'S1')).toMatchObject({ nextDue, notifiedAt: 77 });
  expect(await outbox.page('T1', 2)).toMatchObject([
    { key: { occurrenceId: due.localTime }, state: 'due', checkError: 'unavailable' },
    { key: { occurrenceId: '2026-11-21T09:00' }, state: 'missed', error: 'away' },
  ]);
  expect(await store.postPermits.acquire('T1', { everyMs: 1000, withinMs: 0 })).toMatchObject({ waitMs: 5000 });
  expect(await store.idempotencyKeys.claim('T1', 'Ev1', 1000)).toBe(false);
  const thread = { teamId: 'T1', channelId: 'C1', subject: 'e1' };
  expect(await openThread(store, thread)).toMatchObject({
    kind: 'taken',
    delivery: {
      messages: [
        { name: 'root', state: 'sent', ts: '1.1', attempts: 1 },
        { name: 'verdict', state: 'sent', ts: '1.2', attempts: 1 },
      ],
    },
  });
  pass(1000);
  const claimed = only(await claim());
  pass(4000);
  expect((await beginThread(store)).files).toMatchObject([{ fileId: 'F1', messageName: 'verdict', contentHash: 'd' }]);
  // The missed occurrence is reported by this digest already.
  expect(claimed).toMatchObject({ fencingToken: 5, payload: 'payload', missed: [] });
  expect(claimed.messages.map(({ name, state, ts }) => [name, state, ts])).toEqual([
    ['root', 'sent', '1.1'],
    ['cause-1', 'waiting', null],
  ]);
  expect(await outbox.claimDuplicateChecks(1)).toMatchObject([{ message: { name: 'root' }, checksDone: 1 }]);
  expect(await claimed.lease.recordIntent('cause-1', leaseMs / 2)).toBe(true);
}

describeEngines('a database of the version before the renamed tables', (newDatabase) => {
  it('is migrated, and its rows are read', async () => {
    const url = await newDatabase();
    const { db, close } = await openDatabase(url, 'restore');
    await migrate(db, storeMigrations, '0008-pace');
    for (const [table, row] of oldRows) await insert(db, table, row);
    await close();
    await expectRowsRead(url);
  });

  it('is restored from its backup, and its rows are read', async () => {
    const url = await newDatabase();
    const begin = { format: 'workflow-bot store 1', step: '0008-pace', at: '' };
    const rows = oldRows.map(([table, row]) => ({ table, row }));
    const lines = [begin, ...rows, { rows: rows.length }].map((line) => JSON.stringify(line));
    expect(await restoreInto(url, lines)).toBe(oldRows.length);
    await expectRowsRead(url);
  });
});

describeEngines('a welcome of the version before the table of deliveries', (newDatabase) => {
  it('is still owed, unless an attempt may have posted it', async () => {
    const url = await newDatabase();
    const { db, close } = await openDatabase(url, 'restore');
    await migrate(db, storeMigrations, '0012-refused-tokens');
    for (const [teamId, startedAt] of [
      ['T1', null],
      ['T2', 9],
    ] as const) {
      await insert(db, 'installation', {
        ...{ team_id: teamId, is_enterprise_install: 0, bot_user_id: 'UBOT', scopes: '', installed_by: 'U1' },
        ...{ installed_at: 7, version: 'v', welcome_due_at: 8, welcome_started_at: startedAt },
      });
    }
    await close();
    const { outbox } = await openOutbox(url);
    const key = { teamId: 'T1', kind: 'welcome', subject: 'U1', occurrenceId: '8' };
    expect(await outbox.pending('welcome')).toEqual([{ key, dueAt: 8 }]);
  });
});
