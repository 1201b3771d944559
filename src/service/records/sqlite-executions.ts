/** Writes executions into SQLite, with their logs and events, and keeps the roll-up true. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { dayMs, hourMs, startOfPeriod } from './periods.ts';
import type { ExecutionRecord } from './record.ts';
import { insertText, upsertText } from './sqlite-statements.ts';

/** What the roll-up counts of one execution. */
type Counted = {
  readonly workflowUuid: string;
  readonly status: string;
  readonly startedAt: number;
  readonly creditMicros: number | null;
  readonly executedInTee: number | null;
};

/** A row of the roll-up, as far as one batch changes it. */
type Change = {
  readonly key: readonly [
    organizationId: string,
    workflowUuid: string,
    periodMs: number,
    periodStart: number,
    status: string,
  ];
  executions: number;
  creditMicros: number;
  credited: number;
  tee: number;
  nonTee: number;
};

type Changes = Map<string, Change>;

const periods = [0, dayMs, hourMs] as const;

/** @returns `put`, to be called inside a transaction */
export function createExecutionWriter(database: DatabaseSync) {
  return {
    put(records: readonly ExecutionRecord[]): void {
      const statements = prepare(database);
      const changes: Changes = new Map();
      for (const record of records) putExecution(statements, changes, record);
      for (const change of changes.values()) {
        const { key, executions, creditMicros, credited, tee, nonTee } = change;
        statements.count.run(...key, executions, creditMicros, credited, tee, nonTee);
      }
    },
  };
}

type Statements = Readonly<Record<'insert' | 'known' | 'replace' | 'detail' | 'dropDetail' | 'count', StatementSync>>;

const executionColumns = [
  'organization_id',
  'uuid',
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

function prepare(database: DatabaseSync): Statements {
  const ownKey = 'organization_id = ? and uuid = ?';
  const key = ['organization_id', 'uuid'] as const;
  return {
    insert: database.prepare(insertText('execution', executionColumns, 'on conflict do nothing')),
    replace: database.prepare(upsertText('execution', key, executionColumns)),
    known: database.prepare(
      `select workflow_uuid as workflowUuid, status, started_at as startedAt, credit_micros as creditMicros,
         executed_in_tee as executedInTee from execution where ${ownKey}`,
    ),
    detail: database.prepare(insertText('execution_detail', [...key, 'logs', 'events'])),
    dropDetail: database.prepare(`delete from execution_detail where ${ownKey}`),
    count: database.prepare(
      `insert into execution_count (organization_id, workflow_uuid, period_ms, period_start, status,
         executions, credit_micros, credited, tee, non_tee) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (organization_id, workflow_uuid, period_ms, period_start, status) do update set
         executions = executions + excluded.executions, credit_micros = credit_micros + excluded.credit_micros,
         credited = credited + excluded.credited, tee = tee + excluded.tee, non_tee = non_tee + excluded.non_tee`,
    ),
  };
}

function putExecution(statements: Statements, changes: Changes, record: ExecutionRecord): void {
  const { organizationId, uuid } = record;
  const executedInTee = record.executedInTee === null ? null : Number(record.executedInTee);
  const values = [
    organizationId,
    uuid,
    record.id.toLowerCase(),
    record.workflowUuid,
    record.status,
    record.classifiedStatus,
    record.detailedStatus,
    record.startedAt,
    record.finishedAt,
    record.creditMicros,
    executedInTee,
    json(record.errors),
  ];
  // Nearly every execution is new: only where one stands already is it read, so that the roll-up can forget it.
  if (statements.insert.run(...values).changes === 0) {
    count(changes, organizationId, statements.known.get(organizationId, uuid) as Counted, -1);
    statements.replace.run(...values);
    statements.dropDetail.run(organizationId, uuid);
  }
  count(changes, organizationId, { ...record, executedInTee }, 1);
  if (record.logs !== null || record.events !== null) {
    statements.detail.run(organizationId, uuid, json(record.logs), json(record.events));
  }
}

function count(changes: Changes, organizationId: string, counted: Counted, sign: 1 | -1): void {
  for (const periodMs of periods) {
    const periodStart = startOfPeriod(counted.startedAt, periodMs);
    const key = [organizationId, counted.workflowUuid, periodMs, periodStart, counted.status] as const;
    const text = key.join('\n');
    const change = changes.get(text) ?? { key, executions: 0, creditMicros: 0, credited: 0, tee: 0, nonTee: 0 };
    change.executions += sign;
    change.creditMicros += sign * (counted.creditMicros ?? 0);
    change.credited += counted.creditMicros === null ? 0 : sign;
    change.tee += counted.executedInTee === 1 ? sign : 0;
    change.nonTee += counted.executedInTee === 0 ? sign : 0;
    changes.set(text, change);
  }
}

function json(list: readonly object[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}
