/** Reads executions: lists by index, logs and events as the text they were written as. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { isServer } from './engine.ts';
import type { ExecutionFilter, ExecutionOrder, ExecutionRow, Records, Slice } from './port.ts';
import { countExecutions, executionStatuses } from './read-counts.ts';
import type { ErrorRecord, EventRecord, ExecutionStatus, LogRecord } from './record.ts';
import type { Tables } from './tables.ts';

type Readers = Pick<Records, 'executions' | 'executionCount' | 'execution' | 'executionLogs' | 'executionEvents'>;
type Row = Omit<ExecutionRow, 'executedInTee' | 'errors'> & { executedInTee: number | null; errors: string | null };

/** The length of an execution's id: a search this long can only be the whole of it. */
const idLength = 64;

/** What no index answers reads every execution that the filters leave: this many take a file about an eighth of a second. */
const reachMax = 250_000;

/** @param db an open database with the tables of migrations.ts */
export function readExecutions(db: Kysely<Tables>): Readers {
  return {
    async executions(organizationId, filter, order, slice) {
      if (filter.statuses?.length === 0) return [];
      const wanted = await sought(db, organizationId, filter);
      if (wanted === null) return [];
      if (order.field === 'CREDIT_USED') await refuseFarReach(db, organizationId, wanted);
      const query = listQuery({ organizationId, filter: wanted, order, slice, isBounded: isServer(db) });
      const { rows } = await query.execute(db);
      return rows.map(executionRow);
    },
    executionCount: (organizationId, filter) => matchingCount(db, organizationId, filter),
    async execution(organizationId, uuid) {
      const { rows } = await sql<Row>`select ${executionColumns}
        from execution as e ${joinWorkflow}
        where e.organization_id = ${organizationId} and e.uuid = ${uuid}`.execute(db);
      return rows[0] === undefined ? null : executionRow(rows[0]);
    },
    async executionLogs(organizationId, uuid) {
      return parseList<LogRecord>(await detail(db, organizationId, uuid, 'logs')) ?? [];
    },
    async executionEvents(organizationId, uuid) {
      return parseList<EventRecord>(await detail(db, organizationId, uuid, 'events')) ?? [];
    },
  };
}

/** A search; once the whole of an id has been looked up, the uuids it stands for. */
type Sought = ExecutionFilter & { readonly uuids?: readonly string[] };

/**
 * The whole of an id is looked up first: inside the list's own query, every execution's uuid would be read and compared.
 * @returns null where no execution has that id @throws AppError `usage` for a part of an id among too many
 */
async function sought(db: Kysely<Tables>, organizationId: string, filter: ExecutionFilter): Promise<Sought | null> {
  if (!filter.search) return filter;
  if (filter.search.length < idLength) {
    await refuseFarReach(db, organizationId, filter);
    return filter;
  }
  const { rows } = await sql<{ uuid: string }>`select uuid from execution
    where organization_id = ${organizationId} and id = ${filter.search.toLowerCase()}`.execute(db);
  return rows.length === 0 ? null : { ...filter, search: null, uuids: rows.map((row) => row.uuid) };
}

/** How many there are is in the roll-up; a total that left some out, or a page that did, would be wrong without a word. */
async function refuseFarReach(db: Kysely<Tables>, organizationId: string, filter: Sought): Promise<void> {
  if (filter.uuids) return;
  const reach = await countExecutions(db, { ...filter, organizationId });
  if (reach <= reachMax) return;
  const advice = 'give from, to, status or workflowUuid so that fewer are left';
  throw new AppError(
    'usage',
    `search for a part of an id and order by CREDIT_USED read at most ${reachMax} executions: ${advice}`,
  );
}

async function detail(db: Kysely<Tables>, organizationId: string, uuid: string, column: 'logs' | 'events') {
  const row = await db
    .selectFrom('execution_detail')
    .select(`${column} as text`)
    .where('organization_id', '=', organizationId)
    .where('uuid', '=', uuid)
    .executeTakeFirst();
  return row?.text ?? null;
}

/** Written as text, not with the builder: lists are what is asked for most, and building them took five times as long as running. */
const executionColumns = sql.raw(`
  e.organization_id as "organizationId", e.uuid, e.id, e.workflow_uuid as "workflowUuid", e.status,
  e.classified_status as "classifiedStatus", e.detailed_status as "detailedStatus", e.started_at as "startedAt",
  e.finished_at as "finishedAt", e.credit_micros as "creditMicros", e.executed_in_tee as "executedInTee", e.errors,
  w.name as "workflowName", w.workflow_id as "workflowId"`);

const joinWorkflow = sql.raw(
  'inner join workflow as w on w.organization_id = e.organization_id and w.uuid = e.workflow_uuid',
);

type List = {
  readonly organizationId: string;
  readonly filter: Sought;
  readonly order: ExecutionOrder;
  readonly slice: Slice;
  /** Whether each branch says how many rows it can give at most. */
  readonly isBounded: boolean;
};

/** The page is found first, in an index alone; only its rows are then read whole and joined with their workflow. */
function listQuery(list: List): RawBuilder<Row> {
  const { organizationId, order, slice } = list;
  return sql<Row>`select ${executionColumns}
    from (${branches(list)}
      order by ${sql.raw(places('', order))} limit ${slice.limit} offset ${slice.offset}) as page
    inner join execution as e on e.organization_id = ${organizationId} and e.uuid = page.uuid ${joinWorkflow}
    order by ${sql.raw(places('page.', order))}`;
}

/**
 * The indexes hold the status before the time: by time, one branch a status keeps each in order, and the engine merges them.
 * PostgreSQL would rather read all and sort, unless each branch has an end of its own; SQLite would copy such a branch first.
 */
function branches({ organizationId, filter, order, slice, isBounded }: List): RawBuilder<unknown> {
  const place = { ID: 'e.id', STATUS: 'e.status', STARTED_AT: 'e.started_at', CREDIT_USED: 'e.credit_micros' };
  const columns = sql.raw(`${place[order.field]} as place, e.started_at as next_place, e.uuid`);
  const branch = (statuses: readonly ExecutionStatus[] | null) =>
    sql`select ${columns} from execution as e where ${matching(organizationId, { ...filter, statuses })}`;
  if (order.field !== 'STARTED_AT') return branch(filter.statuses);
  const end = sql`order by ${sql.raw(places('', order))} limit ${sql.lit(roundedUp(slice.offset + slice.limit))}`;
  const statuses = filter.statuses ?? executionStatuses;
  return sql.join(
    statuses.map((status) => (isBounded ? sql`select * from (${branch([status])} ${end}) as b` : branch([status]))),
    sql` union all `,
  );
}

/** Part of the text, so that a plan is made for it, and rounded, so that there are few texts. */
function roundedUp(rows: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(rows, 16)));
}

/** By `place`, which holds what was asked for; then, by status alone, the time; then the uuid. Empty values come last. */
function places(table: 'page.' | '', order: ExecutionOrder): string {
  const columns = order.field === 'STATUS' ? ['place', 'next_place', 'uuid'] : ['place', 'uuid'];
  // Only credits can be empty; naming what cannot be would keep an engine from reading an index backwards.
  const nulls = order.field === 'CREDIT_USED' ? 'nulls last' : '';
  return columns.map((column) => `${table}${column} ${order.direction} ${nulls}`).join(', ');
}

function matching(organizationId: string, filter: Sought): RawBuilder<unknown> {
  const conditions = [sql`e.organization_id = ${organizationId}`];
  if (filter.uuids) conditions.push(sql`e.uuid in (${sql.join(filter.uuids)})`);
  if (filter.workflowUuid !== null) conditions.push(sql`e.workflow_uuid = ${filter.workflowUuid}`);
  if (filter.statuses) conditions.push(sql`e.status in (${sql.join(filter.statuses)})`);
  if (filter.span.from !== null) conditions.push(sql`e.started_at >= ${filter.span.from}`);
  if (filter.span.until !== null) conditions.push(sql`e.started_at < ${filter.span.until}`);
  // Every id that the other conditions leave is read. replace() rather than LIKE: in a search, % and _ are ordinary characters.
  if (filter.search) conditions.push(sql`length(replace(e.id, ${filter.search.toLowerCase()}, '')) < length(e.id)`);
  return sql.join(conditions, sql` and `);
}

async function matchingCount(db: Kysely<Tables>, organizationId: string, filter: ExecutionFilter): Promise<number> {
  if (!filter.search) return countExecutions(db, { ...filter, organizationId });
  const wanted = filter.statuses?.length === 0 ? null : await sought(db, organizationId, filter);
  if (wanted === null) return 0;
  const { rows } = await sql<{ count: number }>`select count(*) as count
    from execution as e where ${matching(organizationId, wanted)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Changes the row it is given, which nobody else holds: copying it cost more than everything else here. */
function executionRow(row: Row): ExecutionRow {
  return Object.assign(row, {
    executedInTee: row.executedInTee === null ? null : row.executedInTee === 1,
    errors: parseList<ErrorRecord>(row.errors),
  });
}

function parseList<Item>(text: string | null): readonly Item[] | null {
  return text === null ? null : (JSON.parse(text) as readonly Item[]);
}
