/** Migrations of the store. A released migration never changes. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { MigrationSet } from '../../shared/sql/migrate.ts';
import { deliveries } from './migrations/deliveries.ts';
import { plainNames } from './migrations/plain-names.ts';
import type { Tables } from './tables.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-threads': {
    async up(db: Kysely<Tables>) {
      await sql`create table thread (
        team_id text not null, channel_id text not null, subject text not null, root_ts text,
        is_final integer not null, claimed_until bigint not null, opened_at bigint not null,
        constraint thread_key primary key (team_id, channel_id, subject))`.execute(db);
      await sql`create table thread_reply (
        team_id text not null, channel_id text not null, subject text not null, name text not null, ts text not null,
        constraint thread_reply_key primary key (team_id, channel_id, subject, name))`.execute(db);
    },
  },
  '0002-thread-files': {
    async up(db: Kysely<Tables>) {
      await sql`alter table thread add column is_anchored integer not null default 0`.execute(db);
      await sql`create table thread_file (
        team_id text not null, channel_id text not null, subject text not null, file_id text not null,
        reply text not null, name text not null, digest text,
        constraint thread_file_key primary key (team_id, channel_id, subject, file_id))`.execute(db);
    },
  },
  '0003-workspaces': { up: workspaces },
  '0004-digests': { up: digests },
  '0005-app-id': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('installation').addColumn('app_id', 'text').execute();
    },
  },
  '0006-could-not-look': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('slot').addColumn('could_not_look', 'text').execute();
    },
  },
  // The attempts of its messages tell whether an occurrence was started.
  '0007-no-is-begun': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('slot').dropColumn('is_begun').execute();
    },
  },
  '0008-pace': {
    async up(db: Kysely<Tables>) {
      await sql`create table pace (
        team_id text not null, free_at bigint not null, held_until bigint not null default 0,
        back_at bigint not null default 0, constraint pace_key primary key (team_id))`.execute(db);
    },
  },
  '0009-plain-names': { up: plainNames },
  '0010-reply-digest': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('thread_reply').addColumn('digest', 'text').execute();
    },
  },
  '0011-welcome': {
    async up(db: Kysely<Tables>) {
      for (const column of ['welcome_due_at', 'welcome_started_at']) {
        await db.schema.alterTable('installation').addColumn(column, 'bigint').execute();
      }
    },
  },
  '0012-refused-tokens': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('installation').addColumn('refused_since', 'bigint').execute();
      await db.schema.alterTable('installation').addColumn('refused_error', 'text').execute();
    },
  },
  '0013-deliveries': { up: deliveries },
};

/** `store_migration` lists the applied migrations: the query service may share the database. */
export const storeMigrations: MigrationSet = { table: 'store_migration', migrations };

export const migrationNames: readonly string[] = Object.keys(migrations).sort();

async function digests(db: Kysely<Tables>): Promise<void> {
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

async function workspaces(db: Kysely<Tables>): Promise<void> {
  await sql`create table installation (
    team_id text not null, enterprise_id text, is_enterprise_install integer not null, bot_user_id text not null,
    bot_id text, scopes text not null, installed_by text not null, installed_at bigint not null,
    uninstalled_at bigint, version text not null, bot_token text, refresh_token text, token_expires_at bigint,
    constraint installation_key primary key (team_id))`.execute(db);
  await sql`create table credential (
    team_id text not null, endpoint text not null, version text not null, api_key text, key_hint text not null,
    organization_id text, organization_name text, connected_by text not null, connected_at bigint not null,
    checked_at bigint, refused_since bigint, notified_at bigint,
    constraint credential_key primary key (team_id))`.execute(db);
  await sql`create table role (
    team_id text not null, user_id text not null, role text not null, granted_by text not null,
    granted_at bigint not null, constraint role_key primary key (team_id, user_id))`.execute(db);
  await sql`create table settings (
    team_id text not null, value text not null, changed_by text not null, changed_at bigint not null,
    constraint settings_key primary key (team_id))`.execute(db);
  await sql`create table audit (
    team_id text not null, number bigint not null, at bigint not null, user_id text not null, action text not null,
    detail text not null, hash text not null, constraint audit_key primary key (team_id, number))`.execute(db);
  await sql`create table seen (
    team_id text not null, key text not null, expires_at bigint not null,
    constraint seen_key primary key (team_id, key))`.execute(db);
  await sql`create table oauth_state (
    state_hash text not null, browser_hash text not null, expires_at bigint not null,
    constraint oauth_state_key primary key (state_hash))`.execute(db);
  await sql`create table lease (
    team_id text not null, name text not null, holder text not null, expires_at bigint not null,
    constraint lease_key primary key (team_id, name))`.execute(db);
  for (const table of ['seen', 'oauth_state', 'lease']) {
    await sql`create index ${sql.raw(`${table}_by_expiry on ${table} (expires_at)`)}`.execute(db);
  }
}
