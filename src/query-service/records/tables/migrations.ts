/** Migrations of the records database. A released migration never changes. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { AppError } from '../../../shared/errors.ts';
import type { MigrationSet } from '../../../shared/sql/migrate.ts';
import { parseList } from '../reads/parse-list.ts';
import type { EventRecord, LogRecord } from '../record.ts';
import { isServer } from '../sql.ts';
import { storedEvents, storedLogs } from './details.ts';
import { wholeOrganization } from './roll-up.ts';
import type { Tables } from './tables.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-records': { up: recordTables },
  '0002-keys-and-imports': {
    async up(db: Kysely<Tables>) {
      await run(db, 'alter table api_key add column last_used_at bigint');
      await run(db, 'alter table api_key add column replaced_by text');
      await run(
        db,
        `create table import_progress (source text primary key, bytes bigint not null, lines bigint not null,
          digest text not null, refused bigint not null, refused_bytes bigint not null, at bigint not null)`,
      );
    },
  },
  '0003-counts-of-organizations': {
    async up(db: Kysely<Tables>) {
      await sql`insert into execution_count
        (organization_id, workflow_uuid, period_ms, period_start, status, executions, credit_micros, credited, tee, non_tee)
        select organization_id, ${sql.lit(wholeOrganization)}, period_ms, period_start, status,
          sum(executions), sum(credit_micros), sum(credited), sum(tee), sum(non_tee)
        from execution_count group by organization_id, period_ms, period_start, status`.execute(db);
      await run(db, 'drop index execution_count_by_period');
    },
  },
  '0004-details-in-the-form-of-the-contract': { up: convertDetails },
  '0005-list-of-failures': { up: indexFailures },
  '0006-revisions-of-organizations': {
    async up(db: Kysely<Tables>) {
      if (!isServer(db)) return;
      await run(db, 'create table organization_revision (organization_id text primary key, revision uuid not null)');
      await sql`insert into organization_revision
        select organization_id, gen_random_uuid() from organization`.execute(db);
    },
  },
  // It made the tables of a directory of servers, which the next one drops.
  '0007-servers': { up: async () => {} },
  '0008-one-server': {
    async up(db: Kysely<Tables>) {
      if (isServer(db)) await dropServers(db);
    },
  },
};

/** Executions whose logs and events are converted at a time; the texts of one may take 20 MB. */
const conversionSize = 20;

type DetailTexts = Pick<Tables['execution_detail'], 'organization_id' | 'uuid' | 'logs' | 'events'>;

/** Rewrites logs and events in the form of the contract. */
async function convertDetails(db: Kysely<Tables>): Promise<void> {
  for (let last: DetailTexts = { organization_id: '', uuid: '', logs: null, events: null }; ; ) {
    const { rows } = await sql<DetailTexts>`select organization_id, uuid, logs, events from execution_detail
      where (organization_id, uuid) > (${last.organization_id}, ${last.uuid})
      order by organization_id, uuid limit ${conversionSize}`.execute(db);
    for (const { organization_id, uuid, logs, events } of rows) {
      await sql`update execution_detail set
        logs = ${storedLogs(parseList<LogRecord>(logs))}, events = ${storedEvents(parseList<EventRecord>(events))}
        where organization_id = ${organization_id} and uuid = ${uuid}`.execute(db);
    }
    const next = rows.at(-1);
    if (next === undefined) return;
    last = next;
  }
}

/**
 * Adds a partial index with every column of a list of one workflow's failures, the list that is read most. Not on
 * PostgreSQL, which refuses an entry over 2,704 bytes, and the errors of an execution may be longer.
 */
async function indexFailures(db: Kysely<Tables>): Promise<void> {
  if (isServer(db)) return;
  await sql`create index execution_failures on execution (organization_id, workflow_uuid, started_at, uuid, id, status,
    classified_status, detailed_status, finished_at, credit_micros, executed_in_tee, errors)
    where status = 'FAILURE'`.execute(db);
}

export const serviceMigrations: MigrationSet = { table: 'service_migration', migrations };

const serverTables = [
  'server',
  'organization_server',
  'key_organization',
  'organization_move',
  'closed_organization',
  'own_server',
];

/**
 * Drops the tables with which a database was one of several servers.
 * @throws AppError `unavailable` for tables that only an earlier version reads
 */
async function dropServers(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ readonly kind: string; readonly directory: string | null }>`
    select relkind as kind, to_regclass('server')::text as directory from pg_class
    where oid = to_regclass('execution')`.execute(db);
  const servers = rows[0]?.directory ? (await sql`select name from server limit 2`.execute(db)).rows.length : 0;
  if (rows[0]?.kind === 'p' || servers > 1)
    throw new AppError('unavailable', 'Its executions are partitioned by month, or it is one of several servers.', {
      hint: 'This version supports neither. Export the records with the version that made them, and import them into an empty database.',
    });
  for (const table of serverTables) await sql`drop table if exists ${sql.table(table)}`.execute(db);
  await sql`alter table api_key replica identity default`.execute(db);
  await sql`drop index if exists api_key_by_organization`.execute(db);
}

/** Column types and constraints; `text` is compared byte by byte on both engines. */
const tables = {
  organization: `organization_id text primary key, display_name text not null, restriction_status text not null,
    active_status text not null, created_at bigint not null, updated_at bigint, tenant_id integer not null`,
  account: `organization_id text not null, member_id text not null, user_id text, display_name text not null,
    email_address text not null, member_status text not null, member_type text, created_at bigint not null,
    updated_at bigint, invited_at bigint, joined_at bigint, constraint account_key primary key (organization_id, member_id)`,
  workflow: `organization_id text not null, uuid text not null, name text not null, folded_name text not null,
    workflow_id text not null, status text not null, owner_address text not null, registered_at bigint not null,
    workflow_source text not null, constraint workflow_key primary key (organization_id, uuid)`,
  deployment: `organization_id text not null, uuid text not null, workflow_uuid text not null, workflow_id text not null,
    status text not null, deployed_at bigint not null, tx_hash text, error_message text, binary_url text, config_url text,
    workflow_source text not null, has_tee_executions integer not null, has_non_tee_executions integer not null,
    constraint deployment_key primary key (organization_id, uuid),
    constraint deployment_workflow foreign key (organization_id, workflow_uuid) references workflow (organization_id, uuid)`,
  execution: `organization_id text not null, uuid text not null, id text not null, workflow_uuid text not null,
    status text not null, classified_status text, detailed_status text, started_at bigint not null, finished_at bigint,
    credit_micros bigint, executed_in_tee integer, errors text, constraint execution_key primary key (organization_id, uuid)`,
  execution_detail: `organization_id text not null, uuid text not null, logs text, events text,
    constraint execution_detail_key primary key (organization_id, uuid)`,
  execution_count: `organization_id text not null, workflow_uuid text not null, period_ms integer not null,
    period_start bigint not null, status text not null, executions integer not null, credit_micros bigint not null,
    credited integer not null, tee integer not null, non_tee integer not null,
    constraint execution_count_key primary key (organization_id, workflow_uuid, period_ms, period_start, status)`,
  api_key: `id text primary key, organization_id text not null, member_id text, name text not null, hash text not null,
    created_at bigint not null, expires_at bigint, revoked_at bigint`,
  kept_secret: 'name text primary key, value text not null',
};

/**
 * On SQLite only. PostgreSQL checks it row by row, which takes a third of the write, so its writer checks once per
 * batch.
 */
const workflowOfExecution = `,
    constraint execution_workflow foreign key (organization_id, workflow_uuid) references workflow (organization_id, uuid)`;

const indexes = {
  deployment_by_time: 'deployment (organization_id, workflow_uuid, deployed_at, uuid)',
  execution_by_workflow: 'execution (organization_id, workflow_uuid, status, started_at, uuid)',
  execution_by_status: 'execution (organization_id, status, started_at, uuid)',
  execution_by_id: 'execution (organization_id, id)',
  execution_count_by_period: 'execution_count (organization_id, period_ms, period_start)',
};

async function recordTables(db: Kysely<Tables>): Promise<void> {
  for (const [name, columns] of Object.entries(tables)) {
    const more = name === 'execution' && !isServer(db) ? workflowOfExecution : '';
    await run(db, `create table ${name} (${columns}${more})`);
  }
  for (const [name, columns] of Object.entries(indexes)) await run(db, `create index ${name} on ${columns}`);
}

/** A server would sort text by its locale, and pages would differ between the engines. */
async function run(db: Kysely<Tables>, definition: string): Promise<void> {
  await sql.raw(isServer(db) ? definition.replaceAll(/ text\b/g, ' text collate "C"') : definition).execute(db);
}
