/** Tables of subscriptions and their outbox, by their first names (see plain-names.ts). */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';

export async function digests(db: Kysely<Tables>): Promise<void> {
  await sql`create table subscription (
    team_id text not null, id text not null, channel_id text not null, time text not null, weekdays text not null,
    zone text not null, workflows text not null, has_all_clear integer not null, on_uncertain text not null,
    created_by text not null, created_at bigint not null, pause_reason text, paused_at bigint, paused_by text,
    next_at bigint, next_slot text, next_shift text, told_at bigint, removed_at bigint,
    constraint subscription_key primary key (team_id, id))`.execute(db);
  await sql`create table slot (
    team_id text not null, subscription_id text not null, slot text not null, channel_id text not null,
    due_at bigint not null, window_from bigint not null, window_to bigint not null, is_late integer not null,
    state text not null, is_begun integer not null default 0, attempts integer not null default 0,
    claimable_at bigint not null, fence bigint not null default 0, payload text, error text, told_in text,
    constraint slot_key primary key (team_id, subscription_id, slot))`.execute(db);
  await sql`create table slot_part (
    team_id text not null, subscription_id text not null, slot text not null, name text not null,
    place integer not null, opaque_id text not null, state text not null, attempts integer not null default 0,
    first_intent_at bigint, last_intent_at bigint, ts text, error text, sweep_at bigint,
    sweeps integer not null default 0,
    constraint slot_part_key primary key (team_id, subscription_id, slot, name))`.execute(db);
  // Few rows of the outbox are due or missed, so their indexes are partial.
  for (const index of [
    'subscription_by_next on subscription (next_at)',
    "slot_claimable on slot (claimable_at) where state = 'due'",
    "slot_missed on slot (team_id, subscription_id) where state = 'missed'",
    'slot_by_due on slot (team_id, due_at)',
    'slot_part_to_sweep on slot_part (sweep_at) where sweep_at is not null',
  ]) {
    await sql`create index ${sql.raw(index)}`.execute(db);
  }
}
