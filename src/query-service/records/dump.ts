/** Reads all records for an export: one snapshot, pages by key, at most one page in memory. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { RecordStore } from './port.ts';
import { accountColumns, organizationColumns } from './reads/read.ts';
import type { AccountRecord, ErrorRecord, EventRecord, LogRecord, OrganizationRecord, TypedRecord } from './record.ts';
import { isServer } from './sql.ts';
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
      // Whoever reads the export may be slow.
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

/** @param page reads what comes after a key, in its order @param keyOf a row @returns pages until one is short */
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
  const page = (after: string): Promise<readonly AccountRecord[]> =>
    db
      .selectFrom('account')
      .select(accountColumns)
      .where('organization_id', '=', organizationId)
      .where('member_id', '>', after)
      .orderBy('member_id')
      .limit(pageSize)
      .execute();
  for await (const rows of pages(page, (row) => row.memberId)) {
    yield rows.map((record) => ({ type: 'account', record }));
  }
}

async function* workflows(db: Snapshot, organizationId: string): Batches {
  const page = (after: string) =>
    db
      .selectFrom('workflow')
      .select([
        'organization_id as organizationId',
        'uuid',
        'name',
        'workflow_id as workflowId',
        'status',
        'owner_address as ownerAddress',
        'registered_at as registeredAt',
        'workflow_source as workflowSource',
      ])
      .where('organization_id', '=', organizationId)
      .where('uuid', '>', after)
      .orderBy('uuid')
      .limit(pageSize)
      .execute();
  for await (const rows of pages(page, (row) => row.uuid)) {
    yield rows.map((record) => ({ type: 'workflow', record }));
  }
}

async function* deployments(db: Snapshot, organizationId: string): Batches {
  const page = (after: string) =>
    db
      .selectFrom('deployment')
      .select([
        'organization_id as organizationId',
        'uuid',
        'workflow_uuid as workflowUuid',
        'workflow_id as workflowId',
        'status',
        'deployed_at as deployedAt',
        'tx_hash as txHash',
        'error_message as errorMessage',
        'binary_url as binaryUrl',
        'config_url as configUrl',
        'workflow_source as workflowSource',
        'has_tee_executions as tee',
        'has_non_tee_executions as nonTee',
      ])
      .where('organization_id', '=', organizationId)
      .where('uuid', '>', after)
      .orderBy('uuid')
      .limit(pageSize)
      .execute();
  for await (const rows of pages(page, (row) => row.uuid)) {
    yield rows.map(({ tee, nonTee, ...row }) => ({
      type: 'deployment',
      record: { ...row, hasTeeExecutions: tee === 1, hasNonTeeExecutions: nonTee === 1 },
    }));
  }
}

async function* executions(db: Snapshot, organizationId: string): Batches {
  const page = (after: string) =>
    db
      .selectFrom('execution')
      .select([
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
      ])
      .where('organization_id', '=', organizationId)
      .where('uuid', '>', after)
      .orderBy('uuid')
      .limit(pageSize)
      .execute();
  for await (const rows of pages(page, (row) => row.uuid)) {
    for await (const { rows: portion, details } of readDetails(db, organizationId, rows)) {
      yield portion.map(({ tee, errors, ...row }) => ({
        type: 'execution',
        record: {
          ...row,
          executedInTee: tee === null ? null : tee === 1,
          errors: errors === null ? null : (JSON.parse(errors) as readonly ErrorRecord[]),
          ...(details.get(row.uuid) ?? { logs: null, events: null }),
        },
      }));
    }
  }
}

/** Of text; a portion of one execution may be larger. */
const portionBytesMax = 8 * 1024 * 1024;

type Details = { readonly logs: readonly LogRecord[] | null; readonly events: readonly EventRecord[] | null };
type Keyed = { readonly uuid: string };

/** @param rows in the order of their uuids @returns them in portions, each with what is kept of its executions, by uuid */
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

/** The length of a text is known without reading it. */
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
  const list = <Item>(text: string | null) => (text === null ? null : (JSON.parse(text) as readonly Item[]));
  return new Map(
    found.map(({ uuid, logs, events }) => [uuid, { logs: list<LogRecord>(logs), events: list<EventRecord>(events) }]),
  );
}

function inRange(db: Transaction<Tables>, organizationId: string, rows: readonly Keyed[]) {
  return db
    .selectFrom('execution_detail')
    .where('organization_id', '=', organizationId)
    .where('uuid', '>=', rows.at(0)?.uuid ?? '')
    .where('uuid', '<=', rows.at(-1)?.uuid ?? '');
}
