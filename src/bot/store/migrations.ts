/** Migrations of the store. A released migration never changes. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { MigrationSet } from '../../shared/sql/migrate.ts';
import { deliveries } from './migrations/deliveries.ts';
import { digests } from './migrations/digests.ts';
import { plainNames } from './migrations/plain-names.ts';
import { workspaces } from './migrations/workspaces.ts';
import type { Tables } from './tables/tables.ts';

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
