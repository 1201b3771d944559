/** Reads workflows with the totals of their executions. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Records, Slice, WorkflowFilter, WorkflowOrder, WorkflowRow } from '../port.ts';
import { isOneOf, ordering } from '../sql.ts';
import { foldName } from '../tables/rows.ts';
import type { Tables } from '../tables/tables.ts';
import type { Span } from './periods.ts';
import { executionStatuses, readCounts, sumCounts } from './read-counts.ts';

type Totals = Pick<WorkflowRow, 'hasTeeExecutions' | 'hasNonTeeExecutions' | 'counts'>;
type Readers = Pick<Records, 'workflows' | 'workflowCount' | 'workflow' | 'hasWorkflow' | 'ownerAddresses'>;

/** @param db an open database with the tables of migrations.ts */
export function readWorkflows(db: Kysely<Tables>): Readers {
  return {
    workflows: (organizationId, filter, order, slice) => listWorkflows(db, organizationId, filter, order, slice),
    async workflowCount(organizationId, filter) {
      const row = await matching(db, organizationId, filter)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return row.count;
    },
    workflow: (organizationId, uuid, span) => oneWorkflow(db, organizationId, uuid, span),
    async hasWorkflow(organizationId, uuid) {
      const row = await db
        .selectFrom('workflow')
        .select('uuid')
        .where('organization_id', '=', organizationId)
        .where('uuid', '=', uuid)
        .executeTakeFirst();
      return row !== undefined;
    },
    async ownerAddresses(organizationId) {
      const rows = await db
        .selectFrom('workflow')
        .select('owner_address')
        .distinct()
        .where('organization_id', '=', organizationId)
        .orderBy('owner_address')
        .execute();
      return rows.map((row) => row.owner_address);
    },
  };
}

async function listWorkflows(
  db: Kysely<Tables>,
  organizationId: string,
  filter: WorkflowFilter,
  order: WorkflowOrder,
  slice: Slice,
): Promise<readonly WorkflowRow[]> {
  const column = {
    NAME: 'w.folded_name',
    STATUS: 'w.status',
    EXECUTED_AT: 'executedAt',
    REGISTERED_AT: 'w.registered_at',
  } as const satisfies Record<WorkflowOrder['field'], string>;
  const found = await matching(db, organizationId, filter)
    .select(workflowColumns)
    .select(executedAt)
    .orderBy(column[order.field], ordering(order.direction, order.field === 'EXECUTED_AT'))
    .orderBy('w.uuid', ordering(order.direction))
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
  const totals = await totalsOf(
    db,
    organizationId,
    found.map((row) => row.uuid),
  );
  return found.map((row) => ({ ...row, ...totals(row.uuid) }));
}

async function oneWorkflow(
  db: Kysely<Tables>,
  organizationId: string,
  uuid: string,
  span: Span,
): Promise<WorkflowRow | null> {
  const found = await db
    .selectFrom('workflow as w')
    .select(workflowColumns)
    .select(executedAt)
    .where('w.organization_id', '=', organizationId)
    .where('w.uuid', '=', uuid)
    .executeTakeFirst();
  if (found === undefined) return null;
  const totals = await totalsOf(db, organizationId, [uuid]);
  const counts = await readCounts(db).counts(organizationId, uuid, span);
  return { ...found, ...totals(uuid), counts };
}

function matching(db: Kysely<Tables>, organizationId: string, filter: WorkflowFilter) {
  let query = db.selectFrom('workflow as w').where('w.organization_id', '=', organizationId);
  if (filter.statuses) query = query.where(isOneOf(sql.ref('w.status'), filter.statuses));
  if (filter.ownerAddresses) query = query.where(isOneOf(sql`lower(w.owner_address)`, filter.ownerAddresses));
  // replace() rather than LIKE, because % and _ are ordinary characters in a search.
  if (filter.search) {
    const search = foldName(filter.search);
    query = query.where(sql<boolean>`length(replace(w.folded_name, ${search}, '')) < length(w.folded_name)`);
  }
  return query;
}

export const workflowColumns = [
  'organization_id as organizationId',
  'uuid',
  'name',
  'workflow_id as workflowId',
  'status',
  'owner_address as ownerAddress',
  'registered_at as registeredAt',
  'workflow_source as workflowSource',
] as const;

/** Uses one index lookup per status; a plain max() over the workflow would read all its executions. */
function executedAt(eb: ExpressionBuilder<Tables & { w: Tables['workflow'] }, 'w'>) {
  const latest = executionStatuses.map(
    (status) => sql`select latest from (select e.started_at as latest from execution as e
      where e.organization_id = w.organization_id and e.workflow_uuid = w.uuid and e.status = ${sql.lit(status)}
      order by e.started_at desc limit 1) as b`,
  );
  return eb
    .selectFrom(sql<{ latest: number | null }>`(${sql.join(latest, sql` union all `)})`.as('l'))
    .select((inner) => inner.fn.max('l.latest').as('latest'))
    .as('executedAt');
}

/** @returns the totals of each workflow's executions */
async function totalsOf(
  db: Kysely<Tables>,
  organizationId: string,
  uuids: readonly string[],
): Promise<(uuid: string) => Totals> {
  const rows =
    uuids.length === 0
      ? []
      : await db
          .selectFrom('execution_count')
          .select(['workflow_uuid', 'status', 'executions', 'tee', 'non_tee'])
          .select(sql<number | null>`case when credited > 0 then credit_micros end`.as('credit'))
          .where('organization_id', '=', organizationId)
          .where('workflow_uuid', 'in', uuids)
          .where('period_ms', '=', 0)
          .execute();
  const byWorkflow = Map.groupBy(rows, (row) => row.workflow_uuid);
  return (uuid) => {
    const own = byWorkflow.get(uuid) ?? [];
    return {
      hasTeeExecutions: own.some((row) => row.tee > 0),
      hasNonTeeExecutions: own.some((row) => row.non_tee > 0),
      counts: sumCounts(own),
    };
  };
}
