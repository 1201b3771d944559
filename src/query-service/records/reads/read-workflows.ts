/** Reads workflows with the totals of their executions. */
import type { Slice, WorkflowFilter, WorkflowOrder } from '../port.ts';
import { type Bind, type Engine, isOneOf, limitText, orderText, type Row, type Statement, statement } from '../sql.ts';
import { foldName } from '../tables/rows.ts';
import { executionStatuses, sumCounts } from './read-counts.ts';
import { rowsOf, type Steps, selectText } from './steps.ts';

/** Uses one index lookup per status; a plain max() over the workflow would read all its executions. */
const latestStarts = executionStatuses.map(
  (status) => `select latest from (select e.started_at as latest from execution as e
    where e.organization_id = :organization and e.workflow_uuid = w.uuid and e.status = '${status}'
    order by e.started_at desc limit 1) as b`,
);

export const workflowColumns = {
  organizationId: 'w.organization_id',
  uuid: 'w.uuid',
  name: 'w.name',
  workflowId: 'w.workflow_id',
  status: 'w.status',
  ownerAddress: 'w.owner_address',
  registeredAt: 'w.registered_at',
  workflowSource: 'w.workflow_source',
  executedAt: `(select max(l.latest) from (${latestStarts.join(' union all ')}) as l)`,
} as const;

export type WorkflowColumn = keyof typeof workflowColumns;

export type WorkflowList = {
  readonly organizationId: string;
  readonly filter: WorkflowFilter;
  readonly order: WorkflowOrder;
  readonly slice: Slice;
};

export function* listWorkflows(
  engine: Engine,
  columns: readonly WorkflowColumn[],
  { organizationId, filter, order, slice }: WorkflowList,
): Steps<readonly Row[]> {
  yield { costs: [{ of: 'workflows', organizationId }] };
  const column = {
    NAME: 'w.folded_name',
    STATUS: 'w.status',
    EXECUTED_AT: 'sort_key',
    REGISTERED_AT: 'w.registered_at',
  }[order.field];
  const isByExecution = order.field === 'EXECUTED_AT';
  return yield* rowsOf(
    statement(
      engine,
      (bind) => `select ${selectText(workflowColumns, columns, () => bind(organizationId))}
        ${isByExecution ? `, ${selectText(workflowColumns, ['executedAt'], () => bind(organizationId))} as sort_key` : ''}
        from workflow as w where ${matching(bind, organizationId, filter)}
        ${isByExecution ? `order by sort_key ${order.direction} nulls last, w.uuid ${order.direction}` : orderText(order.direction, column, 'w.uuid')}
        ${limitText(bind, slice)}`,
    ),
  );
}

export function* countWorkflows(engine: Engine, organizationId: string, filter: WorkflowFilter): Steps<number> {
  yield { costs: [{ of: 'workflows', organizationId }] };
  const text = (bind: Bind) => `select count(*) from workflow as w where ${matching(bind, organizationId, filter)}`;
  const [row] = yield* rowsOf(statement(engine, text));
  return Number(row?.[0] ?? 0);
}

export function workflowStatement(
  engine: Engine,
  columns: readonly WorkflowColumn[],
  organizationId: string,
  uuid: string,
): Statement {
  return statement(
    engine,
    (bind) => `select ${selectText(workflowColumns, columns, () => bind(organizationId))} from workflow as w
      where w.organization_id = ${bind(organizationId)} and w.uuid = ${bind(uuid)}`,
  );
}

export function* hasWorkflow(engine: Engine, organizationId: string, uuid: string): Steps<boolean> {
  return (yield* rowsOf(workflowStatement(engine, [], organizationId, uuid))).length > 0;
}

/** @returns every address that owns a workflow */
export function* readOwnerAddresses(engine: Engine, organizationId: string): Steps<readonly string[]> {
  yield { costs: [{ of: 'workflows', organizationId }] };
  const text = (bind: Bind) =>
    `select distinct owner_address from workflow where organization_id = ${bind(organizationId)} order by owner_address`;
  return (yield* rowsOf(statement(engine, text))).map(([address]) => String(address));
}

/**
 * Counts of all time: status, executions, credits (null if no execution has any), executions with a TEE and without, and
 * the workflow's uuid.
 * @param uuids at least one
 */
export function totalsStatement(engine: Engine, organizationId: string, uuids: readonly string[]): Statement {
  return statement(
    engine,
    (bind) => `select status, executions, case when credited > 0 then credit_micros end as credit, tee, non_tee,
        workflow_uuid
      from execution_count where organization_id = ${bind(organizationId)} and period_ms = 0
        and ${isOneOf(bind, 'workflow_uuid', uuids)}`,
  );
}

/** @param rows of one workflow, as the statement returns them */
export function totalsOf(rows: readonly Row[]) {
  return {
    hasTeeExecutions: rows.some(([, , , tee]) => Number(tee) > 0),
    hasNonTeeExecutions: rows.some(([, , , , nonTee]) => Number(nonTee) > 0),
    ...sumCounts(rows),
  };
}

function matching(bind: Bind, organizationId: string, filter: WorkflowFilter): string {
  const conditions = [`w.organization_id = ${bind(organizationId)}`];
  if (filter.statuses) conditions.push(isOneOf(bind, 'w.status', filter.statuses));
  if (filter.ownerAddresses) conditions.push(isOneOf(bind, 'lower(w.owner_address)', filter.ownerAddresses));
  // replace() rather than LIKE, because % and _ are ordinary characters in a search.
  if (filter.search) {
    const search = bind(foldName(filter.search));
    conditions.push(`length(replace(w.folded_name, ${search}, '')) < length(w.folded_name)`);
  }
  return conditions.join(' and ');
}
