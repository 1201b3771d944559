/** Counts executions: whole hours and days from the roll-up, the edges of a span from an index. */
import type { Counts, DayCounts } from '../port.ts';
import { countCost } from '../read-cost.ts';
import type { ExecutionStatus } from '../record.ts';
import { type Bind, type Engine, type Row, type Statement, statement } from '../sql.ts';
import { wholeOrganization } from '../tables/roll-up.ts';
import { dayMs, type Segment, type Span, segmentsOf } from './periods.ts';
import { rowsOf, type Steps } from './steps.ts';

/** Every status. Naming them lets a time range use an index that has the status before the time. */
export const executionStatuses = [
  'UNKNOWN',
  'UNSPECIFIED',
  'TRIGGERED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
] as const satisfies readonly ExecutionStatus[];

/** The statuses that activity counts. */
const ended = ['SUCCESS', 'FAILURE'] as const satisfies readonly ExecutionStatus[];

/** Selects executions to count. */
export type CountFilter = {
  readonly organizationId: string;
  readonly workflowUuid: string | null;
  readonly statuses: readonly ExecutionStatus[] | null;
  readonly span: Span;
};

/** @param workflowUuid null for the whole organization */
export function* readCounts(
  engine: Engine,
  organizationId: string,
  workflowUuid: string | null,
  span: Span,
): Steps<Counts> {
  yield { costs: [countCost(organizationId, workflowUuid, span)] };
  return sumCounts(yield* countRows(engine, { organizationId, workflowUuid, statuses: null, span }, 'ever'));
}

/** Reads the counts of several workflows and spans together. */
export function* readManyCounts(
  engine: Engine,
  organizationId: string,
  wanted: readonly { readonly workflowUuid: string; readonly span: Span }[],
): Steps<readonly Counts[]> {
  yield { costs: wanted.map(({ workflowUuid, span }) => countCost(organizationId, workflowUuid, span)) };
  const statements = wanted.map(({ workflowUuid, span }) =>
    countStatement(engine, { organizationId, workflowUuid, statuses: null, span }, 'ever'),
  );
  const found = yield statements.filter((each) => each !== null);
  let next = 0;
  return statements.map((each) => sumCounts(each === null ? [] : (found[next++] ?? [])));
}

/** @returns the days on which something started, in order @param workflowUuid null for the whole organization */
export function* readCountsByDay(
  engine: Engine,
  organizationId: string,
  workflowUuid: string | null,
  span: Span,
): Steps<readonly DayCounts[]> {
  yield { costs: [countCost(organizationId, workflowUuid, span)] };
  return sumDays(yield* countRows(engine, { organizationId, workflowUuid, statuses: ended, span }, 'day'));
}

/** @returns the number of executions */
export function* countExecutions(engine: Engine, filter: CountFilter): Steps<number> {
  return sumCounts(yield* countRows(engine, filter, 'ever')).total;
}

function sumDays(rows: readonly Row[]): readonly DayCounts[] {
  const days = new Map<number, { day: number; success: number; failure: number }>();
  for (const [status, executions, , day] of rows) {
    const counts = days.get(Number(day)) ?? { day: Number(day), success: 0, failure: 0 };
    counts[status === 'SUCCESS' ? 'success' : 'failure'] += Number(executions);
    days.set(counts.day, counts);
  }
  return [...days.values()].sort((a, b) => a.day - b.day);
}

/** @param rows status, number of executions, credits (null if no execution has any) */
export function sumCounts(rows: readonly Row[]): Counts {
  const counts = { total: 0, success: 0, failure: 0 };
  let creditMicros: number | null = null;
  for (const [status, counted, credit] of rows) {
    const executions = Number(counted);
    counts.total += executions;
    if (status === 'SUCCESS') counts.success += executions;
    if (status === 'FAILURE') counts.failure += executions;
    if (typeof credit === 'number') creditMicros = (creditMicros ?? 0) + credit;
  }
  return { ...counts, creditMicros };
}

/** @returns partial sums, a few for each segment: status, executions, credits, and the day if they are summed by day */
function* countRows(engine: Engine, filter: CountFilter, by: 'ever' | 'day'): Steps<readonly Row[]> {
  const counting = countStatement(engine, filter, by);
  return counting === null ? [] : yield* rowsOf(counting);
}

/** @returns null if nothing can be found */
function countStatement(engine: Engine, filter: CountFilter, by: 'ever' | 'day'): Statement | null {
  const segments = segmentsToCount(filter);
  if (segments.length === 0) return null;
  return statement(engine, (bind) =>
    segments.map((segment) => segmentQuery(bind, filter, segment, by)).join(' union all '),
  );
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
    return `select status, executions, cast(null as bigint) as credit, ${day} as day ${from}`;
  // All time has one row for each status.
  if (segment.periodMs === 0)
    return `select status, executions, case when credited > 0 then credit_micros end as credit, 0 as day ${from}`;
  const executions = isOneByOne ? 'count(*)' : 'sum(executions)';
  const credit = isOneByOne ? 'sum(credit_micros)' : 'sum(case when credited > 0 then credit_micros end)';
  return `select status, cast(${executions} as bigint) as executions,
    cast(${by === 'day' ? 'null' : credit} as bigint) as credit, ${day} as day ${from} group by status, day`;
}
