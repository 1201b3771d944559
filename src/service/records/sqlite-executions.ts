/** Writes executions into SQLite, with their logs and events, and keeps the roll-up true. */
import type { DatabaseSync } from 'node:sqlite';
import type { ExecutionRecord } from './record.ts';
import { type Changes, type Counted, countedColumns, createChanges } from './roll-up.ts';
import { detailRow, executionRow, ownedKeys } from './rows.ts';
import { insertText, upsertText } from './sqlite-statements.ts';

/** @returns `put`, to be called inside a transaction */
export function createExecutionWriter(database: DatabaseSync) {
  return {
    put(records: readonly ExecutionRecord[]): void {
      const statements = prepare(database);
      const changes = createChanges();
      for (const record of records) putExecution(statements, changes, record);
      for (const change of changes.rows()) statements.count.run(...countColumns.map((column) => change[column]));
    },
  };
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
    known: database.prepare(
      `select organization_id, workflow_uuid, status, started_at, credit_micros, executed_in_tee from execution where ${ownKey}`,
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
  // Nearly every execution is new: only where one stands already is it read, so that the roll-up can forget it.
  if (statements.insert.run(...values).changes === 0) {
    changes.count(statements.known.get(organizationId, uuid) as Counted, -1);
    statements.replace.run(...values);
    statements.dropDetail.run(organizationId, uuid);
  }
  changes.count(row, 1);
  const detail = detailRow(record);
  if (detail !== null) statements.detail.run(organizationId, uuid, detail.logs, detail.events);
}
