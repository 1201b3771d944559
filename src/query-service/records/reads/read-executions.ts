/** Reads executions: lists, their counts, and one execution. */
import type { ExecutionFilter, ExecutionOrder, Slice } from '../port.ts';
import { idLength, listCost, listCountCost } from '../read-cost.ts';
import { type Bind, type Engine, type Row, type Statement, statement } from '../sql.ts';
import {
  containing,
  type ExecutionColumn,
  executionColumns,
  joinWorkflow,
  listText,
  matching,
  type ResolvedFilter,
} from './execution-list.ts';
import { countExecutions, countText } from './read-counts.ts';
import { rowsOf, type Steps, selectText } from './steps.ts';

/** A search of 5 hexadecimal characters matches about 60 of 16^5 ids: from this length on, up to 500 matches are looked up first. */
const rareLength = 5;
const rareMax = 500;

/** From this offset on, the rows are counted first: an empty deep page would walk far through an index. */
const deepOffset = 10_000;

export type ExecutionQuery = {
  readonly organizationId: string;
  readonly filter: ExecutionFilter;
  readonly order: ExecutionOrder;
  readonly slice: Slice;
};

type ResolvedQuery = ExecutionQuery & { readonly filter: ResolvedFilter };

export function* listExecutions(
  engine: Engine,
  columns: readonly ExecutionColumn[],
  query: ExecutionQuery,
): Steps<readonly Row[]> {
  yield { costs: [listCost(query.filter, query.order, query.slice)] };
  const filter = yield* resolveSearch(engine, query.organizationId, query.filter);
  return filter === null ? [] : yield* listResolved(engine, columns, { ...query, filter });
}

export function* countExecutionList(engine: Engine, organizationId: string, given: ExecutionFilter): Steps<number> {
  yield { costs: [listCountCost(organizationId, given)] };
  const filter = yield* resolveSearch(engine, organizationId, given);
  return filter === null ? 0 : yield* countResolved(engine, organizationId, filter);
}

/**
 * Reads a page and the count of its list. On a server a round trip costs more than the read, so the count is a column
 * of the page. There are three exceptions: a search is resolved first, a deep page is counted first, and a page beyond
 * the last row has no row for the count.
 */
export function* readExecutionPage(
  engine: Engine,
  columns: readonly ExecutionColumn[],
  query: ExecutionQuery,
): Steps<{ readonly rows: readonly Row[]; readonly count: number }> {
  const { organizationId, order, slice } = query;
  yield { costs: [listCost(query.filter, order, slice), listCountCost(organizationId, query.filter)] };
  const filter = yield* resolveSearch(engine, organizationId, query.filter);
  if (filter === null) return { rows: [], count: 0 };
  const isApart = query.filter.search || order.field === 'CREDIT_USED' || slice.offset >= deepOffset;
  if (engine === 'sqlite' || isApart) {
    const rows = yield* listResolved(engine, columns, { ...query, filter });
    return { rows, count: yield* countResolved(engine, organizationId, filter) };
  }
  const also = (bind: Bind) => `${countText(bind, { ...filter, organizationId })} as found`;
  const rows = yield* rowsOf(listStatement(engine, columns, { ...query, filter }, also));
  const first = rows[0];
  if (first !== undefined) return { rows, count: Number(first.at(-1)) };
  return { rows, count: slice.offset > 0 ? yield* countResolved(engine, organizationId, filter) : 0 };
}

export function* readExecution(
  engine: Engine,
  columns: readonly ExecutionColumn[],
  organizationId: string,
  uuid: string,
): Steps<Row | undefined> {
  const text = (bind: Bind) => `select ${selectText(executionColumns, columns)}
    from execution as e ${joinWorkflow(bind, organizationId, columns)}
    where e.organization_id = ${bind(organizationId)} and e.uuid = ${bind(uuid)}`;
  return (yield* rowsOf(statement(engine, text)))[0];
}

function* listResolved(
  engine: Engine,
  columns: readonly ExecutionColumn[],
  query: ResolvedQuery,
): Steps<readonly Row[]> {
  const { organizationId, filter, slice } = query;
  const isBeyond = slice.offset >= deepOffset && slice.offset >= (yield* countResolved(engine, organizationId, filter));
  return isBeyond ? [] : yield* rowsOf(listStatement(engine, columns, query));
}

function listStatement(
  engine: Engine,
  columns: readonly ExecutionColumn[],
  query: ResolvedQuery,
  also?: (bind: Bind) => string,
): Statement {
  const list = { ...query, columns, isBounded: engine === 'postgresql', ...(also && { also }) };
  return statement(engine, (bind) => listText(bind, list));
}

/**
 * Resolves a search to uuids if it is a whole id or likely to be rare. Otherwise the list would read every execution in
 * its order, and the count would read them again. A short search fills a page soon in that order.
 * @returns null if nothing matches
 */
function* resolveSearch(engine: Engine, organizationId: string, filter: ExecutionFilter): Steps<ResolvedFilter | null> {
  if (filter.statuses?.length === 0) return null;
  const { search } = filter;
  if (!search || search.length < rareLength) return filter;
  const isWhole = search.length >= idLength;
  const rows = yield* rowsOf(
    statement(engine, (bind) => {
      const match = isWhole ? `e.id = ${bind(search.toLowerCase())}` : containing(bind, search);
      return `select uuid from execution as e where organization_id = ${bind(organizationId)} and ${match}
        ${isWhole ? '' : `limit ${rareMax + 1}`}`;
    }),
  );
  if (rows.length === 0) return null;
  return rows.length > rareMax ? filter : { ...filter, search: null, uuids: rows.map(([uuid]) => String(uuid)) };
}

function* countResolved(engine: Engine, organizationId: string, filter: ResolvedFilter): Steps<number> {
  if (!filter.search && !filter.uuids) return yield* countExecutions(engine, { ...filter, organizationId });
  const text = (bind: Bind) =>
    `select count(*) as count from execution as e where ${matching(bind, organizationId, filter)}`;
  const [row] = yield* rowsOf(statement(engine, text));
  return Number(row?.[0] ?? 0);
}
