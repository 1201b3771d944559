/** The tables of the records, made step by step; a step that was released never changes. */
import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Tables } from './tables.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-records': {
    async up(db: Kysely<Tables>) {
      await organizationTables(db);
      await workflowTables(db);
      await executionTables(db);
      await keyTables(db);
    },
  },
  '0002-keys-and-imports': {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable('api_key').addColumn('last_used_at', 'bigint').execute();
      await db.schema.alterTable('api_key').addColumn('replaced_by', 'text').execute();
      await db.schema
        .createTable('import_progress')
        .addColumn('source', 'text', (column) => column.primaryKey())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('lines', 'bigint', (column) => column.notNull())
        .addColumn('digest', 'text', (column) => column.notNull())
        .addColumn('refused', 'bigint', (column) => column.notNull())
        .addColumn('refused_bytes', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
};

async function organizationTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('organization')
    .addColumn('organization_id', 'text', (column) => column.primaryKey())
    .addColumn('display_name', 'text', (column) => column.notNull())
    .addColumn('restriction_status', 'text', (column) => column.notNull())
    .addColumn('active_status', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint')
    .addColumn('tenant_id', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('account')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('display_name', 'text', (column) => column.notNull())
    .addColumn('email_address', 'text', (column) => column.notNull())
    .addColumn('member_status', 'text', (column) => column.notNull())
    .addColumn('member_type', 'text')
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
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('folded_name', 'text', (column) => column.notNull())
    .addColumn('workflow_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('owner_address', 'text', (column) => column.notNull())
    .addColumn('registered_at', 'bigint', (column) => column.notNull())
    .addColumn('workflow_source', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('workflow_key', ['organization_id', 'uuid'])
    .execute();
  await db.schema
    .createTable('deployment')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('workflow_uuid', 'text', (column) => column.notNull())
    .addColumn('workflow_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('deployed_at', 'bigint', (column) => column.notNull())
    .addColumn('tx_hash', 'text')
    .addColumn('error_message', 'text')
    .addColumn('binary_url', 'text')
    .addColumn('config_url', 'text')
    .addColumn('workflow_source', 'text', (column) => column.notNull())
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

async function executionTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('execution')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('workflow_uuid', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('classified_status', 'text')
    .addColumn('detailed_status', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('credit_micros', 'bigint')
    .addColumn('executed_in_tee', 'integer')
    .addColumn('errors', 'text')
    .addPrimaryKeyConstraint('execution_key', ['organization_id', 'uuid'])
    .addForeignKeyConstraint('execution_workflow', ['organization_id', 'workflow_uuid'], 'workflow', [
      'organization_id',
      'uuid',
    ])
    .execute();
  const indexes = {
    execution_by_workflow: ['organization_id', 'workflow_uuid', 'status', 'started_at', 'uuid'],
    execution_by_status: ['organization_id', 'status', 'started_at', 'uuid'],
    execution_by_id: ['organization_id', 'id'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('execution').columns(columns).execute();
  }
  await db.schema
    .createTable('execution_detail')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('logs', 'text')
    .addColumn('events', 'text')
    .addPrimaryKeyConstraint('execution_detail_key', ['organization_id', 'uuid'])
    .execute();
  await countTable(db);
}

async function countTable(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('execution_count')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('workflow_uuid', 'text', (column) => column.notNull())
    .addColumn('period_ms', 'integer', (column) => column.notNull())
    .addColumn('period_start', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
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
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createTable('kept_secret')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
}

/** Brings a database to the newest step. @throws the first step's error */
export async function migrateRecords(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'service_migration',
    migrationLockTableName: 'service_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
