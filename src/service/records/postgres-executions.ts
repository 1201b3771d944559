/** Writes executions into PostgreSQL, with their logs and events, and keeps the roll-up true. */
import { sql, type Transaction } from 'kysely';
import { upsert } from './postgres-statements.ts';
import type { ExecutionRecord } from './record.ts';
import { type Counted, countedColumns, createChanges } from './roll-up.ts';
import { detailRow, executionRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** @param transaction that is alone in writing to the organizations of the records */
export async function putExecutions(
  transaction: Transaction<Tables>,
  records: readonly ExecutionRecord[],
): Promise<void> {
  const last = [...new Map(records.map((record) => [`${record.organizationId}\n${record.uuid}`, record])).values()];
  const rows = last.map(executionRow);
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
  const counted: readonly string[] = countedColumns;
  await upsert(transaction, 'execution_count', changes.rows(), (column) =>
    counted.includes(column) ? `execution_count.${column} + excluded.${column}` : `excluded.${column}`,
  );
}

/** @returns what the roll-up counts of the executions that stand; their logs and events are removed */
async function dropKnownDetails(
  transaction: Transaction<Tables>,
  rows: readonly Tables['execution'][],
): Promise<readonly Counted[]> {
  const keys = JSON.stringify(rows.map(({ organization_id, uuid }) => ({ organization_id, uuid })));
  const given = sql`json_populate_recordset(null::execution, ${keys}::json) as given`;
  const isSame = sql`standing.organization_id = given.organization_id and standing.uuid = given.uuid`;
  const known = await sql<Counted>`select standing.organization_id, standing.workflow_uuid, standing.status,
      standing.started_at, standing.credit_micros, standing.executed_in_tee
    from ${given} inner join execution as standing on ${isSame}`.execute(transaction);
  if (known.rows.length > 0) {
    await sql`delete from execution_detail as standing using ${given} where ${isSame}`.execute(transaction);
  }
  return known.rows;
}
