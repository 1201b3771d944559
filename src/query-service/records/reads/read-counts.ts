/** Counts executions: whole hours and days from the roll-up, the edges of a span from an index. */
import type { Kysely } from 'kysely';
import type { Counts, DayCounts, Records } from '../port.ts';
import type { ExecutionStatus } from '../record.ts';
import { type Bind, runQuery } from '../sql.ts';
import { wholeOrganization } from '../tables/roll-up.ts';
import type { Tables } from '../tables/tables.ts';
import { dayMs, type Segment, type Span, segmentsOf } from './periods.ts';

/** Every status. Naming them lets a time range use an index that has the status before the time. */
export const executionStatuses = [
  'UNKNOWN',
  'UNSPECIFIED',
  'TRIGGERED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
] as const satisfies readonly ExecutionStatus[];

type CountRow = {
  readonly status: ExecutionStatus;
  readonly day: number;
  readonly executions: number;
  /** Null if no execution has credits. */
  readonly credit: number | null;
};

/** The statuses that activity counts. */
const ended = ['SUCCESS', 'FAILURE'] as const satisfies readonly ExecutionStatus[];

/** Selects executions to count. */
export type CountFilter = {
  readonly organizationId: string;
  readonly workflowUuid: string | null;
  readonly statuses: readonly ExecutionStatus[] | null;
  readonly span: Span;
};

/** @param db an open database with the tables of migrations.ts */
export function readCounts(db: Kysely<Tables>): Pick<Records, 'counts' | 'countsByDay'> {
  return {
    async counts(organizationId, workflowUuid, span) {
      return sumCounts(await countRows(db, { organizationId, workflowUuid, statuses: null, span }, 'ever'));
    },
    async countsByDay(organizationId, workflowUuid, span) {
      return sumDays(await countRows(db, { organizationId, workflowUuid, statuses: ended, span }, 'day'));
    },
  };
}

function sumDays(rows: readonly CountRow[]): readonly DayCounts[] {
  const days = new Map<number, { day: number; success: number; failure: number }>();
  for (const { day, status, executions } of rows) {
    const counts = days.get(day) ?? { day, success: 0, failure: 0 };
    counts[status === 'SUCCESS' ? 'success' : 'failure'] += executions;
    days.set(day, counts);
  }
  return [...days.values()].sort((a, b) => a.day - b.day);
}

/** @returns the number of executions */
export async function countExecutions(db: Kysely<Tables>, filter: CountFilter): Promise<number> {
  return sumCounts(await countRows(db, filter, 'ever')).total;
}

/** @param rows by status; `credit` is null if no execution has credits */
export function sumCounts(rows: readonly Omit<CountRow, 'day'>[]): Counts {
  const counts = { total: 0, success: 0, failure: 0 };
  let creditMicros: number | null = null;
  for (const { status, executions, credit } of rows) {
    counts.total += executions;
    if (status === 'SUCCESS') counts.success += executions;
    if (status === 'FAILURE') counts.failure += executions;
    if (credit !== null) creditMicros = (creditMicros ?? 0) + credit;
  }
  return { ...counts, creditMicros };
}

/** @returns rows of partial sums, a few for each segment, by status and, on demand, by day */
async function countRows(db: Kysely<Tables>, filter: CountFilter, by: 'ever' | 'day'): Promise<readonly CountRow[]> {
  const segments = segmentsToCount(filter);
  if (segments.length === 0) return [];
  return runQuery(db, (bind) => segments.map((segment) => segmentQuery(bind, filter, segment, by)).join(' union all '));
}

/** @returns an SQL expression for the number of executions */
export function countText(bind: Bind, filter: CountFilter): string {
  const segments = segmentsToCount(filter).map((segment) => segmentQuery(bind, filter, segment, 'ever'));
  if (segments.length === 0) return '0';
  return `(select cast(coalesce(sum(executions), 0) as bigint) from (${segments.join(' union all ')}) as segment)`;
}

function segmentsToCount({ span, statuses, workflowUuid }: CountFilter): readonly Segment[] {
  // Rows of the whole organization have an empty uuid, which no workflow has.
  return statuses?.length === 0 || workflowUuid === wholeOrganization ? [] : segmentsOf(span);
}

function segmentQuery(bind: Bind, filter: CountFilter, segment: Segment, by: 'ever' | 'day'): string {
  const { organizationId, workflowUuid } = filter;
  const isOneByOne = segment.periodMs === null;
  const time = isOneByOne ? 'started_at' : 'period_start';
  const where = [`organization_id = ${bind(organizationId)}`];
  if (!isOneByOne || workflowUuid !== null) where.push(`workflow_uuid = ${bind(workflowUuid ?? wholeOrganization)}`);
  if (!isOneByOne) where.push(`period_ms = ${segment.periodMs}`);
  where.push(`${time} >= ${bind(segment.from)}`, `${time} < ${bind(segment.until)}`);
  // If the statuses are named, the planner uses an index that has them before the time.
  const statuses = filter.statuses ?? (isOneByOne ? executionStatuses : null);
  if (statuses) where.push(`status in (${statuses.map((status) => `'${status}'`).join(', ')})`);
  // Part of the text, because a driver may bind numbers as floating point, for which % is not the remainder.
  const day = by === 'ever' ? '0' : `${time} - ${time} % ${dayMs}`;
  const from = `from ${isOneByOne ? 'execution' : 'execution_count'} where ${where.join(' and ')}`;
  // The roll-up has few rows per day, and adding them here takes less time than grouping them in the database.
  if (by === 'day' && !isOneByOne)
    return `select status, ${day} as day, executions, cast(null as bigint) as credit ${from}`;
  const executions = isOneByOne ? 'count(*)' : 'sum(executions)';
  const credit = isOneByOne ? 'sum(credit_micros)' : 'sum(case when credited > 0 then credit_micros end)';
  return `select status, ${day} as day, cast(${executions} as bigint) as executions,
    cast(${by === 'day' ? 'null' : credit} as bigint) as credit ${from} group by status, day`;
}
