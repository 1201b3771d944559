/** Tables of installations, credentials, roles, settings and audit, and those that processes coordinate through. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { keyed } from './keyed.ts';

export async function workspaces(db: Kysely<Tables>): Promise<void> {
  await secretTables(db);
  await ruleTables(db);
  await coordinationTables(db);
}

async function secretTables(db: Kysely<Tables>): Promise<void> {
  await keyed(db, 'installation', ['team_id'])
    .addColumn('enterprise_id', 'text')
    .addColumn('is_enterprise_install', 'integer', (column) => column.notNull())
    .addColumn('bot_user_id', 'text', (column) => column.notNull())
    .addColumn('bot_id', 'text')
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('installed_by', 'text', (column) => column.notNull())
    .addColumn('installed_at', 'bigint', (column) => column.notNull())
    .addColumn('uninstalled_at', 'bigint')
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('bot_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('token_expires_at', 'bigint')
    .execute();
  await keyed(db, 'credential', ['team_id'])
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('api_key', 'text')
    .addColumn('key_hint', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('organization_name', 'text')
    .addColumn('connected_by', 'text', (column) => column.notNull())
    .addColumn('connected_at', 'bigint', (column) => column.notNull())
    .addColumn('checked_at', 'bigint')
    .addColumn('refused_since', 'bigint')
    .addColumn('notified_at', 'bigint')
    .execute();
}

async function ruleTables(db: Kysely<Tables>): Promise<void> {
  await keyed(db, 'role', ['team_id', 'user_id'])
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('granted_by', 'text', (column) => column.notNull())
    .addColumn('granted_at', 'bigint', (column) => column.notNull())
    .execute();
  await keyed(db, 'settings', ['team_id'])
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('audit')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_key', ['team_id', 'number'])
    .execute();
}

async function coordinationTables(db: Kysely<Tables>): Promise<void> {
  await keyed(db, 'seen', ['team_id', 'key'])
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await keyed(db, 'oauth_state', ['state_hash'])
    .addColumn('browser_hash', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await keyed(db, 'lease', ['team_id', 'name'])
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  for (const table of ['seen', 'oauth_state', 'lease']) {
    await db.schema.createIndex(`${table}_by_expiry`).on(table).column('expires_at').execute();
  }
}
