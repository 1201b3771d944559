/** Reads deployments, each with the time of the next deployment. */
import type { DeploymentFilter, DeploymentOrder, Slice } from '../port.ts';
import { type Bind, type Engine, isOneOf, limitText, orderText, type Row, statement } from '../sql.ts';
import { rowsOf, type Steps, selectText } from './steps.ts';

export const deploymentColumns = {
  organizationId: 'd.organization_id',
  uuid: 'd.uuid',
  workflowUuid: 'd.workflow_uuid',
  workflowId: 'd.workflow_id',
  status: 'd.status',
  deployedAt: 'd.deployed_at',
  txHash: 'd.tx_hash',
  errorMessage: 'd.error_message',
  binaryUrl: 'd.binary_url',
  configUrl: 'd.config_url',
  workflowSource: 'd.workflow_source',
  hasTeeExecutions: 'd.has_tee_executions',
  hasNonTeeExecutions: 'd.has_non_tee_executions',
  nextDeployedAt: `(select next.deployed_at as next_deployed_at from deployment as next
    where next.organization_id = :organization and next.workflow_uuid = d.workflow_uuid
      and (next.deployed_at, next.uuid) > (d.deployed_at, d.uuid)
    order by next.deployed_at, next.uuid limit 1)`,
} as const;

export type DeploymentColumn = keyof typeof deploymentColumns;

export type DeploymentList = {
  readonly organizationId: string;
  readonly filter: DeploymentFilter;
  readonly order: DeploymentOrder;
  readonly slice: Slice;
};

export function* listDeployments(
  engine: Engine,
  columns: readonly DeploymentColumn[],
  { organizationId, filter, order, slice }: DeploymentList,
): Steps<readonly Row[]> {
  yield { costs: [{ of: 'deployments', organizationId, workflowUuid: filter.workflowUuid }] };
  const column = { WORKFLOW_ID: 'd.workflow_id', DEPLOYED_AT: 'd.deployed_at' }[order.field];
  return yield* rowsOf(
    statement(
      engine,
      (bind) => `select ${selectText(deploymentColumns, columns, () => bind(organizationId))}
        from deployment as d where ${matching(bind, organizationId, filter)}
        ${orderText(order.direction, column, 'd.uuid')} ${limitText(bind, slice)}`,
    ),
  );
}

export function* countDeployments(engine: Engine, organizationId: string, filter: DeploymentFilter): Steps<number> {
  yield { costs: [{ of: 'deployments', organizationId, workflowUuid: filter.workflowUuid }] };
  const text = (bind: Bind) => `select count(*) from deployment as d where ${matching(bind, organizationId, filter)}`;
  const [row] = yield* rowsOf(statement(engine, text));
  return Number(row?.[0] ?? 0);
}

export function* readDeployment(
  engine: Engine,
  columns: readonly DeploymentColumn[],
  organizationId: string,
  uuid: string,
): Steps<Row | undefined> {
  const text = (
    bind: Bind,
  ) => `select ${selectText(deploymentColumns, columns, () => bind(organizationId))} from deployment as d
    where d.organization_id = ${bind(organizationId)} and d.uuid = ${bind(uuid)}`;
  return (yield* rowsOf(statement(engine, text)))[0];
}

function matching(bind: Bind, organizationId: string, filter: DeploymentFilter): string {
  const conditions = [`d.organization_id = ${bind(organizationId)}`, `d.workflow_uuid = ${bind(filter.workflowUuid)}`];
  if (filter.statuses) conditions.push(isOneOf(bind, 'd.status', filter.statuses));
  if (filter.span.from !== null) conditions.push(`d.deployed_at >= ${bind(filter.span.from)}`);
  if (filter.span.until !== null) conditions.push(`d.deployed_at < ${bind(filter.span.until)}`);
  if (filter.search) {
    const search = bind(filter.search.toLowerCase());
    conditions.push(`length(replace(lower(d.workflow_id), ${search}, '')) < length(d.workflow_id)`);
  }
  return conditions.join(' and ');
}
