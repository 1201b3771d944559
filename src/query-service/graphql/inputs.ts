/** Validates the inputs of root fields, and limits the number of records of each. */
import { AppError } from '../../shared/errors.ts';
import type { ExecutionOrder, Order, Slice } from '../records/port.ts';
import { dayMs, type Span } from '../records/reads/periods.ts';
import type { DeploymentStatus, ExecutionStatus } from '../records/record.ts';
import type { StoredEvent } from '../records/tables/details.ts';

type Optional<Value> = Value | null | undefined;

type PageInput = { readonly number?: Optional<number>; readonly size?: Optional<number> };

type RangeInput = { readonly from?: Optional<number>; readonly to?: Optional<number> };

type OrderInput<Field> = { readonly field: Field; readonly order: 'ASC' | 'DESC' };

const pageSizeDefault = 10;
const pageSizeMax = 100;
const statusesMax = 10;
const searchLengthMax = 256;
const ownerAddressesMax = 100;

/** @returns the maximum number of entries of a page, also for an invalid size */
function pageLimit(page: Optional<PageInput>): number {
  return Math.min(Math.max(page?.size ?? pageSizeDefault, 1), pageSizeMax);
}

/** @throws AppError `usage` */
function readPage(page: Optional<PageInput>): Slice {
  const number = page?.number ?? 0;
  const size = page?.size ?? pageSizeDefault;
  if (number < 0) throw new AppError('usage', 'page.number must not be negative');
  if (size < 1) throw new AppError('usage', 'page.size must be at least 1');
  if (size > pageSizeMax) throw new AppError('usage', `page.size must be at most ${pageSizeMax}`);
  return { limit: size, offset: number * size };
}

/** @param name of the input field @throws AppError `usage` as `readText` does */
function readOptionalText(name: string, text: Optional<string>): string | null {
  return typeof text === 'string' ? readText(name, text) : null;
}

/** @returns each status once; an empty list stays empty and matches nothing @throws AppError `usage` */
function readStatuses<Status>(statuses: Optional<readonly Status[]>): readonly Status[] | null {
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
function readSearch(search: Optional<string>): string | null {
  if (search === null || search === undefined) return null;
  // A character has at most two units, so longer text is refused without counting.
  if (search.length > 2 * searchLengthMax || [...search].length > searchLengthMax) {
    throw new AppError('usage', `search must be at most ${searchLengthMax} characters`);
  }
  return readText('search', search);
}

/** @param range both ends inclusive, epoch milliseconds @throws AppError `usage` */
function readRange({ from, to }: RangeInput): Span {
  if (typeof from === 'number' && typeof to === 'number' && from > to) {
    throw new AppError('usage', 'from must not be after to');
  }
  return { from: from ?? null, until: typeof to === 'number' ? to + 1 : null };
}

/** @param newestFirst the default order */
function readOrder<Field extends string, Default extends string>(
  orderBy: Optional<OrderInput<Field>>,
  newestFirst: Default,
): Order<Field | Default> {
  return orderBy ? { field: orderBy.field, direction: orderBy.order } : { field: newestFirst, direction: 'DESC' };
}

export type WorkflowsInput = {
  readonly page?: Optional<PageInput>;
  readonly status?: Optional<readonly DeploymentStatus[]>;
  readonly search?: Optional<string>;
  readonly workflowOwnerAddress?: Optional<readonly string[]>;
  readonly orderBy?: Optional<OrderInput<'NAME' | 'STATUS' | 'EXECUTED_AT'>>;
};

/** @throws AppError `usage` */
export function readWorkflowsInput(input: WorkflowsInput) {
  const ownerAddresses = input.workflowOwnerAddress ?? null;
  if (ownerAddresses && ownerAddresses.length > ownerAddressesMax) {
    throw new AppError('usage', `workflowOwnerAddress must have at most ${ownerAddressesMax} values`);
  }
  return {
    filter: { statuses: readStatuses(input.status), search: readSearch(input.search), ownerAddresses },
    order: readOrder(input.orderBy, 'REGISTERED_AT'),
    slice: readPage(input.page),
  };
}

export type WorkflowInput = { readonly uuid: string; readonly from: number };

export type ActivityInput = RangeInput & { readonly workflowUUID?: Optional<string> };

const rangeDaysDefault = 7;
const rangeDaysMax = 366;

/** @throws AppError `usage` */
export function readActivityInput(input: ActivityInput, now: number) {
  const to = input.to ?? now;
  const from = input.from ?? to - rangeDaysDefault * dayMs;
  const span = readRange({ from, to });
  if (to - from > rangeDaysMax * dayMs) {
    throw new AppError('usage', `from and to must be at most ${rangeDaysMax} days apart`);
  }
  return { from, to, span, workflowUuid: readOptionalText('workflowUUID', input.workflowUUID) };
}

export type DeploymentsInput = RangeInput & {
  readonly workflowUUID: string;
  readonly page?: Optional<PageInput>;
  readonly status?: Optional<readonly DeploymentStatus[]>;
  readonly search?: Optional<string>;
  readonly orderBy?: Optional<OrderInput<'WORKFLOW_ID' | 'DEPLOYED_AT'>>;
};

/** @throws AppError `usage` */
export function readDeploymentsInput(input: DeploymentsInput) {
  return {
    filter: {
      workflowUuid: readText('workflowUUID', input.workflowUUID),
      statuses: readStatuses(input.status),
      span: readRange(input),
      search: readSearch(input.search),
    },
    order: readOrder(input.orderBy, 'DEPLOYED_AT'),
    slice: readPage(input.page),
  };
}

export type ExecutionsInput = RangeInput & {
  readonly workflowUuid?: Optional<string>;
  readonly status?: Optional<readonly ExecutionStatus[]>;
  readonly orderBy?: Optional<OrderInput<ExecutionOrder['field']>>;
  readonly page?: Optional<PageInput>;
  readonly search?: Optional<string>;
};

/** @throws AppError `usage` */
export function readExecutionsInput(input: ExecutionsInput) {
  return {
    filter: {
      workflowUuid: readOptionalText('workflowUuid', input.workflowUuid),
      statuses: readStatuses(input.status),
      span: readRange(input),
      search: readSearch(input.search),
    },
    order: readOrder(input.orderBy, 'STARTED_AT'),
    slice: readPage(input.page),
  };
}

export type LogsInput = { readonly workflowExecutionUUID: string };

export type EventsInput = LogsInput & { readonly capabilityID?: Optional<string>; readonly status?: Optional<string> };

/** @returns `isWanted` null without a filter @throws AppError `usage` */
export function readEventsInput(input: EventsInput) {
  const uuid = readText('workflowExecutionUUID', input.workflowExecutionUUID);
  const capabilityId = readOptionalText('capabilityID', input.capabilityID);
  const status = readOptionalText('status', input.status)?.toLowerCase();
  const isFiltered = capabilityId !== null || status !== undefined;
  const isWanted = (event: Pick<StoredEvent, 'capabilityID' | 'status'>) =>
    (capabilityId === null || event.capabilityID === capabilityId) &&
    (status === undefined || event.status.toLowerCase() === status);
  return { uuid, isWanted: isFiltered ? isWanted : null };
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

/** @param input coerced by GraphQL; an error if it is invalid, since nothing is read then @returns the maximum number of records */
export function weightOf(fieldName: string, input: unknown): number {
  const isValid = typeof input === 'object' && input !== null && !(input instanceof Error);
  return isValid ? (weights.get(fieldName)?.(input) ?? 1) : 1;
}
