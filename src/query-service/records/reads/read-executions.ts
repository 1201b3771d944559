/** Reads executions, their logs and their events. */
import type { Kysely } from 'kysely';
import type {
  DetailWanted,
  ExecutionDetail,
  ExecutionFilter,
  ExecutionOrder,
  ExecutionPage,
  ExecutionRow,
  Records,
  Slice,
} from '../port.ts';
import { idLength } from '../read-cost.ts';
import type { ErrorRecord, EventRecord, LogRecord } from '../record.ts';
import { type Bind, isServer, runQuery } from '../sql.ts';
import type { Tables } from '../tables/tables.ts';
import {
  containing,
  executionColumns,
  joinWorkflow,
  listText,
  matching,
  type ResolvedFilter,
} from './execution-list.ts';
import { type ConcurrencyLimit, parseList, parseLongList } from './parse-list.ts';
import { countExecutions, countText } from './read-counts.ts';

type Readers = Pick<Records, 'executions' | 'executionCount' | 'executionPage' | 'execution' | 'executionDetail'>;
type Row = Omit<ExecutionRow, 'executedInTee' | 'errors'> & { executedInTee: number | null; errors: string | null };

/** A search of 5 hexadecimal characters matches about 60 of 16^5 ids: from this length on, up to 500 matches are looked up first. */
const rareLength = 5;
const rareMax = 500;

/** From this offset on, the rows are counted first: an empty deep page would walk far through an index. */
const deepOffset = 10_000;

/** @param db an open database with the tables of migrations.ts @param limitLongText runs each read of a long text */
export function readExecutions(db: Kysely<Tables>, limitLongText: ConcurrencyLimit): Readers {
  return {
    executions: (...given) => list(db, ...given),
    async executionCount(organizationId, filter) {
      const wanted = await resolveSearch(db, organizationId, filter);
      return wanted === null ? 0 : countResolved(db, organizationId, wanted);
    },
    executionPage: (...given) => page(db, ...given),
    async execution(organizationId, uuid) {
      const [row] = await runQuery<Row>(
        db,
        (bind) => `select ${executionColumns} from execution as e ${joinWorkflow}
          where e.organization_id = ${bind(organizationId)} and e.uuid = ${bind(uuid)}`,
      );
      return row === undefined ? null : executionRow(row);
    },
    executionDetail: (organizationId, uuid, wanted) => detail({ db, limitLongText }, organizationId, uuid, wanted),
  };
}

async function list(db: Kysely<Tables>, ...given: Parameters<Records['executions']>): Promise<readonly ExecutionRow[]> {
  const [organizationId, filter, order, slice] = given;
  const wanted = await resolveSearch(db, organizationId, filter);
  return wanted === null ? [] : listResolved(db, organizationId, wanted, order, slice);
}

async function listResolved(
  db: Kysely<Tables>,
  organizationId: string,
  filter: ResolvedFilter,
  order: ExecutionOrder,
  slice: Slice,
): Promise<readonly ExecutionRow[]> {
  if (slice.offset >= deepOffset && slice.offset >= (await countResolved(db, organizationId, filter))) return [];
  const query = { organizationId, filter, order, slice, isBounded: isServer(db) };
  return (await runQuery<Row>(db, (bind) => listText(bind, query))).map(executionRow);
}

/**
 * Reads a page and the count of its list. On a server a round trip costs more than the read, so the count is a column
 * of the page. There are three exceptions: a search is resolved first, a deep page is counted first, and a page beyond
 * the last row has no row for the count.
 */
async function page(db: Kysely<Tables>, ...given: Parameters<Records['executionPage']>): Promise<ExecutionPage> {
  const [organizationId, filter, order, slice] = given;
  const wanted = await resolveSearch(db, organizationId, filter);
  if (wanted === null) return { rows: [], count: 0 };
  const total = () => countResolved(db, organizationId, wanted);
  if (!isServer(db) || filter.search || order.field === 'CREDIT_USED' || slice.offset >= deepOffset) {
    const [rows, count] = await Promise.all([listResolved(db, organizationId, wanted, order, slice), total()]);
    return { rows, count };
  }
  const counted = { ...filter, organizationId };
  const also = (bind: Bind) => `${countText(bind, counted)} as found`;
  const query = { organizationId, filter, order, slice, isBounded: true, also };
  const rows = await runQuery<Row & { readonly found: number }>(db, (bind) => listText(bind, query));
  const count = rows[0]?.found ?? (slice.offset > 0 ? await total() : 0);
  return { rows: rows.map(executionRow), count };
}

/**
 * Resolves a search to uuids if it is a whole id or likely to be rare. Otherwise the list would read every execution in
 * its order, and the count would read them again. A short search fills a page soon in that order.
 * @returns null if nothing matches
 */
async function resolveSearch(
  db: Kysely<Tables>,
  organizationId: string,
  filter: ExecutionFilter,
): Promise<ResolvedFilter | null> {
  if (filter.statuses?.length === 0) return null;
  const { search } = filter;
  if (!search || search.length < rareLength) return filter;
  const isWhole = search.length >= idLength;
  const rows = await runQuery<{ readonly uuid: string }>(db, (bind) => {
    const match = isWhole ? `e.id = ${bind(search.toLowerCase())}` : containing(bind, search);
    return `select uuid from execution as e where organization_id = ${bind(organizationId)} and ${match}
      ${isWhole ? '' : `limit ${rareMax + 1}`}`;
  });
  if (rows.length === 0) return null;
  return rows.length > rareMax ? filter : { ...filter, search: null, uuids: rows.map((row) => row.uuid) };
}

async function countResolved(db: Kysely<Tables>, organizationId: string, filter: ResolvedFilter): Promise<number> {
  if (!filter.search && !filter.uuids) return countExecutions(db, { ...filter, organizationId });
  const [row] = await runQuery<{ readonly count: number }>(
    db,
    (bind) => `select count(*) as count from execution as e where ${matching(bind, organizationId, filter)}`,
  );
  return row?.count ?? 0;
}

/** Bytes of logs or events that are read without `longTextLimit`. */
const shortText = 262_144;

type DetailRow = {
  readonly logs?: string | null;
  readonly events?: string | null;
  readonly logs_length?: number | null;
  readonly events_length?: number | null;
};

/** The length is stored in the row, so reading it does not read a long text. */
async function detail(
  { db, limitLongText }: { readonly db: Kysely<Tables>; readonly limitLongText: ConcurrencyLimit },
  organizationId: string,
  uuid: string,
  wanted: DetailWanted,
): Promise<ExecutionDetail> {
  const read = (columns: readonly string[]) =>
    runQuery<DetailRow>(
      db,
      (bind) => `select ${columns.join(', ')} from execution_detail
        where organization_id = ${bind(organizationId)} and uuid = ${bind(uuid)}`,
    );
  const [row] = await read(
    [...wanted].flatMap((list) => [
      `case when octet_length(${list}) <= ${shortText} then ${list} end as ${list}`,
      `octet_length(${list}) as ${list}_length`,
    ]),
  );
  const long = [...wanted].filter((list) => (row?.[`${list}_length`] ?? 0) > shortText);
  if (long.length === 0) return parsed(row);
  return limitLongText(async () => parsed({ ...row, ...(await read(long))[0] }));
}

async function parsed(row: DetailRow | undefined): Promise<ExecutionDetail> {
  return {
    logs: (await parseLongList<LogRecord>(row?.logs ?? null)) ?? [],
    events: (await parseLongList<EventRecord>(row?.events ?? null)) ?? [],
  };
}

/** Mutates the row, which has no other reference: a copy would cost more than everything else here. */
function executionRow(row: Row): ExecutionRow {
  return Object.assign(row, {
    executedInTee: row.executedInTee === null ? null : row.executedInTee === 1,
    errors: parseList<ErrorRecord>(row.errors),
  });
}
