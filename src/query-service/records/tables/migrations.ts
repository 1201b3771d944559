/** Migrations of the records database. A released migration never changes. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
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
  '0001-records': {
    up: (db: Kysely<Tables>) => recordTables(db),
  },
  '0002-keys-and-imports': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('api_key').addColumn('last_used_at', 'bigint').execute();
      await db.schema.alterTable('api_key').addColumn('replaced_by', text(db)).execute();
      await db.schema
        .createTable('import_progress')
        .addColumn('source', text(db), (column) => column.primaryKey())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('lines', 'bigint', (column) => column.notNull())
        .addColumn('digest', text(db), (column) => column.notNull())
        .addColumn('refused', 'bigint', (column) => column.notNull())
        .addColumn('refused_bytes', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
  '0003-counts-of-organizations': {
    async up(db: Kysely<Tables>) {
      await sql`insert into execution_count
        (organization_id, workflow_uuid, period_ms, period_start, status, executions, credit_micros, credited, tee, non_tee)
        select organization_id, ${sql.lit(wholeOrganization)}, period_ms, period_start, status,
          sum(executions), sum(credit_micros), sum(credited), sum(tee), sum(non_tee)
        from execution_count group by organization_id, period_ms, period_start, status`.execute(db);
      await db.schema.dropIndex('execution_count_by_period').execute();
    },
  },
  '0004-details-in-the-form-of-the-contract': {
    up: convertDetails,
  },
  '0005-list-of-failures': {
    up: indexFailures,
  },
  '0006-revisions-of-organizations': {
    async up(db: Kysely<Tables>) {
      if (!isServer(db)) return;
      await db.schema
        .createTable('organization_revision')
        .addColumn('organization_id', text(db), (column) => column.primaryKey())
        .addColumn('revision', 'uuid', (column) => column.notNull())
        .execute();
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

async function recordTables(db: Kysely<Tables>): Promise<void> {
  await organizationTables(db);
  await workflowTables(db);
  await executionTables(db);
  await keyTables(db);
}

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
    throw new AppError('unavailable', 'It has months as partitions or is one of several servers.', {
      hint: 'This version has neither. Export the records with the version that made them, and import them into an empty database.',
    });
  for (const table of serverTables) await sql`drop table if exists ${sql.table(table)}`.execute(db);
  await sql`alter table api_key replica identity default`.execute(db);
  await sql`drop index if exists api_key_by_organization`.execute(db);
}

/**
 * A text column that both engines compare byte by byte. Otherwise a server would sort by its locale, and pages would
 * differ.
 */
function text(db: Kysely<Tables>) {
  return isServer(db) ? sql`text collate "C"` : 'text';
}

async function organizationTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('organization')
    .addColumn('organization_id', text(db), (column) => column.primaryKey())
    .addColumn('display_name', text(db), (column) => column.notNull())
    .addColumn('restriction_status', text(db), (column) => column.notNull())
    .addColumn('active_status', text(db), (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint')
    .addColumn('tenant_id', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('account')
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('member_id', text(db), (column) => column.notNull())
    .addColumn('user_id', text(db))
    .addColumn('display_name', text(db), (column) => column.notNull())
    .addColumn('email_address', text(db), (column) => column.notNull())
    .addColumn('member_status', text(db), (column) => column.notNull())
    .addColumn('member_type', text(db))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint')
    .addColumn('invited_at', 'bigint')
    .addColumn('joined_at', 'bigint')
    .addPrimaryKeyConstraint('account_key', ['organization_id', 'member_id'])
    .execute();
}

async function workflowTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('workflow')
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('uuid', text(db), (column) => column.notNull())
    .addColumn('name', text(db), (column) => column.notNull())
    .addColumn('folded_name', text(db), (column) => column.notNull())
    .addColumn('workflow_id', text(db), (column) => column.notNull())
    .addColumn('status', text(db), (column) => column.notNull())
    .addColumn('owner_address', text(db), (column) => column.notNull())
    .addColumn('registered_at', 'bigint', (column) => column.notNull())
    .addColumn('workflow_source', text(db), (column) => column.notNull())
    .addPrimaryKeyConstraint('workflow_key', ['organization_id', 'uuid'])
    .execute();
  await db.schema
    .createTable('deployment')
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('uuid', text(db), (column) => column.notNull())
    .addColumn('workflow_uuid', text(db), (column) => column.notNull())
    .addColumn('workflow_id', text(db), (column) => column.notNull())
    .addColumn('status', text(db), (column) => column.notNull())
    .addColumn('deployed_at', 'bigint', (column) => column.notNull())
    .addColumn('tx_hash', text(db))
    .addColumn('error_message', text(db))
    .addColumn('binary_url', text(db))
    .addColumn('config_url', text(db))
    .addColumn('workflow_source', text(db), (column) => column.notNull())
    .addColumn('has_tee_executions', 'integer', (column) => column.notNull())
    .addColumn('has_non_tee_executions', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('deployment_key', ['organization_id', 'uuid'])
    .addForeignKeyConstraint('deployment_workflow', ['organization_id', 'workflow_uuid'], 'workflow', [
      'organization_id',
      'uuid',
    ])
    .execute();
  await db.schema
    .createIndex('deployment_by_time')
    .on('deployment')
    .columns(['organization_id', 'workflow_uuid', 'deployed_at', 'uuid'])
    .execute();
}

type AnyTable = CreateTableBuilder<string, string>;

/**
 * Adds the foreign key on SQLite only. PostgreSQL checks it row by row, which takes a third of the write, so its writer
 * checks once per batch.
 */
function withWorkflow(table: AnyTable) {
  return table.addForeignKeyConstraint('execution_workflow', ['organization_id', 'workflow_uuid'], 'workflow', [
    'organization_id',
    'uuid',
  ]);
}

async function executionTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('execution')
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('uuid', text(db), (column) => column.notNull())
    .addColumn('id', text(db), (column) => column.notNull())
    .addColumn('workflow_uuid', text(db), (column) => column.notNull())
    .addColumn('status', text(db), (column) => column.notNull())
    .addColumn('classified_status', text(db))
    .addColumn('detailed_status', text(db))
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('credit_micros', 'bigint')
    .addColumn('executed_in_tee', 'integer')
    .addColumn('errors', text(db))
    .addPrimaryKeyConstraint('execution_key', ['organization_id', 'uuid'])
    .$call((table: AnyTable) => (isServer(db) ? table : withWorkflow(table)))
    .execute();
  await executionIndexes(db);
  await db.schema
    .createTable('execution_detail')
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('uuid', text(db), (column) => column.notNull())
    .addColumn('logs', text(db))
    .addColumn('events', text(db))
    .addPrimaryKeyConstraint('execution_detail_key', ['organization_id', 'uuid'])
    .execute();
  await countTable(db);
}

async function executionIndexes(db: Kysely<Tables>): Promise<void> {
  const indexes = {
    execution_by_workflow: ['organization_id', 'workflow_uuid', 'status', 'started_at', 'uuid'],
    execution_by_status: ['organization_id', 'status', 'started_at', 'uuid'],
    execution_by_id: ['organization_id', 'id'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('execution').columns(columns).execute();
  }
}

async function countTable(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('execution_count')
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('workflow_uuid', text(db), (column) => column.notNull())
    .addColumn('period_ms', 'integer', (column) => column.notNull())
    .addColumn('period_start', 'bigint', (column) => column.notNull())
    .addColumn('status', text(db), (column) => column.notNull())
    .addColumn('executions', 'integer', (column) => column.notNull())
    .addColumn('credit_micros', 'bigint', (column) => column.notNull())
    .addColumn('credited', 'integer', (column) => column.notNull())
    .addColumn('tee', 'integer', (column) => column.notNull())
    .addColumn('non_tee', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('execution_count_key', [
      'organization_id',
      'workflow_uuid',
      'period_ms',
      'period_start',
      'status',
    ])
    .execute();
  await db.schema
    .createIndex('execution_count_by_period')
    .on('execution_count')
    .columns(['organization_id', 'period_ms', 'period_start'])
    .execute();
}

async function keyTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('api_key')
    .addColumn('id', text(db), (column) => column.primaryKey())
    .addColumn('organization_id', text(db), (column) => column.notNull())
    .addColumn('member_id', text(db))
    .addColumn('name', text(db), (column) => column.notNull())
    .addColumn('hash', text(db), (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createTable('kept_secret')
    .addColumn('name', text(db), (column) => column.primaryKey())
    .addColumn('value', text(db), (column) => column.notNull())
    .execute();
}
