/** Migrations of the store. A released migration never changes. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { MigrationSet } from '../../shared/sql/migrate.ts';
import { digests } from './migrations/digests.ts';
import { keyed } from './migrations/keyed.ts';
import { plainNames } from './migrations/plain-names.ts';
import { workspaces } from './migrations/workspaces.ts';
import type { Tables } from './tables/tables.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-threads': {
    async up(db: Kysely<Tables>) {
      await db.schema
        .createTable('thread')
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('root_ts', 'text')
        .addColumn('is_final', 'integer', (column) => column.notNull())
        .addColumn('claimed_until', 'bigint', (column) => column.notNull())
        .addColumn('opened_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('thread_key', ['team_id', 'channel_id', 'subject'])
        .execute();
      await db.schema
        .createTable('thread_reply')
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('ts', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('thread_reply_key', ['team_id', 'channel_id', 'subject', 'name'])
        .execute();
    },
  },
  '0002-thread-files': {
    async up(db: Kysely<Tables>) {
      await db.schema
        .alterTable('thread')
        .addColumn('is_anchored', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable('thread_file')
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('file_id', 'text', (column) => column.notNull())
        .addColumn('reply', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('digest', 'text')
        .addPrimaryKeyConstraint('thread_file_key', ['team_id', 'channel_id', 'subject', 'file_id'])
        .execute();
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
      await keyed(db, 'pace', ['team_id'])
        .addColumn('free_at', 'bigint', (column) => column.notNull())
        .addColumn('held_until', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('back_at', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
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
};

/** `store_migration` lists the applied migrations: the query service may share the database. */
export const storeMigrations: MigrationSet = { table: 'store_migration', migrations };

export const migrationNames: readonly string[] = Object.keys(migrations).sort();
