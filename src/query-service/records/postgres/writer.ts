/** Writes records to PostgreSQL: one statement per table and batch, the roll-up in the same transaction. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { retryConflicts } from '../../../shared/sql/postgres.ts';
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

/** @param db an open database with the tables of migrations.ts */
export function createPostgresWriter(db: Kysely<Tables>): RecordWriter {
  return {
    putOrganization: (record) =>
      write(db, owners([record]), (transaction) => upsert(transaction, 'organization', [organizationRow(record)])),
    putAccount: (record) =>
      write(db, owners([record]), (transaction) => upsert(transaction, 'account', [accountRow(record)])),
    putWorkflows: (records) =>
      write(db, owners(records), (transaction) => upsert(transaction, 'workflow', records.map(workflowRow))),
    putDeployments: (records) =>
      write(db, owners(records), (transaction) => upsert(transaction, 'deployment', records.map(deploymentRow))),
    putExecutions: (records) => write(db, owners(records), (transaction) => putExecutions(transaction, records)),
    clearOrganization: (organizationId) =>
      write(db, [organizationId], async (transaction) => {
        for (const table of Object.keys(ownedKeys)) {
          await sql`delete from ${sql.table(table)} where organization_id = ${organizationId}`.execute(transaction);
        }
      }),
    async forgetExecutions(startedBefore, limit) {
      const owned = await db.selectFrom('workflow').select('organization_id').distinct().execute();
      for (const { organization_id: id } of owned) {
        const count = await withOrganizationLock(db, [id], (transaction) =>
          forgetExecutions(transaction, id, { startedBefore, limit }),
        );
        if (count > 0) return count;
      }
      return 0;
    },
  };
}

/** Runs one transaction that changes records of the organizations. */
function write(
  db: Kysely<Tables>,
  organizationIds: readonly string[],
  work: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  return withOrganizationLock(db, organizationIds, async (transaction) => {
    await work(transaction);
    await renewRevisions(transaction, organizationIds);
  });
}

function owners(records: readonly { readonly organizationId: string }[]): readonly string[] {
  return records.map(({ organizationId }) => organizationId);
}

/** @param transaction holds the lock of the organizations of the records */
async function putExecutions(transaction: Transaction<Tables>, records: readonly ExecutionRecord[]): Promise<void> {
  const byOwner = Map.groupBy(records, ({ organizationId }) => organizationId);
  for (const [organizationId, own] of byOwner) await putOwnExecutions(transaction, organizationId, own);
}

async function putOwnExecutions(
  transaction: Transaction<Tables>,
  organizationId: string,
  records: readonly ExecutionRecord[],
): Promise<void> {
  const last = [...new Map(records.map((record) => [record.uuid, record])).values()];
  const rows = last.map(executionRow);
  await refuseUnknownWorkflows(transaction, organizationId, rows);
  const uuids = rows.map(({ uuid }) => uuid);
  const changes = createChanges();
  for (const row of await dropKnown(transaction, organizationId, uuids)) changes.count(row, -1);
  for (const row of rows) changes.count(row, 1);
  await upsert(transaction, 'execution', rows);
  await upsert(
    transaction,
    'execution_detail',
    last.map(detailRow).filter((row) => row !== null),
  );
  await addCounts(transaction, organizationId, changes);
}

/** @param transaction holds the lock of the organization @returns the number of deleted executions */
async function forgetExecutions(
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
  const isFound = keysIn(
    organizationId,
    found.map(({ uuid }) => uuid),
  );
  await sql`delete from execution_detail where ${isFound}`.execute(transaction);
  await sql`delete from execution where ${isFound}`.execute(transaction);
  const changes = createChanges();
  for (const row of found) changes.count(row, -1);
  await addCounts(transaction, organizationId, changes);
  if (found.length > 0) await renewRevisions(transaction, [organizationId]);
  return found.length;
}

async function addCounts(transaction: Transaction<Tables>, organizationId: string, changes: Changes): Promise<void> {
  const rows = changes.rows();
  const counted: readonly string[] = countedColumns;
  await upsert(transaction, 'execution_count', rows, (column) =>
    counted.includes(column) ? `execution_count.${column} + excluded.${column}` : `excluded.${column}`,
  );
  const less = rows.filter(isLess);
  if (less.length === 0) return;
  await sql`delete from execution_count where organization_id = ${organizationId} and executions = 0
    and workflow_uuid = any(${distinct(less, 'workflow_uuid')}::text[])
    and period_ms = any(${distinct(less, 'period_ms')}::integer[])
    and period_start = any(${distinct(less, 'period_start')}::bigint[])`.execute(transaction);
}

function distinct<Row extends object, Column extends keyof Row>(rows: readonly Row[], column: Column) {
  return [...new Set(rows.map((row) => row[column]))];
}

/**
 * Refuses executions of unknown workflows. Workflows are deleted under the same lock, so one that exists stays until
 * the transaction ends.
 */
async function refuseUnknownWorkflows(
  transaction: Transaction<Tables>,
  organizationId: string,
  rows: readonly Tables['execution'][],
): Promise<void> {
  const named = distinct(rows, 'workflow_uuid');
  const known = await sql`select uuid from workflow where ${keysIn(organizationId, named)}`.execute(transaction);
  if (known.rows.length < named.length)
    throw new AppError('not_found', 'An execution names a workflow that is not in the database.');
}

/**
 * Deletes logs and events of executions that exist already.
 * @returns what the roll-up counts of those executions
 */
async function dropKnown(
  transaction: Transaction<Tables>,
  organizationId: string,
  uuids: readonly string[],
): Promise<readonly Counted[]> {
  const known = await transaction
    .selectFrom('execution')
    .select(countedOfExecution)
    .where(keysIn(organizationId, uuids))
    .execute();
  if (known.length > 0)
    await sql`delete from execution_detail where ${keysIn(organizationId, uuids)}`.execute(transaction);
  return known;
}

/**
 * One organization and its uuids as parameters: Citus sends such a statement to the node of the organization, and
 * refuses to delete rows that are joined with a list.
 */
function keysIn(organizationId: string, uuids: readonly string[]) {
  return sql<boolean>`organization_id = ${organizationId} and uuid = any(${[...uuids]}::text[])`;
}

/** Class of the advisory locks: a number that no other lock in the database is likely to have. */
const lockClass = 724_500_912;

/** Limit for one statement, because its rows are in memory at once, here and on the server. */
const rowsMax = 5000;
const bytesMax = 8 * 1024 * 1024;

/**
 * Runs one transaction under an advisory lock of its organizations. Writers would wait for each other's rows of the roll-up
 * anyway; they lock before the first row, in one order, so that they neither deadlock nor see half of another's write.
 */
async function withOrganizationLock<Result>(
  db: Kysely<Tables>,
  organizationIds: readonly string[],
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  // Read committed, whatever the server's default is: statements after the wait must see what was committed meanwhile.
  const transactions = db.transaction().setIsolationLevel('read committed');
  return retryConflicts(() =>
    transactions.execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(lockClass)}, key) from (
        select distinct hashtext(id) as key from unnest(${[...new Set(organizationIds)]}::text[]) as id order by key
      ) as keys`.execute(transaction);
      return work(transaction);
    }),
  );
}

type OwnedRow<Name extends OwnedTable> = Tables[Name];

/**
 * Inserts rows as one JSON text, which the server reads by the table's own types.
 * @param onKnown the new value of a column if the key exists; replaces the value by default
 */
async function upsert<Name extends OwnedTable>(
  db: Kysely<Tables>,
  table: Name,
  rows: readonly OwnedRow<Name>[],
  onKnown = (column: string) => `excluded.${column}`,
): Promise<void> {
  const key: readonly string[] = ownedKeys[table];
  for (const portion of portions(lastOfEach(key, rows))) {
    const columns = Object.keys(portion[0] ?? {});
    const changed = columns.filter((column) => !key.includes(column));
    const list = sql.raw(columns.join(', '));
    await sql`insert into ${sql.table(table)} (${list})
      select ${list} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(portion)}::json)
      on conflict (${sql.raw(key.join(', '))}) do update
      set ${sql.raw(changed.map((column) => `${column} = ${onKnown(column)}`).join(', '))}`.execute(db);
  }
}

/** Keeps the last of several rows with the same key, because one statement must not touch a row twice. */
function lastOfEach<Row extends object>(key: readonly string[], rows: readonly Row[]): readonly Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    byKey.set(key.map((column) => Reflect.get(row, column)).join('\n'), row);
  }
  return [...byKey.values()];
}

function* portions<Row extends object>(rows: readonly Row[]): Generator<readonly Row[]> {
  let portion: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    portion.push(row);
    for (const value of Object.values(row)) bytes += typeof value === 'string' ? value.length : 8;
    if (portion.length < rowsMax && bytes < bytesMax) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

/** @param organizationIds whose records the transaction changes */
async function renewRevisions(transaction: Transaction<Tables>, organizationIds: readonly string[]): Promise<void> {
  await sql`insert into organization_revision (organization_id, revision)
    select id, gen_random_uuid() from unnest(${[...new Set(organizationIds)]}::text[]) as id order by id
    on conflict (organization_id) do update set revision = excluded.revision`.execute(transaction);
}
