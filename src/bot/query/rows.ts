/** Service data as it comes over the wire, read row by row: what cannot be read is left out and counted, never a crash. */
import { z } from 'zod';
import { mapCooperatively } from '../../shared/time/cooperative.ts';
import type {
  ActivityBucket,
  CountedDeployment,
  Deployment,
  DeploymentDetail,
  DetailedExecution,
  Execution,
  ExecutionCounts,
  ExecutionEvent,
  LogLine,
  Member,
  Organization,
  Workflow,
  WorkflowName,
} from './results.ts';

/** Go's zero time stands for no time at all. */
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
/** A key of the row: without it the row means nothing. */
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
  executionId: z.object({ uuid: key, id: text, startedAt: time }),
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
  /** How many came beyond those that are read: a service may ignore a page's size. */
  readonly surplus: number;
};

/** No question asks for as many in one page. */
const rowsMax = 1000;

/**
 * @param max how many are read at most
 * @returns undefined where there is no list at all; an item that is none of its kind is counted
 */
export function readRows<Row>(schema: z.ZodType<Row>, list: unknown, max = rowsMax): Rows<Row> | undefined {
  if (!Array.isArray(list)) return undefined;
  const read = list.slice(0, max);
  const rows = read.flatMap((item) => readRow(schema, item) ?? []);
  return { rows, unreadable: read.length - rows.length, surplus: list.length - read.length };
}

/** As `readRows`, for lists that are too long to be read in one go. */
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

/** How many rows came, read or not. */
export function lengthOf({ rows, unreadable, surplus }: Rows<unknown>): number {
  return rows.length + unreadable + surplus;
}

/** @returns undefined for anything else than one row of this kind */
export function readRow<Row>(schema: z.ZodType<Row>, item: unknown): Row | undefined {
  const parsed = schema.safeParse(item);
  return parsed.success ? parsed.data : undefined;
}

const counts = z
  .object({ executionCount: amount, executionCountByStatus: countByStatus })
  .transform(({ executionCount, executionCountByStatus }) => ({ total: executionCount, ...executionCountByStatus }));

/** @returns null where a number is missing or makes no sense */
export function readCounts(item: unknown): ExecutionCounts | null {
  return readRow(counts, item) ?? null;
}

/** Counts that run from an instant until now give a span as the difference of two; null where that makes no sense. */
export function differenceOf(from: ExecutionCounts | null, to: ExecutionCounts | null): ExecutionCounts | null {
  if (!from || !to) return null;
  const counts = {
    total: from.total - to.total,
    success: from.success - to.success,
    failure: from.failure - to.failure,
  };
  return Object.values(counts).every((count) => count >= 0) ? counts : null;
}

/** The first of each uuid: pages that move while they are read repeat rows. */
export function uniqueByUuid<Row extends { readonly uuid: string }>(rows: readonly Row[]): readonly Row[] {
  return [...new Map(rows.toReversed().map((row) => [row.uuid, row])).values()].toReversed();
}

/** By start, whatever order they came in, none twice. */
export function newestFirst(rows: readonly Execution[]): readonly Execution[] {
  return uniqueByUuid(rows).toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

/** @param what in the plural, such as `deployments` @returns what to say of a list that may be missing in part or whole */
export function missingWords(part: Rows<unknown> | undefined, what: string): readonly string[] {
  return part ? lackWords(part, what) : [`the ${what}`];
}

/** What is not there of a list: rows that could not be read, and those beyond what was asked for. @param what in the plural */
export function lackWords({ unreadable, surplus }: Omit<Rows<unknown>, 'rows'>, what: string): readonly string[] {
  const beyond = surplus === 0 ? [] : [`${surplus} ${what} beyond what I asked for`];
  return [...unreadableWords(unreadable, what), ...beyond];
}

/** A sentence part for rows that could not be read; nothing when all could. @param what in the plural, such as `workflows` */
export function unreadableWords(unreadable: number, what: string): readonly string[] {
  return unreadable === 0 ? [] : [`${unreadable} of the ${what}`];
}
