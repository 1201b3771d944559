/** Tables of subscriptions and their outbox, by their first names (see plain-names.ts). */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { keyed } from './keyed.ts';

export async function digests(db: Kysely<Tables>): Promise<void> {
  await subscriptionTable(db);
  await occurrenceTable(db);
  await messageTable(db);
}

async function subscriptionTable(db: Kysely<Tables>): Promise<void> {
  await keyed(db, 'subscription', ['team_id', 'id'])
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('weekdays', 'text', (column) => column.notNull())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('workflows', 'text', (column) => column.notNull())
    .addColumn('has_all_clear', 'integer', (column) => column.notNull())
    .addColumn('on_uncertain', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('pause_reason', 'text')
    .addColumn('paused_at', 'bigint')
    .addColumn('paused_by', 'text')
    .addColumn('next_at', 'bigint')
    .addColumn('next_slot', 'text')
    .addColumn('next_shift', 'text')
    .addColumn('told_at', 'bigint')
    .addColumn('removed_at', 'bigint')
    .execute();
  await db.schema.createIndex('subscription_by_next').on('subscription').column('next_at').execute();
}

async function occurrenceTable(db: Kysely<Tables>): Promise<void> {
  await keyed(db, 'slot', ['team_id', 'subscription_id', 'slot'])
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('window_from', 'bigint', (column) => column.notNull())
    .addColumn('window_to', 'bigint', (column) => column.notNull())
    .addColumn('is_late', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('is_begun', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('claimable_at', 'bigint', (column) => column.notNull())
    .addColumn('fence', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('payload', 'text')
    .addColumn('error', 'text')
    .addColumn('told_in', 'text')
    .execute();
  // Few rows of the outbox are due or missed, so these indexes are partial.
  const due = db.schema.createIndex('slot_claimable').on('slot').column('claimable_at');
  await due.where(sql<boolean>`state = 'due'`).execute();
  const missed = db.schema.createIndex('slot_missed').on('slot').columns(['team_id', 'subscription_id']);
  await missed.where(sql<boolean>`state = 'missed'`).execute();
  await db.schema.createIndex('slot_by_due').on('slot').columns(['team_id', 'due_at']).execute();
}

async function messageTable(db: Kysely<Tables>): Promise<void> {
  await keyed(db, 'slot_part', ['team_id', 'subscription_id', 'slot', 'name'])
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('opaque_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('first_intent_at', 'bigint')
    .addColumn('last_intent_at', 'bigint')
    .addColumn('ts', 'text')
    .addColumn('error', 'text')
    .addColumn('sweep_at', 'bigint')
    .addColumn('sweeps', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  const toCheck = db.schema.createIndex('slot_part_to_sweep').on('slot_part').column('sweep_at');
  await toCheck.where(sql<boolean>`sweep_at is not null`).execute();
}
