/** Reads deployments, each with the time of the next deployment. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { DeploymentFilter, DeploymentOrder, DeploymentRow, Records, Slice } from '../port.ts';
import type { DeploymentRecord } from '../record.ts';
import { isOneOf, ordering } from '../sql.ts';
import type { Tables } from '../tables/tables.ts';

type Readers = Pick<Records, 'deployments' | 'deploymentCount' | 'deployment'>;

/** @param db an open database with the tables of migrations.ts */
export function readDeployments(db: Kysely<Tables>): Readers {
  return {
    deployments: (organizationId, filter, order, slice) => listDeployments(db, organizationId, filter, order, slice),
    async deploymentCount(organizationId, filter) {
      const row = await matching(db, organizationId, filter)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return row.count;
    },
    async deployment(organizationId, uuid) {
      const row = await db
        .selectFrom('deployment as d')
        .select(deploymentColumns)
        .select(nextDeployedAt)
        .where('d.organization_id', '=', organizationId)
        .where('d.uuid', '=', uuid)
        .executeTakeFirst();
      return row === undefined ? null : deploymentRecord(row);
    },
  };
}

async function listDeployments(
  db: Kysely<Tables>,
  organizationId: string,
  filter: DeploymentFilter,
  order: DeploymentOrder,
  slice: Slice,
): Promise<readonly DeploymentRow[]> {
  const column = { WORKFLOW_ID: 'd.workflow_id', DEPLOYED_AT: 'd.deployed_at' } as const;
  const rows = await matching(db, organizationId, filter)
    .select(deploymentColumns)
    .select(nextDeployedAt)
    .orderBy(column[order.field], ordering(order.direction))
    .orderBy('d.uuid', ordering(order.direction))
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
  return rows.map(deploymentRecord);
}

function matching(db: Kysely<Tables>, organizationId: string, filter: DeploymentFilter) {
  let query = db
    .selectFrom('deployment as d')
    .where('d.organization_id', '=', organizationId)
    .where('d.workflow_uuid', '=', filter.workflowUuid);
  if (filter.statuses) query = query.where(isOneOf(sql.ref('d.status'), filter.statuses));
  if (filter.span.from !== null) query = query.where('d.deployed_at', '>=', filter.span.from);
  if (filter.span.until !== null) query = query.where('d.deployed_at', '<', filter.span.until);
  if (filter.search) {
    const search = filter.search.toLowerCase();
    query = query.where(sql<boolean>`length(replace(lower(d.workflow_id), ${search}, '')) < length(d.workflow_id)`);
  }
  return query;
}

export const deploymentColumns = [
  'organization_id as organizationId',
  'uuid',
  'workflow_uuid as workflowUuid',
  'workflow_id as workflowId',
  'status',
  'deployed_at as deployedAt',
  'tx_hash as txHash',
  'error_message as errorMessage',
  'binary_url as binaryUrl',
  'config_url as configUrl',
  'workflow_source as workflowSource',
  'has_tee_executions as tee',
  'has_non_tee_executions as nonTee',
] as const;

function nextDeployedAt(eb: ExpressionBuilder<Tables & { d: Tables['deployment'] }, 'd'>) {
  return eb
    .selectFrom('deployment as next')
    .select('next.deployed_at')
    .whereRef('next.organization_id', '=', 'd.organization_id')
    .whereRef('next.workflow_uuid', '=', 'd.workflow_uuid')
    .where(sql<boolean>`(next.deployed_at, next.uuid) > (d.deployed_at, d.uuid)`)
    .orderBy('next.deployed_at')
    .orderBy('next.uuid')
    .limit(1)
    .as('nextDeployedAt');
}

/** A deployment as the table stores it. */
export type StoredDeployment = Omit<DeploymentRecord, 'hasTeeExecutions' | 'hasNonTeeExecutions'> & {
  readonly tee: number;
  readonly nonTee: number;
};

/** Converts numbers to booleans; other columns stay. */
export function deploymentRecord<Row extends StoredDeployment>({ tee, nonTee, ...rest }: Row) {
  return { ...rest, hasTeeExecutions: tee === 1, hasNonTeeExecutions: nonTee === 1 };
}
