/** The tables of the records, made step by step; a step that was released never changes. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Steps } from '../../../shared/sql/migrate.ts';
import { executionTables, keyTables, organizationTables, text, workflowTables } from './first-tables.ts';
import { wholeOrganization } from './roll-up.ts';
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
};

export const recordSteps: Steps = { table: 'service_migration', migrations };
