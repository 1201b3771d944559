/** Writes records to SQLite: prepared statements, one transaction per batch, the roll-up in the same transaction. */
import type { DatabaseSync } from 'node:sqlite';
import type { RecordWriter } from '../port.ts';
import { executionStatuses } from '../reads/read-counts.ts';
import type { ExecutionRecord } from '../record.ts';
import {
  type Changes,
  type Counted,
  countedColumns,
  countedOfExecution,
  createChanges,
  isLess,
} from '../tables/roll-up.ts';
import {
  accountRow,
  deploymentRow,
  detailRow,
  executionRow,
  type OwnedTable,
  organizationRow,
  ownedKeys,
  workflowRow,
} from '../tables/rows.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * @param database open, with the tables of migrations.ts. A call runs from begin to commit without awaiting, so that no
 *   other statement on the connection sees half a batch
 */
export function createSqliteWriter(database: DatabaseSync): RecordWriter {
  const inTransaction = createTransaction(database);
  const executions = createExecutionWriter(database);
  return {
    async putOrganization(record) {
      upsert(database, 'organization', ownedKeys.organization, organizationRow(record));
    },
    async putAccount(record) {
      upsert(database, 'account', ownedKeys.account, accountRow(record));
    },
    async putWorkflows(records) {
      inTransaction(() => {
        for (const record of records) upsert(database, 'workflow', ownedKeys.workflow, workflowRow(record));
      });
    },
    async putDeployments(records) {
      inTransaction(() => {
        for (const record of records) upsert(database, 'deployment', ownedKeys.deployment, deploymentRow(record));
      });
    },
    async putExecutions(records) {
      inTransaction(() => executions.put(records));
    },
    async clearOrganization(organizationId) {
      inTransaction(() => {
        for (const table of Object.keys(ownedKeys) as OwnedTable[]) {
          database.prepare(`delete from ${table} where organization_id = ?`).run(organizationId);
        }
      });
    },
    async forgetExecutions(startedBefore, limit) {
      for (const row of database.prepare('select distinct organization_id as id from workflow').all()) {
        const count = inTransaction(() => executions.forget(String(row['id']), startedBefore, limit));
        if (count > 0) return count;
      }
      return 0;
    },
  };
}

/** @returns `put` and `forget`; call each inside a transaction */
function createExecutionWriter(database: DatabaseSync) {
  return {
    /** @returns the number of deleted executions */
    forget(organizationId: string, startedBefore: number, limit: number): number {
      const statements = prepare(database);
      const changes = createChanges();
      let count = 0;
      for (const status of executionStatuses) {
        for (const row of statements.oldest.all(organizationId, status, startedBefore, limit - count)) {
          const { uuid, ...counted } = row as Counted & { readonly uuid: string };
          changes.count(counted, -1);
          statements.dropDetail.run(organizationId, uuid);
          statements.drop.run(organizationId, uuid);
          count += 1;
        }
      }
      addCounts(statements, changes);
      return count;
    },
    put(records: readonly ExecutionRecord[]): void {
      const statements = prepare(database);
      const changes = createChanges();
      for (const record of records) putExecution(statements, changes, record);
      addCounts(statements, changes);
    },
  };
}

function addCounts(statements: Statements, changes: Changes): void {
  for (const change of changes.rows()) {
    statements.count.run(...countColumns.map((column) => change[column]));
    if (isLess(change)) statements.dropCount.run(...ownedKeys.execution_count.map((column) => change[column]));
  }
}

type Statements = ReturnType<typeof prepare>;

const key = ownedKeys.execution;
const executionColumns = [
  ...key,
  'id',
  'workflow_uuid',
  'status',
  'classified_status',
  'detailed_status',
  'started_at',
  'finished_at',
  'credit_micros',
  'executed_in_tee',
  'errors',
] as const;
const countColumns = [...ownedKeys.execution_count, ...countedColumns] as const;

function prepare(database: DatabaseSync) {
  const ownKey = 'organization_id = ? and uuid = ?';
  const added = countedColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ');
  const onCounted = `on conflict (${ownedKeys.execution_count.join(', ')}) do update set ${added}`;
  return {
    insert: database.prepare(insertText('execution', executionColumns, 'on conflict do nothing')),
    replace: database.prepare(upsertText('execution', key, executionColumns)),
    known: database.prepare(`select ${countedOfExecution.join(', ')} from execution where ${ownKey}`),
    oldest: database.prepare(
      `select uuid, ${countedOfExecution.join(', ')} from execution
       where organization_id = ? and status = ? and started_at < ? order by started_at limit cast(? as integer)`,
    ),
    drop: database.prepare(`delete from execution where ${ownKey}`),
    dropCount: database.prepare(
      `delete from execution_count where ${ownedKeys.execution_count.map((column) => `${column} = ?`).join(' and ')}
       and executions = 0`,
    ),
    detail: database.prepare(insertText('execution_detail', [...key, 'logs', 'events'])),
    dropDetail: database.prepare(`delete from execution_detail where ${ownKey}`),
    count: database.prepare(insertText('execution_count', countColumns, onCounted)),
  };
}

function putExecution(statements: Statements, changes: Changes, record: ExecutionRecord): void {
  const { organizationId, uuid } = record;
  const row = executionRow(record);
  const values = executionColumns.map((column) => row[column]);
  // Nearly every execution is new. An existing one is read, so that the roll-up can subtract it.
  if (statements.insert.run(...values).changes === 0) {
    changes.count(statements.known.get(organizationId, uuid) as Counted, -1);
    statements.replace.run(...values);
    statements.dropDetail.run(organizationId, uuid);
  }
  changes.count(row, 1);
  const detail = detailRow(record);
  if (detail !== null) statements.detail.run(organizationId, uuid, detail.logs, detail.events);
}

/** @returns a function that runs work in a transaction; rolls back and rethrows if the work throws */
function createTransaction(database: DatabaseSync): <Result>(work: () => Result) => Result {
  return (work) => {
    // Immediate, so that a second writer waits here (busy_timeout) and does not fail half way.
    database.exec('begin immediate');
    try {
      const result = work();
      database.exec('commit');
      return result;
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  };
}

/** @param onConflict clause for an existing key @returns an insert statement with one parameter per column */
function insertText<Name extends keyof Tables>(
  table: Name,
  columns: readonly (keyof Tables[Name] & string)[],
  onConflict = '',
): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${onConflict}`;
}

/** @returns an insert statement that replaces every other column if the key exists */
function upsertText<Name extends keyof Tables>(
  table: Name,
  key: readonly (keyof Tables[Name] & string)[],
  columns: readonly (keyof Tables[Name] & string)[],
): string {
  const replaced = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
  return insertText(table, columns, `on conflict (${key.join(', ')}) do update set ${replaced.join(', ')}`);
}

/** Inserts one row, or replaces the row with the same key. */
function upsert<Name extends keyof Tables>(
  database: DatabaseSync,
  table: Name,
  key: readonly (keyof Tables[Name] & string)[],
  row: Tables[Name] & Readonly<Record<string, string | number | null>>,
): void {
  const columns = Object.keys(row) as (keyof Tables[Name] & string)[];
  database.prepare(upsertText(table, key, columns)).run(...Object.values(row));
}
