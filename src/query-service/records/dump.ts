/** Reads all records for an export: one snapshot, pages by key, at most one page in memory. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { RecordStore } from './port.ts';
import { parseList } from './reads/parse-list.ts';
import { accountColumns, organizationColumns } from './reads/read.ts';
import { deploymentColumns, deploymentRecord, type StoredDeployment } from './reads/read-deployments.ts';
import { workflowColumns } from './reads/read-workflows.ts';
import type {
  AccountRecord,
  ErrorRecord,
  EventRecord,
  ExecutionRecord,
  LogRecord,
  OrganizationRecord,
  TypedRecord,
  WorkflowRecord,
} from './record.ts';
import { isServer } from './sql.ts';
import { ownedKeys } from './tables/rows.ts';
import type { Tables } from './tables/tables.ts';

type Batches = AsyncGenerator<readonly TypedRecord[]>;
type Snapshot = Transaction<Tables>;

const pageSize = 1000;

/** @param db an open database with the tables of migrations.ts */
export function createDump(db: Kysely<Tables>): RecordStore['dump'] {
  return async function* dump(organizationId) {
    const snapshot = await db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    try {
      // The reader of the export may be slow.
      if (isServer(snapshot)) await sql`set local idle_in_transaction_session_timeout = 0`.execute(snapshot);
      for await (const organization of organizations(snapshot, organizationId)) {
        yield [{ type: 'organization', record: organization }];
        yield* accounts(snapshot, organization.organizationId);
        yield* workflows(snapshot, organization.organizationId);
        yield* deployments(snapshot, organization.organizationId);
        yield* executions(snapshot, organization.organizationId);
      }
    } finally {
      await snapshot.rollback().execute();
    }
  };
}

/** @param page reads rows after a key, in the order of the key @returns pages until one is short */
async function* pages<Row>(page: (after: string) => Promise<readonly Row[]>, keyOf: (row: Row) => string) {
  for (let after = ''; ; ) {
    const rows = await page(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = keyOf(last);
  }
}

async function* organizations(db: Snapshot, only: string | null): AsyncGenerator<OrganizationRecord> {
  const page = (after: string) => {
    const all = db
      .selectFrom('organization')
      .select(organizationColumns)
      .where('organization_id', '>', after)
      .orderBy('organization_id')
      .limit(pageSize);
    return (only === null ? all : all.where('organization_id', '=', only)).execute();
  };
  for await (const rows of pages(page, (row) => row.organizationId)) yield* rows;
}

async function* accounts(db: Snapshot, organizationId: string): Batches {
  for await (const rows of owned<AccountRecord>(db, organizationId, 'account', accountColumns)) {
    yield rows.map((record) => ({ type: 'account', record }));
  }
}

async function* workflows(db: Snapshot, organizationId: string): Batches {
  for await (const rows of owned<WorkflowRecord>(db, organizationId, 'workflow', workflowColumns)) {
    yield rows.map((record) => ({ type: 'workflow', record }));
  }
}

async function* deployments(db: Snapshot, organizationId: string): Batches {
  for await (const rows of owned<StoredDeployment>(db, organizationId, 'deployment', deploymentColumns)) {
    yield rows.map((row) => ({ type: 'deployment', record: deploymentRecord(row) }));
  }
}

const executionColumns = [
  'organization_id as organizationId',
  'uuid',
  'id',
  'workflow_uuid as workflowUuid',
  'status',
  'classified_status as classifiedStatus',
  'detailed_status as detailedStatus',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'credit_micros as creditMicros',
  'executed_in_tee as tee',
  'errors',
] as const;

type StoredExecution = Omit<ExecutionRecord, 'executedInTee' | 'errors' | 'logs' | 'events'> & {
  readonly tee: number | null;
  readonly errors: string | null;
};

async function* executions(db: Snapshot, organizationId: string): Batches {
  for await (const rows of owned<StoredExecution>(db, organizationId, 'execution', executionColumns)) {
    for await (const { rows: portion, details } of readDetails(db, organizationId, rows)) {
      yield portion.map(({ tee, errors, ...row }) => ({
        type: 'execution',
        record: {
          ...row,
          executedInTee: tee === null ? null : tee === 1,
          errors: parseList<ErrorRecord>(errors),
          ...(details.get(row.uuid) ?? { logs: null, events: null }),
        },
      }));
    }
  }
}

/** @param columns each with its new name, such as `tenant_id as tenantId` @returns pages in the order of the table's key */
function owned<Row extends object>(
  db: Snapshot,
  organizationId: string,
  table: 'account' | 'workflow' | 'deployment' | 'execution',
  columns: readonly string[],
) {
  const named = columns.map((column) => column.split(' as ')).map(([name = '', alias = name]) => ({ name, alias }));
  const [, keyColumn] = ownedKeys[table];
  const key = sql.ref(keyColumn);
  const keyAlias = named.find(({ name }) => name === keyColumn)?.alias ?? keyColumn;
  const selected = sql.join(named.map(({ name, alias }) => sql`${sql.ref(name)} as ${sql.id(alias)}`));
  const page = async (after: string) => {
    const { rows } = await sql<Row>`select ${selected} from ${sql.table(table)}
      where organization_id = ${organizationId} and ${key} > ${after} order by ${key} limit ${pageSize}`.execute(db);
    return rows;
  };
  return pages(page, (row) => String(Reflect.get(row, keyAlias)));
}

/** Limit for the text of a portion; a portion with one execution may be larger. */
const portionBytesMax = 8 * 1024 * 1024;

type Details = { readonly logs: readonly LogRecord[] | null; readonly events: readonly EventRecord[] | null };
type Keyed = { readonly uuid: string };

/** @param rows in the order of their uuids @returns portions of the rows, with the details of their executions by uuid */
export async function* readDetails<Row extends Keyed>(
  db: Transaction<Tables>,
  organizationId: string,
  rows: readonly Row[],
): AsyncGenerator<{ readonly rows: readonly Row[]; readonly details: ReadonlyMap<string, Details> }> {
  const sizes = await sizesIn(db, organizationId, rows);
  for (const portion of portions(rows, sizes)) {
    const hasDetails = portion.some(({ uuid }) => sizes.has(uuid));
    yield { rows: portion, details: hasDetails ? await detailsIn(db, organizationId, portion) : new Map() };
  }
}

/** Reads lengths only, which the database knows without reading the text. */
async function sizesIn(db: Transaction<Tables>, organizationId: string, rows: readonly Keyed[]) {
  const found = await inRange(db, organizationId, rows)
    .select(['uuid', sql<number>`coalesce(octet_length(logs), 0) + coalesce(octet_length(events), 0)`.as('size')])
    .execute();
  return new Map(found.map(({ uuid, size }) => [uuid, size]));
}

function* portions<Row extends Keyed>(rows: readonly Row[], sizes: ReadonlyMap<string, number>) {
  let portion: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizes.get(row.uuid) ?? 0;
    if (portion.length > 0 && bytes + size > portionBytesMax) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(row);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

async function detailsIn(
  db: Transaction<Tables>,
  organizationId: string,
  rows: readonly Keyed[],
): Promise<ReadonlyMap<string, Details>> {
  const found = await inRange(db, organizationId, rows).select(['uuid', 'logs', 'events']).execute();
  return new Map(
    found.map(({ uuid, logs, events }) => [
      uuid,
      { logs: parseList<LogRecord>(logs), events: parseList<EventRecord>(events) },
    ]),
  );
}

function inRange(db: Transaction<Tables>, organizationId: string, rows: readonly Keyed[]) {
  return db
    .selectFrom('execution_detail')
    .where('organization_id', '=', organizationId)
    .where('uuid', '>=', rows.at(0)?.uuid ?? '')
    .where('uuid', '<=', rows.at(-1)?.uuid ?? '');
}
