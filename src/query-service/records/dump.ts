/** Reads all records for an export: one snapshot, pages by key, at most one page in memory. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { executionColumns } from './reads/execution-list.ts';
import { parseList } from './reads/parse-list.ts';
import { deploymentColumns } from './reads/read-deployments.ts';
import { accountColumns, organizationColumns } from './reads/read-people.ts';
import { workflowColumns } from './reads/read-workflows.ts';
import { type Columns, namesOf } from './reads/steps.ts';
import type {
  AccountRecord,
  DeploymentRecord,
  ErrorRecord,
  EventRecord,
  ExecutionRecord,
  LogRecord,
  OrganizationRecord,
  TypedRecord,
  WorkflowRecord,
} from './record.ts';
import { isServer } from './sql.ts';
import type { RecordStore } from './store.ts';
import { eventRecord, logRecord, type StoredEvent, type StoredLog } from './tables/details.ts';
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
  const page = async (after: string) => {
    const isWanted = only === null ? sql`true` : sql`organization_id = ${only}`;
    const { rows } = await sql<OrganizationRecord>`select ${selected(organizationColumns)} from organization
      where organization_id > ${after} and ${isWanted} order by organization_id limit ${pageSize}`.execute(db);
    return rows;
  };
  for await (const rows of pages(page, (row) => row.organizationId)) yield* rows;
}

async function* accounts(db: Snapshot, organizationId: string): Batches {
  for await (const rows of owned<AccountRecord>(db, organizationId, 'account', accountColumns)) {
    yield rows.map((record) => ({ type: 'account', record }));
  }
}

async function* workflows(db: Snapshot, organizationId: string): Batches {
  const { executedAt, ...columns } = workflowColumns;
  for await (const rows of owned<WorkflowRecord>(db, organizationId, 'workflow', columns)) {
    yield rows.map((record) => ({ type: 'workflow', record }));
  }
}

async function* deployments(db: Snapshot, organizationId: string): Batches {
  const { nextDeployedAt, ...columns } = deploymentColumns;
  for await (const rows of owned<DeploymentRecord>(db, organizationId, 'deployment', columns)) {
    yield rows.map((row) => ({
      type: 'deployment',
      record: {
        ...row,
        hasTeeExecutions: Boolean(row.hasTeeExecutions),
        hasNonTeeExecutions: Boolean(row.hasNonTeeExecutions),
      },
    }));
  }
}

type StoredExecution = Omit<ExecutionRecord, 'executedInTee' | 'errors' | 'logs' | 'events'> & {
  readonly executedInTee: number | null;
  readonly errors: string | null;
};

async function* executions(db: Snapshot, organizationId: string): Batches {
  const { workflowName, workflowId, ...columns } = executionColumns;
  for await (const rows of owned<StoredExecution>(db, organizationId, 'execution', columns)) {
    for await (const { rows: portion, details } of readDetails(db, organizationId, rows)) {
      yield portion.map(({ executedInTee, errors, ...row }) => ({
        type: 'execution',
        record: {
          ...row,
          executedInTee: executedInTee === null ? null : executedInTee === 1,
          errors: parseList<ErrorRecord>(errors),
          ...(details.get(row.uuid) ?? { logs: null, events: null }),
        },
      }));
    }
  }
}

/** The names under which the columns refer to their tables. */
const aliases = { account: 'account', workflow: 'w', deployment: 'd', execution: 'e' } as const;

function selected(columns: Columns<string>) {
  return sql.raw(
    namesOf(columns)
      .map((name) => `${columns[name]} as "${name}"`)
      .join(', '),
  );
}

/** @returns pages in the order of the table's key */
function owned<Row extends object>(
  db: Snapshot,
  organizationId: string,
  table: keyof typeof aliases,
  columns: Columns<string>,
) {
  const [, keyColumn] = ownedKeys[table];
  const key = sql.ref(keyColumn);
  const page = async (after: string) => {
    const { rows } = await sql<Row>`select ${selected(columns)} from ${sql.table(table)} as ${sql.id(aliases[table])}
      where organization_id = ${organizationId} and ${key} > ${after} order by ${key} limit ${pageSize}`.execute(db);
    return rows;
  };
  const keyName = table === 'account' ? 'memberId' : 'uuid';
  return pages(page, (row) => String(Reflect.get(row, keyName)));
}

/** Limit for the text of a portion; a portion with one execution may be larger. */
const portionBytesMax = 8 * 1024 * 1024;

type Details = { readonly logs: readonly LogRecord[] | null; readonly events: readonly EventRecord[] | null };
type Keyed = { readonly uuid: string };

/** @param rows in the order of their uuids @returns portions of the rows, with the details of their executions by uuid */
async function* readDetails<Row extends Keyed>(
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
      {
        logs: parseList<StoredLog>(logs)?.map(logRecord) ?? null,
        events: parseList<StoredEvent>(events)?.map(eventRecord) ?? null,
      },
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
