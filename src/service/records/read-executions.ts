/** Reads executions: lists by index, logs and events as the text they were written as. */
import type { Kysely } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { among, ask, type Bind, ordered } from './ask.ts';
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
      const list = { organizationId, filter: wanted, order, slice, isBounded: isServer(db) };
      return (await ask<Row>(db, (bind) => listText(bind, list))).map(executionRow);
    },
    executionCount: (organizationId, filter) => matchingCount(db, organizationId, filter),
    async execution(organizationId, uuid) {
      const [row] = await ask<Row>(
        db,
        (bind) => `select ${executionColumns} from execution as e ${joinWorkflow}
          where e.organization_id = ${bind(organizationId)} and e.uuid = ${bind(uuid)}`,
      );
      return row === undefined ? null : executionRow(row);
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
  const id = filter.search.toLowerCase();
  const rows = await ask<{ readonly uuid: string }>(
    db,
    (bind) => `select uuid from execution where organization_id = ${bind(organizationId)} and id = ${bind(id)}`,
  );
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
  const [row] = await ask<{ readonly text: string | null }>(
    db,
    (bind) => `select ${column} as text from execution_detail
      where organization_id = ${bind(organizationId)} and uuid = ${bind(uuid)}`,
  );
  return row?.text ?? null;
}

const executionColumns = `
  e.organization_id as "organizationId", e.uuid, e.id, e.workflow_uuid as "workflowUuid", e.status,
  e.classified_status as "classifiedStatus", e.detailed_status as "detailedStatus", e.started_at as "startedAt",
  e.finished_at as "finishedAt", e.credit_micros as "creditMicros", e.executed_in_tee as "executedInTee", e.errors,
  w.name as "workflowName", w.workflow_id as "workflowId"`;

const joinWorkflow = 'inner join workflow as w on w.organization_id = e.organization_id and w.uuid = e.workflow_uuid';

type List = {
  readonly organizationId: string;
  readonly filter: Sought;
  readonly order: ExecutionOrder;
  readonly slice: Slice;
  /** Whether what is read in an index's order says how many rows it can give at most. */
  readonly isBounded: boolean;
};

function listText(bind: Bind, list: List): string {
  const { filter, order } = list;
  const [status, ...others] = filter.statuses ?? executionStatuses;
  const isInOneOrder = order.field === 'STARTED_AT' && others.length === 0 && status !== undefined;
  return isInOneOrder ? orderedText(bind, list) : pageText(bind, list);
}

/** Rows as an index has them, one after the other, each with its workflow: the one that was asked for is read once. */
function orderedText(bind: Bind, list: List): string {
  const { organizationId, filter, order, slice, isBounded } = list;
  const by = (table: string) => `order by ${ordered([`${table}started_at`, `${table}uuid`], order.direction)}`;
  const workflow =
    filter.workflowUuid === null
      ? joinWorkflow
      : `cross join (select name, workflow_id from workflow
          where organization_id = ${bind(organizationId)} and uuid = ${bind(filter.workflowUuid)}) as w`;
  return `select ${executionColumns}
    from (select * from execution as e where ${matching(bind, organizationId, filter)}
      ${isBounded ? `${by('')} ${endOf(slice)}` : ''}) as e ${workflow}
    ${by('e.')} limit ${bind(slice.limit)} offset ${bind(slice.offset)}`;
}

/** The page is found first, in an index alone; only its rows are then read whole and joined with their workflow. */
function pageText(bind: Bind, list: List): string {
  const { organizationId, order, slice } = list;
  return `select ${executionColumns}
    from (${branches(bind, list)}
      order by ${places('', order)} limit ${bind(slice.limit)} offset ${bind(slice.offset)}) as page
    inner join execution as e on e.organization_id = ${bind(organizationId)} and e.uuid = page.uuid ${joinWorkflow}
    order by ${places('page.', order)}`;
}

/**
 * The indexes hold the status before the time: by time, one branch a status keeps each in order, and the engine merges them.
 * PostgreSQL would rather read all and sort, unless each branch has an end of its own; SQLite would copy such a branch first.
 */
function branches(bind: Bind, { organizationId, filter, order, slice, isBounded }: List): string {
  const place = { ID: 'e.id', STATUS: 'e.status', STARTED_AT: 'e.started_at', CREDIT_USED: 'e.credit_micros' };
  const columns = `${place[order.field]} as place, e.started_at as next_place, e.uuid`;
  const branch = (statuses: readonly ExecutionStatus[] | null) =>
    `select ${columns} from execution as e where ${matching(bind, organizationId, { ...filter, statuses })}`;
  if (order.field !== 'STARTED_AT') return branch(filter.statuses);
  const end = `order by ${places('', order)} ${endOf(slice)}`;
  const statuses = filter.statuses ?? executionStatuses;
  return statuses
    .map((status) => (isBounded ? `select * from (${branch([status])} ${end}) as b` : branch([status])))
    .join(' union all ');
}

/** Part of the text, so that a plan is made for it, and rounded, so that there are few texts. */
function endOf({ offset, limit }: Slice): string {
  return `limit ${2 ** Math.ceil(Math.log2(Math.max(offset + limit, 16)))}`;
}

/** By `place`, which holds what was asked for; then, by status alone, the time; then the uuid. Empty values come last. */
function places(table: 'page.' | '', order: ExecutionOrder): string {
  const columns = order.field === 'STATUS' ? ['place', 'next_place', 'uuid'] : ['place', 'uuid'];
  const isNullable = order.field === 'CREDIT_USED';
  return ordered(
    columns.map((column) => `${table}${column}`),
    order.direction,
    isNullable,
  );
}

function matching(bind: Bind, organizationId: string, filter: Sought): string {
  const conditions = [`e.organization_id = ${bind(organizationId)}`];
  if (filter.uuids) conditions.push(among('e.uuid', filter.uuids, bind));
  if (filter.workflowUuid !== null) conditions.push(`e.workflow_uuid = ${bind(filter.workflowUuid)}`);
  if (filter.statuses) conditions.push(among('e.status', filter.statuses, bind));
  if (filter.span.from !== null) conditions.push(`e.started_at >= ${bind(filter.span.from)}`);
  if (filter.span.until !== null) conditions.push(`e.started_at < ${bind(filter.span.until)}`);
  // Every id that the other conditions leave is read. replace() rather than LIKE: in a search, % and _ are ordinary characters.
  if (filter.search) conditions.push(`length(replace(e.id, ${bind(filter.search.toLowerCase())}, '')) < length(e.id)`);
  return conditions.join(' and ');
}

async function matchingCount(db: Kysely<Tables>, organizationId: string, filter: ExecutionFilter): Promise<number> {
  if (!filter.search) return countExecutions(db, { ...filter, organizationId });
  const wanted = filter.statuses?.length === 0 ? null : await sought(db, organizationId, filter);
  if (wanted === null) return 0;
  const [row] = await ask<{ readonly count: number }>(
    db,
    (bind) => `select count(*) as count from execution as e where ${matching(bind, organizationId, wanted)}`,
  );
  return row?.count ?? 0;
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
