/** Builds the SQL of a list of executions, so that each engine reads the rows in the order of an index. */

import type { ExecutionFilter, ExecutionOrder, Slice } from '../port.ts';
import type { ExecutionStatus } from '../record.ts';
import { type Bind, limitText } from '../sql.ts';
import { executionStatuses } from './read-counts.ts';
import { selectText } from './steps.ts';

/** A filter whose search may already be resolved to the uuids that it finds. */
export type ResolvedFilter = ExecutionFilter & { readonly uuids?: readonly string[] };

export const executionColumns = {
  organizationId: 'e.organization_id',
  uuid: 'e.uuid',
  id: 'e.id',
  workflowUuid: 'e.workflow_uuid',
  status: 'e.status',
  classifiedStatus: 'e.classified_status',
  detailedStatus: 'e.detailed_status',
  startedAt: 'e.started_at',
  finishedAt: 'e.finished_at',
  creditMicros: 'e.credit_micros',
  executedInTee: 'e.executed_in_tee',
  errors: 'e.errors',
  workflowName: 'w.name',
  workflowId: 'w.workflow_id',
} as const;

export type ExecutionColumn = keyof typeof executionColumns;

/** @returns the join with the workflow, without which the columns would be incomplete; empty if they do not need it */
export function joinWorkflow(bind: Bind, organizationId: string, columns: readonly ExecutionColumn[]): string {
  return isOfWorkflow(columns)
    ? `inner join workflow as w on w.organization_id = ${bind(organizationId)} and w.uuid = e.workflow_uuid`
    : '';
}

function isOfWorkflow(columns: readonly ExecutionColumn[]): boolean {
  return columns.includes('workflowName') || columns.includes('workflowId');
}

export type ExecutionList = {
  readonly organizationId: string;
  readonly filter: ResolvedFilter;
  readonly order: ExecutionOrder;
  readonly slice: Slice;
  readonly columns: readonly ExecutionColumn[];
  /** True if subqueries in index order have a limit. */
  readonly isBounded: boolean;
  /** An additional last column, the same in every row. */
  readonly also?: (bind: Bind) => string;
};

export function listText(bind: Bind, list: ExecutionList): string {
  const isOneStretch = list.order.field === 'STARTED_AT' && list.filter.statuses?.length === 1;
  return isOneStretch ? stretchText(bind, list) : pageText(bind, list);
}

function columnsOf(bind: Bind, { columns, also }: ExecutionList): string {
  const own = selectText(executionColumns, columns);
  return also ? `${own}, ${also(bind)}` : own;
}

/** Rows of one status in the order of an index, joined with their workflow. A single workflow is read once. */
function stretchText(bind: Bind, list: ExecutionList): string {
  const { organizationId, filter, order, slice, columns, isBounded } = list;
  const by = (table: string) => `order by ${table}started_at ${order.direction}, ${table}uuid ${order.direction}`;
  const workflow =
    filter.workflowUuid === null || !isOfWorkflow(columns)
      ? joinWorkflow(bind, organizationId, columns)
      : `cross join (select name, workflow_id from workflow
          where organization_id = ${bind(organizationId)} and uuid = ${bind(filter.workflowUuid)}) as w`;
  return `select ${columnsOf(bind, list)}
    from (select * from execution as e where ${matching(bind, organizationId, filter, !isBounded)}
      ${isBounded ? `${by('')} ${endOf(slice)}` : ''}) as e ${workflow}
    ${by('e.')} ${limitText(bind, slice)}`;
}

/** Finds the page in an index first; reads and joins only its rows. */
function pageText(bind: Bind, list: ExecutionList): string {
  const { organizationId, order, slice, columns } = list;
  return `select ${columnsOf(bind, list)}
    from (${branches(bind, list)}
      order by ${sortKeys('', order)} ${limitText(bind, slice)}) as page
    inner join execution as e on e.organization_id = ${bind(organizationId)} and e.uuid = page.uuid
    ${joinWorkflow(bind, organizationId, columns)}
    order by ${sortKeys('page.', order)}`;
}

/**
 * The indexes contain the status before the time. For an order by time, one branch per status is in order, and the
 * engine merges the branches. PostgreSQL would read and sort all rows unless each branch has a limit; SQLite would copy
 * a branch that has one.
 */
function branches(bind: Bind, { organizationId, filter, order, slice, isBounded }: ExecutionList): string {
  const sortColumns = { ID: 'e.id', STATUS: 'e.status', STARTED_AT: 'e.started_at', CREDIT_USED: 'e.credit_micros' };
  const columns = `${sortColumns[order.field]} as sort_key, e.started_at as next_sort_key, e.uuid`;
  const branch = (statuses: readonly ExecutionStatus[] | null) =>
    `select ${columns} from execution as e where ${matching(bind, organizationId, { ...filter, statuses }, !isBounded)}`;
  const end = `order by ${sortKeys('', order)} ${endOf(slice)}`;
  const ended = (text: string) => (isBounded ? `select * from (${text} ${end}) as b` : text);
  const statuses = filter.statuses ?? executionStatuses;
  if (order.field === 'STARTED_AT') return statuses.map((status) => ended(branch([status]))).join(' union all ');
  // On SQLite an index that begins with the status visits the rows nearly in their order on the disk.
  return ended(branch(order.field === 'CREDIT_USED' && !isBounded ? statuses : filter.statuses));
}

/** The limit is part of the text, so that the planner sees it, and rounded, so that there are few distinct texts. */
function endOf({ offset, limit }: Slice): string {
  return `limit ${2 ** Math.ceil(Math.log2(Math.max(offset + limit, 16)))}`;
}

/** Orders by `sort_key`, which contains the requested column, then by time for a status, then by uuid. Nulls come last. */
function sortKeys(table: 'page.' | '', order: ExecutionOrder): string {
  const columns = order.field === 'STATUS' ? ['sort_key', 'next_sort_key', 'uuid'] : ['sort_key', 'uuid'];
  // Only credits can be null. For other columns `nulls last` would keep an engine from reading an index backwards.
  const nulls = order.field === 'CREDIT_USED' ? ' nulls last' : '';
  return columns.map((column) => `${table}${column} ${order.direction}${nulls}`).join(', ');
}

/** Reads every id that passes the other conditions. In a search, % and _ are ordinary characters. */
export function containing(bind: Bind, search: string): string {
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return `e.id like ${bind(pattern)} escape '\\'`;
}

/** @param hasFailureIndex true if there is an index of failures alone */
export function matching(bind: Bind, organizationId: string, filter: ResolvedFilter, hasFailureIndex = false): string {
  const conditions = [`e.organization_id = ${bind(organizationId)}`];
  if (filter.uuids) conditions.push(`e.uuid in (${filter.uuids.map(bind).join(', ')})`);
  if (filter.workflowUuid !== null) conditions.push(`e.workflow_uuid = ${bind(filter.workflowUuid)}`);
  // As part of the text, so that the planner sees that the index has every row.
  if (hasFailureIndex && filter.statuses?.join() === 'FAILURE') conditions.push(`e.status = 'FAILURE'`);
  else if (filter.statuses) conditions.push(`e.status in (${filter.statuses.map(bind).join(', ')})`);
  if (filter.span.from !== null) conditions.push(`e.started_at >= ${bind(filter.span.from)}`);
  if (filter.span.until !== null) conditions.push(`e.started_at < ${bind(filter.span.until)}`);
  if (filter.search) conditions.push(containing(bind, filter.search));
  return conditions.join(' and ');
}
