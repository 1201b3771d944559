/** Reads executions: lists by index, logs and events as the text they were written as. */
import type { Kysely } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { ask, type Bind } from './ask.ts';
import { isServer } from './engine.ts';
import { executionColumns, joinWorkflow, listText, matching, type Sought } from './execution-list.ts';
import type { DetailWanted, ExecutionDetail, ExecutionFilter, ExecutionPage, ExecutionRow, Records } from './port.ts';
import { countExecutions, countText } from './read-counts.ts';
import type { ErrorRecord, EventRecord, LogRecord } from './record.ts';
import type { Tables } from './tables.ts';

type Readers = Pick<Records, 'executions' | 'executionCount' | 'executionPage' | 'execution' | 'executionDetail'>;
type Row = Omit<ExecutionRow, 'executedInTee' | 'errors'> & { executedInTee: number | null; errors: string | null };

/** The length of an execution's id: a search this long can only be the whole of it. */
const idLength = 64;

/** What no index answers reads every execution that the filters leave: this many take a file about an eighth of a second. */
const reachMax = 250_000;

/** A page so deep walks far through an index: whether there is such a page is asked first. */
const deepOffset = 10_000;

/** @param db an open database with the tables of migrations.ts */
export function readExecutions(db: Kysely<Tables>): Readers {
  return {
    executions: (...given) => list(db, ...given),
    executionCount: (organizationId, filter) => matchingCount(db, organizationId, filter),
    executionPage: (...given) => page(db, ...given),
    async execution(organizationId, uuid) {
      const [row] = await ask<Row>(
        db,
        (bind) => `select ${executionColumns} from execution as e ${joinWorkflow}
          where e.organization_id = ${bind(organizationId)} and e.uuid = ${bind(uuid)}`,
      );
      return row === undefined ? null : executionRow(row);
    },
    executionDetail: (organizationId, uuid, wanted) => detail(db, organizationId, uuid, wanted),
  };
}

async function list(db: Kysely<Tables>, ...given: Parameters<Records['executions']>): Promise<ExecutionRow[]> {
  const [organizationId, filter, order, slice] = given;
  if (filter.statuses?.length === 0) return [];
  const wanted = await sought(db, organizationId, filter);
  if (wanted === null) return [];
  if (order.field === 'CREDIT_USED') await refuseFarReach(db, organizationId, wanted);
  if (slice.offset >= deepOffset && slice.offset >= (await matchingCount(db, organizationId, filter))) return [];
  const asked = { organizationId, filter: wanted, order, slice, isBounded: isServer(db) };
  return (await ask<Row>(db, (bind) => listText(bind, asked))).map(executionRow);
}

/**
 * On a server a round trip costs more than what is read. A search has to be looked up first, a deep page may be none, and one
 * beyond the last row has no row to carry the total.
 */
async function page(db: Kysely<Tables>, ...given: Parameters<Records['executionPage']>): Promise<ExecutionPage> {
  const [organizationId, filter, order, slice] = given;
  const total = () => matchingCount(db, organizationId, filter);
  const isPlain = !filter.search && filter.statuses?.length !== 0 && order.field !== 'CREDIT_USED';
  if (!isServer(db) || !isPlain || slice.offset >= deepOffset) {
    const [rows, count] = await Promise.all([list(db, ...given), total()]);
    return { rows, count };
  }
  const counted = { ...filter, organizationId };
  const also = (bind: Bind) => `${countText(bind, counted)} as found`;
  const asked = { organizationId, filter, order, slice, isBounded: true, also };
  const rows = await ask<Row & { readonly found: number }>(db, (bind) => listText(bind, asked));
  const count = rows[0]?.found ?? (slice.offset > 0 ? await total() : 0);
  return { rows: rows.map(executionRow), count };
}

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

async function detail(
  db: Kysely<Tables>,
  organizationId: string,
  uuid: string,
  wanted: DetailWanted,
): Promise<ExecutionDetail> {
  const [row] = await ask<{ readonly logs?: string | null; readonly events?: string | null }>(
    db,
    (bind) => `select ${[...wanted].join(', ')} from execution_detail
      where organization_id = ${bind(organizationId)} and uuid = ${bind(uuid)}`,
  );
  return {
    logs: parseList<LogRecord>(row?.logs ?? null) ?? [],
    events: parseList<EventRecord>(row?.events ?? null) ?? [],
  };
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
