/** Lists of executions: one page, the failures of a window, or all of them page by page. */
import type { Operation } from '../cache/answers.ts';
import type { Stream } from '../cache/streams.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, faultOf } from '../client/fault.ts';
import { WorkflowExecutionsDocument, type WorkflowExecutionsInput } from '../generated/operations.ts';
import type { ExecutionsFilter } from '../parameters.ts';
import type { Execution, ExecutionPage, ExecutionRows, FailureList } from '../results.ts';
import {
  hasMore,
  isOwnPageSize,
  lackWords,
  lengthOf,
  newestFirst,
  newestStartFirst,
  type Page,
  pageSizeMax,
  readPage,
  rowTypes,
  unreadableWords,
} from '../rows.ts';
import { instant, isWithin, spanOf, windowedBy } from '../spans.ts';

const freshMs = 25_000;
/** If an execution is still running. */
const changingFreshMs = 10_000;

const failuresDefaultMax = 2000;
/** Limit of all error texts together; an outage may produce very long ones. */
const errorUnitsMax = 4 * 1024 * 1024;

export type ExecutionsPageFilter = ExecutionsFilter & { readonly page: number; readonly size: number };

export function executionsOperation(filter: ExecutionsPageFilter): Operation<ExecutionPage> {
  const { page, size } = filter;
  return {
    name: 'executions',
    ...keyedBy(filter, page, size),
    subject: 'the runs',
    freshMs: ({ executions }) => (executions.every(hasEnded) ? freshMs : changingFreshMs),
    read: async (ask) => {
      const read = await executionPage(ask, filter, { number: page, size }, { rowsMax: size });
      const executions = orderedAndFiltered(filter, read.rows);
      const isMore = hasMore(read, page * size, size);
      // A service that ignores the filter counts what the list leaves out.
      const isFiltered = executions.length === read.rows.length;
      const total = isFiltered ? totalOf(read.count, page * size + lengthOf(read), isMore) : null;
      return { data: { executions, hasMore: isMore, total }, missing: lackWords(read, 'runs') };
    },
  };
}

/** @param count the total or the size of the page, by service: the total if it exceeds what was read */
function totalOf(count: unknown, read: number, isMore: boolean): number | null {
  if (typeof count === 'number' && Number.isSafeInteger(count) && count > read) return count;
  return isMore ? null : read;
}

export type FailuresFilter = Omit<ExecutionsFilter, 'statuses'> & { readonly max?: number };

export function failuresOperation({ max = failuresDefaultMax, ...rest }: FailuresFilter): Operation<FailureList> {
  const filter: ExecutionsFilter = { ...rest, statuses: ['FAILURE'] };
  return {
    name: 'failures',
    ...keyedBy(filter, max),
    subject: 'the failures',
    freshMs: () => freshMs,
    read: async (ask) => {
      const found = new Map<string, Execution>();
      let unreadable = 0;
      let errorUnits = 0;
      const answer = (isCut: boolean, ...missing: readonly string[]) => ({
        data: { executions: newestFirst([...found.values()]).slice(0, max), isCut },
        missing: [...unreadableWords(unreadable, 'failures'), ...missing],
      });
      try {
        for await (const page of executionPages(ask, filter)) {
          unreadable += page.unreadable;
          for (const execution of page.executions) {
            found.set(execution.uuid, execution);
            errorUnits += (execution.errors ?? []).reduce((sum, { error }) => sum + error.length, 0);
          }
          if (found.size > max || errorUnits > errorUnitsMax) return answer(true);
        }
        return answer(false);
      } catch (error) {
        if (found.size === 0 || faultOf(error).kind === 'unauthorized') throw error;
        return answer(true, `the failures after the first ${found.size}`);
      }
    },
  };
}

export function eachExecutionStream(filter: ExecutionsFilter): Stream<ExecutionRows> {
  return { subject: 'the runs', pages: (ask) => executionPages(ask, filter) };
}

function keyedBy(filter: ExecutionsFilter, ...others: readonly number[]) {
  return windowedBy(filter, filter.workflowUuid ?? '', (filter.statuses ?? []).toSorted().join(), ...others);
}

export function hasEnded({ status }: { readonly status: string }): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** More pages than any list has: ends a list that never ends. */
const numbersMax = 10_000;

/** @param bounds.to inclusive; the window's end if left out @param bounds.rowsMax largest number of rows that are read */
async function executionPage(
  ask: Ask,
  { workflowUuid, statuses, window }: ExecutionsFilter,
  page: { readonly number: number; readonly size: number },
  { to, rowsMax }: { readonly to?: number | undefined; readonly rowsMax?: number } = {},
): Promise<Page<Execution>> {
  const input: WorkflowExecutionsInput = {
    ...(workflowUuid !== undefined && { workflowUuid }),
    ...spanOf(window),
    ...(to !== undefined && { to: instant(to) }),
    orderBy: newestStartFirst,
    page,
  };
  const isChosen = statuses !== undefined && statuses.length > 0;
  const chosen = ask(WorkflowExecutionsDocument, { input: isChosen ? { ...input, status: statuses } : input });
  // A service may refuse a status that it does not know; then every row is read and filtered here.
  const reply = await chosen.catch((error: unknown) => {
    const { kind, isTooCostly } = faultOf(error);
    if (!isChosen || kind !== 'invalid_request' || isTooCostly) throw error;
    return ask(WorkflowExecutionsDocument, { input });
  });
  return readPage(rowTypes.execution, reply.part('workflowExecutions'), 'executions', rowsMax);
}

/** Orders and filters again: a service may ignore either. */
function orderedAndFiltered({ statuses, window }: ExecutionsFilter, rows: readonly Execution[]): readonly Execution[] {
  const isWanted = ({ status, startedAt }: Execution) =>
    (statuses === undefined || statuses.length === 0 || statuses.includes(status)) && isWithin(window, startedAt);
  return newestFirst(rows.filter(isWanted));
}

/** The position of the next page; `isNumbered`: pages of this service differ only by their number. */
type PagePosition = {
  readonly to: number | undefined;
  readonly number: number;
  readonly read: number;
  readonly isNumbered: boolean;
};

/**
 * Yields every execution once, newest first, with two pages in memory. The next page begins at the start of the oldest row, so
 * that no page costs more than the first and none exceeds a limit. It goes by number if a service ignores the order, or if a
 * whole page started at one instant. Ends with a page that is short or has nothing new.
 */
async function* executionPages(ask: Ask, filter: ExecutionsFilter): AsyncGenerator<ExecutionRows> {
  let position: PagePosition = { to: undefined, number: 0, read: 0, isNumbered: false };
  let fullLength: number | undefined;
  let previous: ReadonlySet<string> = new Set();
  while (position.number < numbersMax) {
    const { to, number, read } = position;
    const page = await executionPage(ask, filter, { number, size: pageSizeMax }, { to });
    const length = lengthOf(page);
    fullLength ??= isOwnPageSize(length) ? Math.min(length, pageSizeMax) : pageSizeMax;
    const found = page.rows.filter(({ uuid }) => !previous.has(uuid));
    yield { executions: orderedAndFiltered(filter, found), unreadable: page.unreadable };
    // A page that begins in the middle of an instant may have nothing new although the next one does.
    const isNew = found.length > 0 || (to !== undefined && number === 0);
    const isLast = !isNew || !hasMore(page, read, fullLength);
    // Surplus rows that the next page does not repeat are lost.
    if (isLast && page.surplus > 0) yield { executions: [], unreadable: page.surplus };
    if (isLast) return;
    previous = new Set(page.rows.map(({ uuid }) => uuid));
    position = positionAfter(position, page.rows, length);
  }
  throw badAnswer('a list without end');
}

function positionAfter(
  { to, number, read, isNumbered }: PagePosition,
  rows: readonly Execution[],
  length: number,
): PagePosition {
  const starts = rows.map(({ startedAt }) => Date.parse(startedAt));
  const isInOrder = starts.every((start, index) => index === 0 || start <= (starts[index - 1] ?? start));
  // A service that ignores the end returns newer rows.
  const isEndRespected = to === undefined || starts.every((start) => start <= to);
  // One millisecond later: a start may be finer, and an end may be exclusive.
  const next = (starts.at(-1) ?? Number.POSITIVE_INFINITY) + 1;
  const mustNumber = isNumbered || !isInOrder || !isEndRespected;
  if (!mustNumber && next < (to ?? Number.POSITIVE_INFINITY)) {
    return { to: next, number: 0, read: 0, isNumbered: false };
  }
  return { to, number: number + 1, read: read + length, isNumbered: mustNumber };
}
