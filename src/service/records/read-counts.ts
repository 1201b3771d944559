/** Reads what executions add up to: whole hours and days from the roll-up, the edges of a span from an index. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dayMs, type Part, partsOf } from './periods.ts';
import type { Counts, DayCounts, Records, Span } from './port.ts';
import type { ExecutionStatus } from './record.ts';
import { wholeOrganization } from './roll-up.ts';
import type { Tables } from './tables.ts';

/** Every status there is: naming them lets a range over time use an index that has the status before the time. */
export const executionStatuses = [
  'UNKNOWN',
  'UNSPECIFIED',
  'TRIGGERED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
] as const satisfies readonly ExecutionStatus[];

type CountRow = { status: ExecutionStatus; day: number; executions: number; credit: number | null };

/** Whose executions, by which status. */
export type Counted = {
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
      const rows = await countRows(db, { organizationId, workflowUuid, statuses: null, span }, 'day');
      const days = Map.groupBy(rows, (row) => row.day);
      return [...days].map(([day, ofDay]) => dayCounts(day, ofDay)).sort((a, b) => a.day - b.day);
    },
  };
}

function dayCounts(day: number, rows: readonly CountRow[]): DayCounts {
  const { success, failure } = sumCounts(rows);
  return { day, success, failure };
}

/** @returns how many executions there are */
export async function countExecutions(db: Kysely<Tables>, counted: Counted): Promise<number> {
  return sumCounts(await countRows(db, counted, 'ever')).total;
}

/** @param rows with the status they count; `credit` null where none of them carries any */
export function sumCounts(
  rows: readonly { readonly status: ExecutionStatus; readonly executions: number; readonly credit: number | null }[],
): Counts {
  const sum = (status?: ExecutionStatus) =>
    rows.reduce((total, row) => total + (status === undefined || row.status === status ? row.executions : 0), 0);
  const credits = rows.flatMap((row) => (row.credit === null ? [] : [row.credit]));
  return {
    total: sum(),
    success: sum('SUCCESS'),
    failure: sum('FAILURE'),
    creditMicros: credits.length === 0 ? null : credits.reduce((total, credit) => total + credit, 0),
  };
}

async function countRows(db: Kysely<Tables>, counted: Counted, by: 'ever' | 'day'): Promise<readonly CountRow[]> {
  const parts = partsOf(counted.span);
  // What counts the whole organization is no workflow's, whoever asks for one by that name.
  if (parts.length === 0 || counted.statuses?.length === 0 || counted.workflowUuid === wholeOrganization) return [];
  const union = sql.join(
    parts.map((part) => countPart(counted, part, by)),
    sql` union all `,
  );
  // Of days there are hardly fewer than rows of the roll-up, and adding those up here takes less than grouping them there.
  const query =
    by === 'day'
      ? sql<CountRow>`${union}`
      : sql<CountRow>`select status, day, cast(sum(executions) as bigint) as executions, cast(sum(credit) as bigint) as credit
          from (${union}) as part group by status, day`;
  return (await query.execute(db)).rows;
}

function countPart(counted: Counted, part: Part, by: 'ever' | 'day'): RawBuilder<CountRow> {
  const isOneByOne = part.periodMs === null;
  const time = isOneByOne ? 'started_at' : 'period_start';
  const workflow =
    isOneByOne && counted.workflowUuid === null
      ? sql``
      : sql`and workflow_uuid = ${counted.workflowUuid ?? wholeOrganization}`;
  const statuses = sql.join(counted.statuses ?? executionStatuses);
  // A driver may bind numbers as floating point, and then % would not be the remainder: the length of a day is part of the text.
  const day = by === 'ever' ? sql`0` : sql`${sql.ref(time)} - ${sql.ref(time)} % ${sql.lit(dayMs)}`;
  const where = sql`organization_id = ${counted.organizationId} ${workflow}
    and status in (${statuses}) and ${sql.ref(time)} >= ${part.from} and ${sql.ref(time)} < ${part.until}`;
  const period = isOneByOne ? sql`` : sql`and period_ms = ${part.periodMs}`;
  const rows = sql`from ${sql.table(isOneByOne ? 'execution' : 'execution_count')} where ${where} ${period}`;
  if (by === 'day' && !isOneByOne) return sql`select status, ${day} as day, executions, null as credit ${rows}`;
  const executions = isOneByOne ? sql`count(*)` : sql`sum(executions)`;
  const credit = isOneByOne ? sql`sum(credit_micros)` : sql`sum(case when credited > 0 then credit_micros end)`;
  return sql`select status, ${day} as day, ${executions} as executions, ${by === 'day' ? sql`null` : credit} as credit
    ${rows} group by status, day`;
}
