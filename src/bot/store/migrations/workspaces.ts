/** Tables of installations, credentials, roles, settings and audit, and those that processes coordinate through. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';

export async function workspaces(db: Kysely<Tables>): Promise<void> {
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
