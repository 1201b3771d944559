/**
 * The cost of each read, as the maximum number of rows that the database visits. Reads that an index and the page bound
 * run at once. Unbounded reads run where they block no other reads: on SQLite in a worker thread, on PostgreSQL over
 * separate connections.
 */

import type { ExecutionFilter, ExecutionOrder, Slice } from './port.ts';
import { hourMs, type Span, segmentsOf, startOfPeriod } from './reads/periods.ts';
import { wholeOrganization } from './tables/roll-up.ts';

/** Rows whose number only the database knows. An index lookup shows if they are few. */
export type RowGroup =
  | { readonly of: 'workflows'; readonly organizationId: string }
  | { readonly of: 'deployments'; readonly organizationId: string; readonly workflowUuid: string }
  /** Executions that started in these hours (given by their starts): the edges of a span, which are counted one by one. */
  | {
      readonly of: 'hours';
      readonly organizationId: string;
      readonly workflowUuid: string;
      readonly hours: readonly [number, number];
    };

/** `bounded`, `unbounded`, or a group of rows: bounded if the group is small. */
export type ReadCost = 'bounded' | 'unbounded' | RowGroup;

/** Rows of a group that a bounded read may visit. Each workflow takes one index lookup per status. */
export const rowGroupMax = { workflows: 200, deployments: 1_000, hours: 5_000 } as const;
/** The largest offset of a bounded page. */
export const offsetMax = 2_000;

/**
 * Maximum charge for a bounded statement, in milliseconds. The rest of its time is a wait for a busy machine, which
 * another key's searches may cause.
 */
export const boundedChargeMaxMs = 5;

/** The length of an execution's id: a search this long can only be a whole id, which an index finds. */
export const idLength = 64;

/** An index returns the rows in order of time. Any other order sorts, and a search reads every row that passes the filter. */
export function listCost(filter: ExecutionFilter, order: ExecutionOrder, slice: Slice): ReadCost {
  const isOrdered = order.field === 'STARTED_AT' || isWholeId(filter.search);
  return isOrdered && !isScan(filter) && slice.offset <= offsetMax ? 'bounded' : 'unbounded';
}

export function listCountCost(organizationId: string, filter: ExecutionFilter): ReadCost {
  if (isScan(filter)) return 'unbounded';
  return isWholeId(filter.search) ? 'bounded' : countCost(organizationId, filter.workflowUuid, filter.span);
}

/** Whole hours and days are in the roll-up. @param workflowUuid null for the whole organization */
export function countCost(organizationId: string, workflowUuid: string | null, span: Span): ReadCost {
  const edges = segmentsOf(span).filter(({ periodMs }) => periodMs === null);
  const [first] = edges;
  const last = edges.at(-1);
  if (first === undefined || last === undefined) return 'bounded';
  const hours = [startOfPeriod(first.from, hourMs), startOfPeriod(last.until - 1, hourMs)] as const;
  return { of: 'hours', organizationId, workflowUuid: workflowUuid ?? wholeOrganization, hours };
}

function isScan({ search }: ExecutionFilter): boolean {
  return Boolean(search) && !isWholeId(search);
}

function isWholeId(search: string | null): boolean {
  return search !== null && search.length >= idLength;
}
