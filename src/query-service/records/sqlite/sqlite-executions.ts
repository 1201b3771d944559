/** Writes executions into SQLite, with their logs and events, and keeps the roll-up true. */
import type { DatabaseSync } from 'node:sqlite';
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
import { detailRow, executionRow, ownedKeys } from '../tables/rows.ts';
import { insertText, upsertText } from './sqlite-statements.ts';

/** @returns `put` and `forget`, each to be called inside a transaction */
export function createExecutionWriter(database: DatabaseSync) {
  return {
    /** @returns how many were removed */
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
