/** Validates inputs that several operations share, and limits the number of records per root field. */
import { AppError } from '../../../shared/errors.ts';
import type { Order, Slice } from '../../records/port.ts';
import type { Span } from '../../records/reads/periods.ts';

export type Optional<Value> = Value | null | undefined;

export type PageInput = { readonly number?: Optional<number>; readonly size?: Optional<number> };

export type RangeInput = { readonly from?: Optional<number>; readonly to?: Optional<number> };

const pageSizeDefault = 10;
const pageSizeMax = 100;
const statusesMax = 10;
const searchLengthMax = 256;

/** @returns the maximum number of entries of a page, also for an invalid size */
function pageLimit(page: Optional<PageInput>): number {
  return Math.min(Math.max(page?.size ?? pageSizeDefault, 1), pageSizeMax);
}

/** @throws AppError `usage` */
export function readPage(page: Optional<PageInput>): Slice {
  const number = page?.number ?? 0;
  const size = page?.size ?? pageSizeDefault;
  if (number < 0) throw new AppError('usage', 'page.number must not be negative');
  if (size < 1) throw new AppError('usage', 'page.size must be at least 1');
  if (size > pageSizeMax) throw new AppError('usage', `page.size must be at most ${pageSizeMax}`);
  return { limit: size, offset: number * size };
}

/** @param name of the input field @throws AppError `usage` as `readText` does */
export function readOptionalText(name: string, text: Optional<string>): string | null {
  return typeof text === 'string' ? readText(name, text) : null;
}

/** @returns each status once; an empty list stays empty and matches nothing @throws AppError `usage` */
export function readStatuses<Status>(statuses: Optional<readonly Status[]>): readonly Status[] | null {
  if (!statuses) return null;
  if (statuses.length > statusesMax) throw new AppError('usage', `status must have at most ${statusesMax} values`);
  return [...new Set(statuses)];
}

/** @param name of the input field @throws AppError `usage` for text that the databases cannot store */
export function readText(name: string, text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new AppError('usage', `${name} must not contain NUL or half a surrogate pair`);
  }
  return text;
}

/** @throws AppError `usage` */
export function readSearch(search: Optional<string>): string | null {
  if (search === null || search === undefined) return null;
  // A character has at most two units, so longer text is refused without counting.
  if (search.length > 2 * searchLengthMax || [...search].length > searchLengthMax) {
    throw new AppError('usage', `search must be at most ${searchLengthMax} characters`);
  }
  return readText('search', search);
}

/** @param range both ends inclusive, epoch milliseconds @throws AppError `usage` */
export function readRange({ from, to }: RangeInput): Span {
  if (typeof from === 'number' && typeof to === 'number' && from > to) {
    throw new AppError('usage', 'from must not be after to');
  }
  return { from: from ?? null, until: typeof to === 'number' ? to + 1 : null };
}

/** @param newestFirst the default order */
export function readOrder<Field extends string, Default extends string>(
  orderBy: Optional<{ readonly field: Field; readonly order: 'ASC' | 'DESC' }>,
  newestFirst: Default,
): Order<Field | Default> {
  return orderBy ? { field: orderBy.field, direction: orderBy.order } : { field: newestFirst, direction: 'DESC' };
}

type Input = { readonly page?: Optional<PageInput> };

const ofPage = ({ page }: Input) => pageLimit(page);

/**
 * Record limits by root field; every other field counts as one record. Logs have at most 10,000 lines of a kilobyte, so
 * a document may read the logs of one execution. Events are some hundred, and days of activity are small.
 */
const weights = new Map<string, (input: Input) => number>([
  ['workflows', ofPage],
  ['workflowDeployments', ofPage],
  ['workflowExecutions', ofPage],
  ['workflowActivity', () => 100],
  ['workflowExecutionLogs', () => 750],
  ['workflowExecutionEvents', () => 50],
]);

/** @param input coerced by GraphQL; undefined if it is invalid, since nothing is read then */
export function weightOf(fieldName: string, input: unknown): number {
  return typeof input === 'object' && input !== null ? (weights.get(fieldName)?.(input) ?? 1) : 1;
}
