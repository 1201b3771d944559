/** Reads lists of executions page by page; services number, order, filter, count and cut pages in different ways. */

import type { Ask } from './client/client.ts';
import { badAnswer, type Outcome } from './client/fault.ts';
import { WorkflowExecutionsDocument, type WorkflowExecutionsInput } from './generated/operations.ts';
import type { ExecutionsFilter } from './parameters.ts';
import type { Execution, ExecutionRows } from './results.ts';
import { lengthOf, newestFirst, type Rows, readRows, rowTypes } from './rows.ts';
import { instant, isWithin, spanOf } from './spans.ts';

export const pageSizeMax = 100;
/** More pages by their number than any list has: a service that answers with new rows for ever is left. */
const numbersMax = 10_000;

export const newestStartFirst = { field: 'STARTED_AT', order: 'DESC' } as const;

/** `count` may be the total or the size of this page: it proves that there is more, never that there is not. */
export function hasMore(rows: Rows<unknown>, count: unknown, before: number, size: number): boolean {
  const got = lengthOf(rows);
  return got >= size || (got > 0 && typeof count === 'number' && count > before + got);
}

/** A service may cut every page to a size of its own: a first page that is short, but of a round length, counts as full. */
export function isOwnPageSize(length: number): boolean {
  return length >= 10 && length % 5 === 0;
}

type Page = { readonly number: number; readonly size: number };
type Raw = { readonly rows: Rows<Execution>; readonly count: unknown };

/** @param bounds.to inclusive; where left out, the window's own end @param bounds.rowsMax how many rows are read at most */
export async function executionPage(
  ask: Ask,
  { workflowUuid, statuses, window }: ExecutionsFilter,
  page: Page,
  { to, rowsMax }: { readonly to?: number | undefined; readonly rowsMax?: number } = {},
): Promise<Outcome<Raw>> {
  const input: WorkflowExecutionsInput = {
    ...(workflowUuid !== undefined && { workflowUuid }),
    ...spanOf(window),
    ...(to !== undefined && { to: instant(to) }),
    orderBy: newestStartFirst,
    page,
  };
  const isChosen = statuses !== undefined && statuses.length > 0;
  const chosen = await ask(WorkflowExecutionsDocument, { input: isChosen ? { ...input, status: statuses } : input });
  // A service may refuse a status that it does not know; ours is known by reading every row.
  const isRefused = isChosen && 'fault' in chosen && chosen.fault.kind === 'refused_question';
  const outcome = isRefused ? await ask(WorkflowExecutionsDocument, { input }) : chosen;
  if ('fault' in outcome) return outcome;
  const part = outcome.value.part('workflowExecutions');
  const rows = readRows(rowTypes.execution, part?.['data'], rowsMax);
  return rows ? { value: { rows, count: part?.['count'] } } : badAnswer('no list of executions in it');
}

/** A service may ignore an order or a filter. */
export function asAsked({ statuses, window }: ExecutionsFilter, rows: readonly Execution[]): readonly Execution[] {
  const isAsked = ({ status, startedAt }: Execution) =>
    (statuses === undefined || statuses.length === 0 || statuses.includes(status)) && isWithin(window, startedAt);
  return newestFirst(rows.filter(isAsked));
}

/** The position of the next page; `isNumbered`: only the page number tells this service's pages apart. */
type PagePosition = {
  readonly to: number | undefined;
  readonly number: number;
  readonly read: number;
  readonly isNumbered: boolean;
};

/**
 * Every execution of the list once, newest first, holding two pages. Reads on by the start of the oldest row rather than
 * by number, so that no page costs more than the first and none is beyond a limit; by number where a service does not
 * keep the order, or where a whole page started at one instant. Ends with the first fault, or with a page that is short
 * or brings nothing new.
 */
export async function* executionPages(ask: Ask, filter: ExecutionsFilter): AsyncGenerator<Outcome<ExecutionRows>> {
  let position: PagePosition = { to: undefined, number: 0, read: 0, isNumbered: false };
  let fullLength: number | undefined;
  let previous: ReadonlySet<string> = new Set();
  while (position.number < numbersMax) {
    const outcome = await executionPage(
      ask,
      filter,
      { number: position.number, size: pageSizeMax },
      { to: position.to },
    );
    if ('fault' in outcome) {
      yield outcome;
      return;
    }
    const { rows, count } = outcome.value;
    const length = lengthOf(rows);
    fullLength ??= isOwnPageSize(length) ? Math.min(length, pageSizeMax) : pageSizeMax;
    const found = rows.rows.filter(({ uuid }) => !previous.has(uuid));
    yield { value: { executions: asAsked(filter, found), unreadable: rows.unreadable } };
    // A page that begins where one ended, in the middle of an instant, may hold nothing new, and the next one does.
    const isNew = found.length > 0 || (position.to !== undefined && position.number === 0);
    const isLast = !isNew || !hasMore(rows, count, position.read, fullLength);
    // What came beyond a page and does not come with the next one either is lost.
    if (isLast && rows.surplus > 0) yield { value: { executions: [], unreadable: rows.surplus } };
    if (isLast) return;
    previous = new Set(rows.rows.map(({ uuid }) => uuid));
    position = positionAfter(position, rows.rows, length);
  }
  yield badAnswer('a list without end');
}

function positionAfter(
  { to, number, read, isNumbered }: PagePosition,
  rows: readonly Execution[],
  length: number,
): PagePosition {
  const starts = rows.map(({ startedAt }) => Date.parse(startedAt));
  const isInOrder = starts.every((start, index) => index === 0 || start <= (starts[index - 1] ?? start));
  // What ignores the end gives newer rows than were asked for.
  const isEndKept = to === undefined || starts.every((start) => start <= to);
  // A millisecond on, since a start may be finer than that, and an end may be exclusive.
  const next = (starts.at(-1) ?? Number.POSITIVE_INFINITY) + 1;
  const mustNumber = isNumbered || !isInOrder || !isEndKept;
  if (!mustNumber && next < (to ?? Number.POSITIVE_INFINITY)) {
    return { to: next, number: 0, read: 0, isNumbered: false };
  }
  return { to, number: number + 1, read: read + length, isNumbered: mustNumber };
}
