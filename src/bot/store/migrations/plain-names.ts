/** Renames tables and columns to the words of the code. */
import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** New table names by old ones. A backup from before this migration has the old ones. */
export const renamedTables = {
  slot: 'occurrence',
  slot_part: 'outbox_message',
  pace: 'send_rate',
  seen: 'idempotency_key',
} as const;

const renamedColumns = [
  ['subscription', 'next_slot', 'next_local_time'],
  ['subscription', 'told_at', 'notified_at'],
  ['occurrence', 'slot', 'occurrence_id'],
  ['occurrence', 'could_not_look', 'check_error'],
  ['occurrence', 'told_in', 'reported_in'],
  ['outbox_message', 'slot', 'occurrence_id'],
  ['outbox_message', 'place', 'position'],
  ['outbox_message', 'sweep_at', 'duplicate_check_at'],
  ['outbox_message', 'sweeps', 'duplicate_checks'],
  ['send_rate', 'held_until', 'backoff_until'],
  ['send_rate', 'back_at', 'retry_at'],
  ['thread', 'claimed_until', 'lease_until'],
] as const;

const oldIndexes = ['slot_claimable', 'slot_missed', 'slot_by_due', 'slot_part_to_sweep', 'seen_by_expiry'];

export async function plainNames(db: Kysely<Tables>): Promise<void> {
  // SQLite cannot rename an index.
  for (const index of oldIndexes) await db.schema.dropIndex(index).execute();
  for (const [from, to] of Object.entries(renamedTables)) {
    await db.schema.alterTable(from).renameTo(to).execute();
    if (db.getExecutor().adapter instanceof PostgresAdapter) {
      await sql`alter table ${sql.table(to)} rename constraint ${sql.ref(`${from}_key`)} to ${sql.ref(`${to}_key`)}`.execute(
        db,
      );
    }
  }
  for (const [table, from, to] of renamedColumns) await db.schema.alterTable(table).renameColumn(from, to).execute();
  await createIndexes(db);
}

async function createIndexes({ schema }: Kysely<Tables>): Promise<void> {
  const claimable = schema.createIndex('occurrence_claimable').on('occurrence').column('claimable_at');
  await claimable.where(sql<boolean>`state = 'due'`).execute();
  const missed = schema.createIndex('occurrence_missed').on('occurrence').columns(['team_id', 'subscription_id']);
  await missed.where(sql<boolean>`state = 'missed'`).execute();
  await schema.createIndex('occurrence_by_due').on('occurrence').columns(['team_id', 'due_at']).execute();
  const toCheck = schema.createIndex('outbox_message_to_check').on('outbox_message').column('duplicate_check_at');
  await toCheck.where(sql<boolean>`duplicate_check_at is not null`).execute();
  await schema.createIndex('idempotency_key_by_expiry').on('idempotency_key').column('expires_at').execute();
}
