/** Writes executions into PostgreSQL, with their logs and events, and keeps the roll-up true. */
import { sql, type Transaction } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
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
import type { Tables } from '../tables/tables.ts';
import { upsert } from './postgres-statements.ts';

/** @param transaction that is alone in writing to the organizations of the records */
export async function putExecutions(
  transaction: Transaction<Tables>,
  records: readonly ExecutionRecord[],
): Promise<void> {
  const last = [...new Map(records.map((record) => [`${record.organizationId}\n${record.uuid}`, record])).values()];
  const rows = last.map(executionRow);
  await refuseStrangers(transaction, rows);
  const known = await dropKnownDetails(transaction, rows);
  const changes = createChanges();
  for (const row of known) changes.count(row, -1);
  for (const row of rows) changes.count(row, 1);
  await upsert(transaction, 'execution', rows);
  await upsert(
    transaction,
    'execution_detail',
    last.flatMap((record) => detailRow(record) ?? []),
  );
  await addCounts(transaction, changes);
}

/** @param transaction likewise @returns how many were removed */
export async function forgetExecutions(
  transaction: Transaction<Tables>,
  organizationId: string,
  { startedBefore, limit }: { readonly startedBefore: number; readonly limit: number },
): Promise<number> {
  const found: (Counted & { readonly uuid: string })[] = [];
  for (const status of executionStatuses) {
    const oldest = await transaction
      .selectFrom('execution')
      .select(['uuid', ...countedOfExecution])
      .where('organization_id', '=', organizationId)
      .where('status', '=', status)
      .where('started_at', '<', startedBefore)
      .orderBy('started_at')
      .limit(limit - found.length)
      .execute();
    found.push(...oldest);
  }
  const keys = given('execution', found);
  await sql`delete from execution_detail as d using ${keys} where ${sameKey('d')}`.execute(transaction);
  await sql`delete from execution as e using ${keys} where ${sameKey('e')}`.execute(transaction);
  const changes = createChanges();
  for (const row of found) changes.count(row, -1);
  await addCounts(transaction, changes);
  return found.length;
}

async function addCounts(transaction: Transaction<Tables>, changes: Changes): Promise<void> {
  const rows = changes.rows();
  const counted: readonly string[] = countedColumns;
  await upsert(transaction, 'execution_count', rows, (column) =>
    counted.includes(column) ? `execution_count.${column} + excluded.${column}` : `excluded.${column}`,
  );
  const isSame = ownedKeys.execution_count.map((column) => sql`c.${sql.ref(column)} = given.${sql.ref(column)}`);
  await sql`delete from execution_count as c using ${given('execution_count', rows.filter(isLess))}
    where ${sql.join(isSame, sql` and `)} and c.executions = 0`.execute(transaction);
}

/** Workflows are removed by who is alone in the organization, too: one that is there stays until the end. */
async function refuseStrangers(transaction: Transaction<Tables>, rows: readonly Tables['execution'][]): Promise<void> {
  const workflows = new Map(
    rows.map(({ organization_id, workflow_uuid }) => [
      `${organization_id}\n${workflow_uuid}`,
      { organization_id, uuid: workflow_uuid },
    ]),
  );
  const strangers = await sql`select uuid from ${given('workflow', [...workflows.values()])}
    where not exists (select from workflow where ${sameKey('workflow')}) limit 1`.execute(transaction);
  if (strangers.rows.length > 0) throw new AppError('not_found', 'An execution names a workflow that is not there.');
}

/** @returns what the roll-up counts of the executions that stand; their logs and events are removed */
async function dropKnownDetails(
  transaction: Transaction<Tables>,
  rows: readonly Tables['execution'][],
): Promise<readonly Counted[]> {
  const keys = given(
    'execution',
    rows.map(({ organization_id, uuid }) => ({ organization_id, uuid })),
  );
  const counted = sql.join(countedOfExecution.map((column) => sql.ref(`e.${column}`)));
  const known = await sql<Counted>`select ${counted}
    from ${keys} inner join execution as e on ${sameKey('e')}`.execute(transaction);
  if (known.rows.length > 0) {
    await sql`delete from execution_detail as d using ${keys} where ${sameKey('d')}`.execute(transaction);
  }
  return known.rows;
}

/** Rows of a table, as far as they are given, under the name `given`. */
function given(table: keyof Tables, rows: readonly object[]) {
  return sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) as given`;
}

function sameKey(table: string) {
  return sql`${sql.ref(`${table}.organization_id`)} = given.organization_id and ${sql.ref(`${table}.uuid`)} = given.uuid`;
}
