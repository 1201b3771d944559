/** The statements of hand-written.ts: each returns the whole reply as text in the shape of the service. */
import { dayMs, hourMs, startOfPeriod } from '../../src/query-service/records/reads/periods.ts';
import { organizationId } from './data-set.ts';
import { at } from './json.ts';

/** Columns, as SQL text. */
export type Row = (string | null)[];

type Statement = {
  readonly text: string;
  readonly values: (variables: unknown) => readonly (string | number)[];
  /** Expressions for columns that differ from the reply. */
  readonly finish?: (row: Readonly<Row>) => string;
};

const time = (expression: string) =>
  `to_char(timestamp 'epoch' + ${expression} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const object = (members: Readonly<Record<string, string>>) =>
  `json_build_object(${Object.entries(members)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})`;
const instant = (variables: unknown, name: string) => Date.parse(String(at(variables, name)));
const text = (variables: unknown, name: string) => String(at(variables, name));

const executionColumns = {
  uuid: 'e.uuid',
  id: 'e.id',
  workflowName: 'w.name',
  status: 'e.status',
  classifiedStatus: 'e.classified_status',
  startedAt: time('e.started_at'),
  finishedAt: time('e.finished_at'),
  errors: 'e.errors::json',
};
const newest = 'order by e.started_at desc, e.uuid desc';
const own = (table: string, parameter = '$2') =>
  `${table}.organization_id = $1 and ${table}.workflow_uuid = ${parameter}`;

const list: Statement = {
  text: `select ${object({
    workflowExecutions: object({
      data: `coalesce(json_agg(${object(executionColumns)} ${newest}), '[]')`,
      count: `(select coalesce(sum(executions), 0) from execution_count as c
        where ${own('c')} and c.period_ms = 0 and c.period_start = 0 and c.status = 'FAILURE')`,
    }),
  })}::text
  from (select * from execution as e where ${own('e')} and e.status = 'FAILURE' ${newest} limit 20) as e
  join workflow as w on w.organization_id = $1 and w.uuid = $2`,
  values: (variables) => [organizationId, text(variables, 'workflowUuid')],
};

/** Logs and events are stored as the text of the reply. */
const one: Statement = {
  text: `select ${object(executionColumns)}::text, d.logs, d.events
    from execution as e
    join workflow as w on w.organization_id = e.organization_id and w.uuid = e.workflow_uuid
    left join execution_detail as d on d.organization_id = e.organization_id and d.uuid = e.uuid
    where e.organization_id = $1 and e.uuid = $2`,
  values: (variables) => [organizationId, text(variables, 'uuid')],
  finish: ([execution, logs, events]) =>
    `{"workflowExecution":{"data":${execution}},"workflowExecutionLogs":{"data":${logs ?? '[]'}},"workflowExecutionEvents":{"data":${events ?? '[]'}}}`,
};

/** Whole days and hours of [$3, $4] from the roll-up, the edges from the index. */
const counted = `(
  select period_start as at, status, executions from execution_count as c
    where ${own('c')} and c.period_ms = ${dayMs} and c.period_start >= $5::bigint and c.period_start < $6::bigint
  union all select period_start, status, executions from execution_count as c
    where ${own('c')} and c.period_ms = ${hourMs}
      and (c.period_start >= $7::bigint and c.period_start < $5::bigint or c.period_start >= $6::bigint and c.period_start < $8::bigint)
  union all select started_at, status, 1 from execution as e
    where ${own('e')} and e.status in ('SUCCESS', 'FAILURE') and e.started_at >= $3::bigint and e.started_at < $7::bigint
  union all select started_at, status, 1 from execution as e
    where ${own('e')} and e.status in ('SUCCESS', 'FAILURE') and e.started_at >= $8::bigint and e.started_at <= $4::bigint
)`;
const days = `(select coalesce(json_agg(${object({
  from: time(`greatest(day, $3::bigint)`),
  to: time(`least(day + ${dayMs}, $4::bigint)`),
  successCount: 'success',
  failureCount: 'failure',
})} order by day), '[]') from (
  select day, coalesce(sum(executions) filter (where status = 'SUCCESS'), 0) as success,
    coalesce(sum(executions) filter (where status = 'FAILURE'), 0) as failure
  from generate_series($3::bigint - $3::bigint % ${dayMs}, $4::bigint - 1, ${dayMs}) as day
  left join (select at - at % ${dayMs} as day, status, executions from ${counted} as c) as c using (day)
  group by day) as days)`;

/** The six instants that divide a range into days, hours and edges. Ranges of an hour or less do not occur. */
function cuts(from: number, to: number): readonly number[] {
  const up = (instant: number, periodMs: number) => startOfPeriod(instant + periodMs - 1, periodMs);
  const [firstHour, lastHour] = [up(from, hourMs), startOfPeriod(to, hourMs)];
  const lastDay = Math.max(up(from, dayMs), startOfPeriod(to, dayMs));
  return [from, to, up(from, dayMs), lastDay, firstHour, lastHour];
}

const activity: Statement = {
  text: `select ${object({ workflowActivity: object({ data: days }) })}::text`,
  values: (variables) => [
    organizationId,
    text(variables, 'workflowUUID'),
    ...cuts(instant(variables, 'from'), instant(variables, 'to')),
  ],
};

const search: Statement = {
  text: `select ${object({
    workflows: object({
      data: `coalesce(json_agg(${object({
        uuid: 'w.uuid',
        name: 'w.name',
        status: 'w.status',
        executionCount: 'c.total',
        executionCountByStatus: object({ success: 'c.success', failure: 'c.failure' }),
      })} order by w.registered_at desc, w.uuid desc), '[]')`,
      count: 'coalesce(max(w.found), 0)',
    }),
  })}::text
  from (select *, count(*) over () as found from workflow where organization_id = $1 and strpos(folded_name, $2) > 0
    order by registered_at desc, uuid desc limit 10) as w
  cross join lateral (select coalesce(sum(executions), 0) as total,
      coalesce(sum(executions) filter (where status = 'SUCCESS'), 0) as success,
      coalesce(sum(executions) filter (where status = 'FAILURE'), 0) as failure
    from execution_count where organization_id = $1 and workflow_uuid = w.uuid and period_ms = 0 and period_start = 0) as c`,
  values: (variables) => [organizationId, text(variables, 'search')],
};

const newestOf = (status: string, limit: number) =>
  `(select * from execution as e where ${own('e')} and e.status = '${status}' ${newest} limit ${limit})`;
const statuses = ['UNKNOWN', 'UNSPECIFIED', 'TRIGGERED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'];
const rows = (members: Readonly<Record<string, string>>, from: string, order: string) =>
  object({ data: `(select coalesce(json_agg(${object(members)} ${order}), '[]') from ${from})` });
const deployed = 'order by d.deployed_at desc, d.uuid desc';

const card: Statement = {
  text: `select ${object({
    workflow: object({
      data: object({
        uuid: 'w.uuid',
        name: 'w.name',
        status: 'w.status',
        executedAt: time(
          `(select max(at) from (${statuses.map((each) => `(select started_at as at from ${newestOf(each, 1)} as e)`).join(' union all ')}) as l)`,
        ),
        executionCount: 'c.total',
        executionCountByStatus: object({ success: 'c.success', failure: 'c.failure' }),
      }),
    }),
    workflowActivity: object({ data: days }),
    failures: rows(
      { uuid: 'e.uuid', status: 'e.status', startedAt: time('e.started_at'), errors: 'e.errors::json' },
      `${newestOf('FAILURE', 5)} as e`,
      newest,
    ),
    recent: rows(
      { uuid: 'e.uuid', status: 'e.status', startedAt: time('e.started_at'), finishedAt: time('e.finished_at') },
      `(select * from (${statuses.map((each) => newestOf(each, 10)).join(' union all ')}) as e ${newest} limit 10) as e`,
      newest,
    ),
    workflowDeployments: rows(
      { uuid: 'd.uuid', status: 'd.status', deployedAt: time('d.deployed_at'), errorMessage: 'd.error_message' },
      `(select * from deployment as d where ${own('d')} ${deployed} limit 5) as d`,
      deployed,
    ),
  })}::text
  from workflow as w cross join (select coalesce(sum(executions), 0) as total,
      coalesce(sum(executions) filter (where status = 'SUCCESS'), 0) as success,
      coalesce(sum(executions) filter (where status = 'FAILURE'), 0) as failure
    from ${counted} as counted) as c
  where w.organization_id = $1 and w.uuid = $2`,
  values: (variables) => [
    organizationId,
    text(variables, 'uuid'),
    ...cuts(instant(variables, 'from'), instant(variables, 'to')),
  ],
};

/** Statements by the path of the query. */
export const statements: ReadonlyMap<string, Statement> = new Map([
  ['/list', list],
  ['/one', one],
  ['/activity', activity],
  ['/search', search],
  ['/card', card],
]);
