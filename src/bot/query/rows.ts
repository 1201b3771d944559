/** Reads untrusted rows, counts and credits of the service. Unreadable rows are left out and counted. */
import { z } from 'zod';
import type { JsonRecord } from '../../shared/json.ts';
import { mapCooperatively } from '../../shared/time/cooperative.ts';
import { badAnswer } from './client/fault.ts';
import type { Reply } from './client/reply.ts';
import type {
  ActivityBucket,
  CountedDeployment,
  Deployment,
  DeploymentDetail,
  DetailedExecution,
  Execution,
  ExecutionCounts,
  ExecutionEvent,
  ExecutionId,
  ExecutionResult,
  LogLine,
  Member,
  Organization,
  Workflow,
  WorkflowName,
} from './results.ts';

/** Go's zero time means that there is no time. */
const noTime = '0001-01-01T00:00:00Z';

function isTime(text: string): boolean {
  return text !== noTime && !Number.isNaN(Date.parse(text));
}

const time = z.string().refine(isTime);
const optionalTime = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => (typeof text === 'string' && isTime(text) ? text : null));
const text = z.string();
const optionalText = z
  .string()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);
/** Identifies the row; without it the row is unreadable. */
const key = z.string().min(1);
const amount = z.int().min(0);

const countByStatus = z.object({ success: amount, failure: amount });

/** Far more than an execution has nodes. */
const errorsMax = 5000;

const errorList = z
  .preprocess(
    (list) => (Array.isArray(list) ? list.slice(0, errorsMax) : list),
    z.array(z.object({ error: text.catch(''), count: amount.catch(0) }).catch({ error: '', count: 0 })).nullish(),
  )
  .nullish()
  .catch(null)
  .transform((list) => list ?? null);

const execution = z.object({
  uuid: key,
  id: text.catch(''),
  workflowName: text.catch(''),
  status: text.catch('UNKNOWN'),
  classifiedStatus: optionalText,
  detailedStatus: optionalText,
  startedAt: time,
  finishedAt: optionalTime,
  errors: errorList,
});

const deployment = z.object({
  uuid: key,
  status: text.catch('UNKNOWN'),
  deployedAt: time,
  errorMessage: optionalText,
});

const deploymentDetail = deployment.extend({
  txHash: optionalText,
  binaryURL: optionalText,
  configURL: optionalText,
});

const workflowName = z.object({ uuid: key, name: text, workflowId: text.catch(''), status: text.catch('UNKNOWN') });

export const rowTypes = {
  workflowName: workflowName satisfies z.ZodType<WorkflowName>,
  workflow: workflowName.extend({
    registeredAt: text.catch(''),
    executedAt: optionalTime,
    executionCountByStatus: countByStatus.nullable().catch(null),
  }) satisfies z.ZodType<Workflow>,
  execution: execution satisfies z.ZodType<Execution>,
  executionResult: z.object({
    uuid: key,
    status: text,
    detailedStatus: optionalText,
    startedAt: time,
  }) satisfies z.ZodType<ExecutionResult>,
  executionId: z.object({
    uuid: key,
    id: text,
    workflowName: text.catch(''),
    status: text.catch('UNKNOWN'),
    startedAt: time,
  }) satisfies z.ZodType<ExecutionId>,
  detailedExecution: execution
    .extend({
      workflowUUID: key.nullable().catch(null),
    })
    .transform(({ workflowUUID, ...rest }) => ({
      ...rest,
      workflowUuid: workflowUUID,
    })) satisfies z.ZodType<DetailedExecution>,
  event: z.object({
    capabilityID: text.catch(''),
    status: text.catch('UNKNOWN'),
    method: optionalText,
    startedAt: time,
    finishedAt: optionalTime,
    errors: errorList,
  }) satisfies z.ZodType<ExecutionEvent>,
  logLine: z.object({ nodeID: text.catch(''), message: text, timestamp: time }) satisfies z.ZodType<LogLine>,
  deployment: deployment satisfies z.ZodType<Deployment>,
  deploymentDetail: deploymentDetail satisfies z.ZodType<DeploymentDetail>,
  countedDeployment: deploymentDetail.extend({
    executionCountByStatus: countByStatus.nullable().catch(null),
  }) satisfies z.ZodType<CountedDeployment>,
  organization: z.object({
    organizationId: key,
    displayName: text,
    restrictionStatus: text.catch('UNKNOWN'),
    activeStatus: text.catch('UNKNOWN'),
  }) satisfies z.ZodType<Organization>,
  member: z.object({
    memberId: key,
    displayName: text.catch(''),
    memberStatus: text.catch('UNKNOWN'),
    memberType: optionalText,
    createdAt: text.catch(''),
  }) satisfies z.ZodType<Member>,
  bucket: z.object({
    from: time,
    to: time,
    successCount: amount,
    failureCount: amount,
  }) satisfies z.ZodType<ActivityBucket>,
} as const;

export type Rows<Row> = {
  readonly rows: readonly Row[];
  readonly unreadable: number;
  /** Number of rows beyond the limit, which are not read: a service may ignore the size of a page. */
  readonly surplus: number;
};

/** More than any page has. */
const rowsMax = 1000;

/**
 * @param max largest number of rows that are read
 * @returns undefined if it is no list; an unreadable item is counted
 */
export function readRows<Row>(schema: z.ZodType<Row>, list: unknown, max = rowsMax): Rows<Row> | undefined {
  if (!Array.isArray(list)) return undefined;
  const read = list.slice(0, max);
  const rows = read.flatMap((item) => readRow(schema, item) ?? []);
  return { rows, unreadable: read.length - rows.length, surplus: list.length - read.length };
}

/** As `readRows`, for long lists: yields to other work in between. */
export async function readManyRows<Row>(
  schema: z.ZodType<Row>,
  list: unknown,
  max: number,
): Promise<Rows<Row> | undefined> {
  if (!Array.isArray(list)) return undefined;
  const read = await mapCooperatively(list.slice(0, max), (item) => readRow(schema, item));
  const rows = read.filter((row) => row !== undefined);
  return { rows, unreadable: read.length - rows.length, surplus: list.length - read.length };
}

/** Some services say with null, and no error, that there are none. @returns undefined for a list that is unreadable or failed */
export function rowsOf<Row, Data>(
  schema: z.ZodType<Row>,
  reply: Reply<Data>,
  name: Extract<keyof Data, string>,
): Rows<Row> | undefined {
  return readRows(schema, listOf(reply, name));
}

/** @returns the untrusted list of one part; an empty one for null without an error */
export function listOf<Data>(reply: Reply<Data>, name: Extract<keyof Data, string>): unknown {
  const part = reply.part(name);
  const list = part?.['data'] ?? null;
  return list === null && part && !reply.hasFailed(name) ? [] : list;
}

/** Number of all rows, readable or not. */
export function lengthOf({ rows, unreadable, surplus }: Rows<unknown>): number {
  return rows.length + unreadable + surplus;
}

/** The largest page that the service gives. */
export const pageSizeMax = 100;

export const newestStartFirst = { field: 'STARTED_AT', order: 'DESC' } as const;

/** `count`: the total or the size of this page, by service. */
export type Page<Row> = Rows<Row> & { readonly count: unknown };

/** @param what in the plural @param max largest number of rows that are read @throws NoAnswer if the part is no list */
export function readPage<Row>(
  schema: z.ZodType<Row>,
  part: JsonRecord | undefined,
  what: string,
  max?: number,
): Page<Row> {
  const rows = readRows(schema, part?.['data'], max);
  if (!rows) throw badAnswer(`no list of ${what} in it`);
  return { ...rows, count: part?.['count'] };
}

/** The count can only prove that there is more. @param before number of rows on the pages before */
export function hasMore(page: Page<unknown>, before: number, size: number): boolean {
  const got = lengthOf(page);
  return got >= size || (got > 0 && typeof page.count === 'number' && page.count > before + got);
}

/** Yields pages until one is short or has nothing new, at most `pagesMax`. */
export async function* readPages<Row extends { readonly uuid: string }>(
  read: (page: { readonly number: number; readonly size: number }) => Promise<Page<Row>>,
  pagesMax: number,
): AsyncGenerator<{ readonly page: Page<Row>; readonly isLast: boolean }> {
  const uuids = new Set<string>();
  let [rowCount, fullLength] = [0, pageSizeMax];
  for (let number = 0; number < pagesMax; number += 1) {
    const page = await read({ number, size: pageSizeMax });
    const [known, length] = [uuids.size, lengthOf(page)];
    for (const { uuid } of page.rows) uuids.add(uuid);
    if (number === 0 && isOwnPageSize(length)) fullLength = length;
    const isLast = uuids.size === known || !hasMore(page, rowCount, fullLength);
    yield { page, isLast };
    if (isLast) return;
    rowCount += length;
  }
}

/** A service may have a smaller page size: a short first page of a round length counts as full. */
export function isOwnPageSize(length: number): boolean {
  return length >= 10 && length % 5 === 0;
}

/** @returns undefined if it is no row of this kind */
export function readRow<Row>(schema: z.ZodType<Row>, item: unknown): Row | undefined {
  const parsed = schema.safeParse(item);
  return parsed.success ? parsed.data : undefined;
}

const counts = z
  .object({ executionCount: amount, executionCountByStatus: countByStatus })
  .transform(({ executionCount, executionCountByStatus }) => ({ total: executionCount, ...executionCountByStatus }));

/** @returns null if a number is missing or invalid */
export function readCounts(item: unknown): ExecutionCounts | null {
  return readRow(counts, item) ?? null;
}

/** Counts run from an instant until now, so a span is the difference of two. @returns null if either is null or the difference is negative */
export function differenceOf(from: ExecutionCounts | null, to: ExecutionCounts | null): ExecutionCounts | null {
  if (!from || !to) return null;
  const counts = {
    total: from.total - to.total,
    success: from.success - to.success,
    failure: from.failure - to.failure,
  };
  return Object.values(counts).every((count) => count >= 0) ? counts : null;
}

/**
 * The counts and credits of a window: a difference, except of a moving one, which needs no end.
 * @param from the row that counts from its start @param to the row that counts from its end
 */
export function countsInWindow(from: unknown, to: unknown, isMoving: boolean) {
  return {
    counts: isMoving ? readCounts(from) : differenceOf(readCounts(from), readCounts(to)),
    creditUsed: isMoving ? readCredits(from) : creditsBetween(from, to),
  };
}

/** Keeps the first row of each uuid: pages that move while they are read repeat rows. */
export function uniqueByUuid<Row extends { readonly uuid: string }>(rows: readonly Row[]): readonly Row[] {
  return [...new Map(rows.toReversed().map((row) => [row.uuid, row])).values()].toReversed();
}

/** Sorts by start and removes duplicates. */
export function newestFirst<Row extends { readonly uuid: string; readonly startedAt: string }>(
  rows: readonly Row[],
): readonly Row[] {
  return uniqueByUuid(rows).toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

/** @param what in the plural, such as `deployments` @returns the missing parts of a list that may be missing itself */
export function missingWords(part: Rows<unknown> | undefined, what: string): readonly string[] {
  return part ? lackWords(part, what) : [`the ${what}`];
}

/** @param what in the plural @returns the unreadable rows, and those beyond the requested number */
export function lackWords({ unreadable, surplus }: Omit<Rows<unknown>, 'rows'>, what: string): readonly string[] {
  const beyond = surplus === 0 ? [] : [`the ${what} beyond the number that the bot asked for`];
  return [...unreadableWords(unreadable, what), ...beyond];
}

/** @param what in the plural, such as `workflows` @returns empty if every row could be read */
export function unreadableWords(unreadable: number, what: string): readonly string[] {
  return unreadable === 0 ? [] : [`${unreadable} of the ${what}`];
}

const decimal = /^(\d+)(?:\.(\d+))?$/;

/**
 * @param value untrusted; a decimal string or a number
 * @returns the decimal as text; null if it is no plain amount
 */
function readDecimal(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= 60 && decimal.test(text) ? text : null;
}

/** @param row untrusted, with `creditUsed` @returns null if it has none, or in an unknown format */
function readCredits(row: unknown): string | null {
  return readDecimal(creditUsedOf(row));
}

/** As `differenceOf`. @returns null if either row has none */
function creditsBetween(from: unknown, to: unknown): string | null {
  // A service has no credits for a time in which no run ended.
  return subtractDecimals(readCredits(from), creditUsedOf(to) === null ? '0' : readCredits(to));
}

function creditUsedOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'creditUsed' in row ? row.creditUsed : undefined;
}

/** Exact for decimals of any length. @returns `a − b`; null if either is no amount or the difference is negative */
export function subtractDecimals(a: string | null, b: string | null): string | null {
  return combined([a, b], (rest, amount) => rest - amount);
}

/** Exact. @returns null if any is no plain amount */
export function addDecimals(amounts: readonly (string | null)[]): string | null {
  return combined(['0', ...amounts], (sum, amount) => sum + amount);
}

function combined(amounts: readonly (string | null)[], combine: (one: bigint, other: bigint) => bigint): string | null {
  const parts = amounts.map((amount) => decimal.exec(amount ?? ''));
  const digits = Math.max(...parts.map((part) => part?.[2]?.length ?? 0));
  const scaled = parts.map((part) => (part ? BigInt(`${part[1]}${(part[2] ?? '').padEnd(digits, '0')}`) : -1n));
  const result = scaled.reduce(combine);
  return scaled.includes(-1n) || result < 0n ? null : spelled(result, digits);
}

function spelled(scaled: bigint, digits: number): string {
  const text = String(scaled).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/(?:\.|(?<![.0]))0+$/, '');
}
