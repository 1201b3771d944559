/** One table of deliveries for digests, threads and welcomes, with their messages and files. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Tables whose rows move. A backup from before this migration has them. */
export const formerTables = ['occurrence', 'outbox_message', 'thread', 'thread_reply', 'thread_file'] as const;

export async function deliveries(db: Kysely<Tables>): Promise<void> {
  await createTables(db);
  await moveDigests(db);
  await moveThreads(db);
  await moveWelcomes(db);
  for (const table of formerTables) await db.schema.dropTable(table).execute();
  await createIndexes(db);
}

async function createTables(db: Kysely<Tables>): Promise<void> {
  await sql`create table delivery (
    team_id text not null, kind text not null, subject text not null, occurrence_id text not null,
    channel_id text not null, due_at bigint not null, state text not null, attempts integer not null default 0,
    claimable_at bigint not null, fence bigint not null default 0, payload text, error text,
    window_from bigint, window_to bigint, is_late integer not null default 0, check_error text, reported_in text,
    constraint delivery_key primary key (team_id, kind, subject, occurrence_id))`.execute(db);
  await sql`create table posted_message (
    team_id text not null, kind text not null, subject text not null, occurrence_id text not null, name text not null,
    position integer not null, opaque_id text not null, state text not null, attempts integer not null default 0,
    first_intent_at bigint, last_intent_at bigint, ts text, content_hash text, error text,
    duplicate_check_at bigint, duplicate_checks integer not null default 0,
    constraint posted_message_key primary key (team_id, kind, subject, occurrence_id, name))`.execute(db);
  await sql`create table posted_file (
    team_id text not null, kind text not null, subject text not null, occurrence_id text not null,
    file_id text not null, message_name text not null, file_name text not null, content_hash text,
    constraint posted_file_key primary key (team_id, kind, subject, occurrence_id, file_id))`.execute(db);
}

async function moveDigests(db: Kysely<Tables>): Promise<void> {
  const delivery = sql.raw(`channel_id, due_at, state, attempts, claimable_at, fence, payload, error,
    window_from, window_to, is_late, check_error, reported_in`);
  await sql`insert into delivery (team_id, kind, subject, occurrence_id, ${delivery})
    select team_id, 'digest', subscription_id, occurrence_id, ${delivery} from occurrence`.execute(db);
  const message = sql.raw(`name, position, opaque_id, state, attempts, first_intent_at, last_intent_at, ts, error,
    duplicate_check_at, duplicate_checks`);
  await sql`insert into posted_message (team_id, kind, subject, occurrence_id, ${message})
    select team_id, 'digest', subscription_id, occurrence_id, ${message} from outbox_message`.execute(db);
}

async function moveThreads(db: Kysely<Tables>): Promise<void> {
  await sql`insert into delivery (team_id, kind, subject, occurrence_id, channel_id, due_at, state, claimable_at)
    select team_id, 'thread', subject, channel_id, channel_id, opened_at,
      case when is_final = 1 then 'posted' else 'open' end, lease_until from thread`.execute(db);
  const message = sql.raw(
    'team_id, kind, subject, occurrence_id, name, position, opaque_id, state, attempts, ts, content_hash',
  );
  await sql`insert into posted_message (${message})
    select team_id, 'thread', subject, channel_id, 'root', 0, '', 'sent', 1 - is_anchored, root_ts, null
    from thread where root_ts is not null`.execute(db);
  await sql`insert into posted_message (${message})
    select team_id, 'thread', subject, channel_id, name, 1, '', 'sent', 1, ts, digest from thread_reply`.execute(db);
  await sql`insert into posted_file (team_id, kind, subject, occurrence_id, file_id, message_name, file_name, content_hash)
    select team_id, 'thread', subject, channel_id, file_id, reply, name, digest from thread_file`.execute(db);
}

/** One that was begun may be posted already, under metadata that has no opaque id. */
async function moveWelcomes(db: Kysely<Tables>): Promise<void> {
  await sql`insert into delivery (team_id, kind, subject, occurrence_id, channel_id, due_at, state, claimable_at)
    select team_id, 'welcome', installed_by, cast(welcome_due_at as text), '', welcome_due_at, 'open', 0
    from installation where welcome_due_at is not null and welcome_started_at is null`.execute(db);
  for (const column of ['welcome_due_at', 'welcome_started_at']) {
    await db.schema.alterTable('installation').dropColumn(column).execute();
  }
}

/** Few deliveries are due or missed, so most of these indexes are partial. */
async function createIndexes(db: Kysely<Tables>): Promise<void> {
  for (const index of [
    "delivery_claimable on delivery (claimable_at) where state = 'due'",
    "delivery_missed on delivery (team_id, subject) where state = 'missed'",
    'delivery_by_due on delivery (team_id, due_at)',
    'posted_message_to_check on posted_message (duplicate_check_at) where duplicate_check_at is not null',
    "posted_message_by_root on posted_message (team_id, ts) where kind = 'thread' and name = 'root'",
  ]) {
    await sql`create index ${sql.raw(index)}`.execute(db);
  }
}
