/** The reads of the records as objects with every column: what tests compare. */
import type {
  Counts,
  DeploymentFilter,
  DeploymentOrder,
  ExecutionFilter,
  ExecutionOrder,
  Slice,
  WorkflowFilter,
  WorkflowOrder,
} from '../../../../src/query-service/records/port.ts';
import { executionColumns } from '../../../../src/query-service/records/reads/execution-list.ts';
import { parseList } from '../../../../src/query-service/records/reads/parse-list.ts';
import type { Span } from '../../../../src/query-service/records/reads/periods.ts';
import { readCounts, readCountsByDay } from '../../../../src/query-service/records/reads/read-counts.ts';
import {
  countDeployments,
  deploymentColumns,
  listDeployments,
  readDeployment,
} from '../../../../src/query-service/records/reads/read-deployments.ts';
import { readLists } from '../../../../src/query-service/records/reads/read-detail.ts';
import {
  countExecutionList,
  listExecutions,
  readExecution,
  readExecutionPage,
} from '../../../../src/query-service/records/reads/read-executions.ts';
import {
  accountColumns,
  organizationColumns,
  readAccount,
  readOrganization,
} from '../../../../src/query-service/records/reads/read-people.ts';
import {
  countWorkflows,
  hasWorkflow,
  listWorkflows,
  readOwnerAddresses,
  totalsOf,
  totalsStatement,
  workflowColumns,
  workflowStatement,
} from '../../../../src/query-service/records/reads/read-workflows.ts';
import { namedRow, namesOf, rowsOf, type Steps } from '../../../../src/query-service/records/reads/steps.ts';
import type {
  AccountRecord,
  DeploymentRecord,
  ErrorRecord,
  EventRecord,
  ExecutionRecord,
  LogRecord,
  OrganizationRecord,
  WorkflowRecord,
} from '../../../../src/query-service/records/record.ts';
import type { Engine, Row } from '../../../../src/query-service/records/sql.ts';
import type { RecordStore } from '../../../../src/query-service/records/store.ts';
import {
  eventRecord,
  logRecord,
  type StoredEvent,
  type StoredLog,
} from '../../../../src/query-service/records/tables/details.ts';

const columns = {
  organization: namesOf(organizationColumns),
  account: namesOf(accountColumns),
  workflow: namesOf(workflowColumns),
  deployment: namesOf(deploymentColumns),
  execution: namesOf(executionColumns),
};

export type Records = ReturnType<typeof recordsOf>;

export type WorkflowRow = WorkflowRecord & {
  /** Start of the latest execution. */
  readonly executedAt: number | null;
  readonly hasTeeExecutions: boolean;
  readonly hasNonTeeExecutions: boolean;
  readonly counts: Counts;
};

export type DeploymentRow = DeploymentRecord & {
  /** Time at which the workflow was deployed again; null for the last deployment. */
  readonly nextDeployedAt: number | null;
};

/** An execution without its logs and events, with the names of its workflow. */
export type ExecutionRow = Omit<ExecutionRecord, 'logs' | 'events'> & {
  readonly workflowName: string;
  readonly workflowId: string;
};

/** The organization is always the first argument; records of others are not found. */
export function recordsOf({ engine, read }: Pick<RecordStore, 'engine' | 'read'>) {
  return {
    async organization(organizationId: string) {
      const row = await read(readOrganization(engine, columns.organization, organizationId));
      return row ? namedRow<OrganizationRecord>(columns.organization, row) : null;
    },
    async account(organizationId: string, memberId: string) {
      const row = await read(readAccount(engine, columns.account, organizationId, memberId));
      return row ? namedRow<AccountRecord>(columns.account, row) : null;
    },
    workflows: (organizationId: string, filter: WorkflowFilter, order: WorkflowOrder, slice: Slice) =>
      read(workflowRows(engine, { organizationId, filter, order, slice })),
    workflowCount: (organizationId: string, filter: WorkflowFilter) =>
      read(countWorkflows(engine, organizationId, filter)),
    workflow: (organizationId: string, uuid: string, span: Span) =>
      read(workflowRow(engine, organizationId, uuid, span)),
    hasWorkflow: (organizationId: string, uuid: string) => read(hasWorkflow(engine, organizationId, uuid)),
    ownerAddresses: (organizationId: string) => read(readOwnerAddresses(engine, organizationId)),
    async deployments(organizationId: string, filter: DeploymentFilter, order: DeploymentOrder, slice: Slice) {
      const list = listDeployments(engine, columns.deployment, { organizationId, filter, order, slice });
      return (await read(list)).map(deploymentRow);
    },
    deploymentCount: (organizationId: string, filter: DeploymentFilter) =>
      read(countDeployments(engine, organizationId, filter)),
    async deployment(organizationId: string, uuid: string) {
      const row = await read(readDeployment(engine, columns.deployment, organizationId, uuid));
      return row ? deploymentRow(row) : null;
    },
    async executions(organizationId: string, filter: ExecutionFilter, order: ExecutionOrder, slice: Slice) {
      const list = listExecutions(engine, columns.execution, { organizationId, filter, order, slice });
      return (await read(list)).map(executionRow);
    },
    executionCount: (organizationId: string, filter: ExecutionFilter) =>
      read(countExecutionList(engine, organizationId, filter)),
    async executionPage(organizationId: string, filter: ExecutionFilter, order: ExecutionOrder, slice: Slice) {
      const page = readExecutionPage(engine, columns.execution, { organizationId, filter, order, slice });
      const { rows, count } = await read(page);
      return { rows: rows.map(executionRow), count };
    },
    async execution(organizationId: string, uuid: string) {
      const row = await read(readExecution(engine, columns.execution, organizationId, uuid));
      return row ? executionRow(row) : null;
    },
    /** @returns empty lists for an unknown execution, and for lists that are not stored or not wanted */
    async executionDetail(organizationId: string, uuid: string, wanted: ReadonlySet<'logs' | 'events'>) {
      const lists = [...wanted];
      const texts = await read(readLists(engine, organizationId, uuid, lists));
      const textOf = (list: 'logs' | 'events') => texts[lists.indexOf(list)] ?? null;
      const logs: readonly LogRecord[] = parseList<StoredLog>(textOf('logs'))?.map(logRecord) ?? [];
      const events: readonly EventRecord[] = parseList<StoredEvent>(textOf('events'))?.map(eventRecord) ?? [];
      return { logs, events };
    },
    counts: (organizationId: string, workflowUuid: string | null, span: Span) =>
      read(readCounts(engine, organizationId, workflowUuid, span)),
    countsByDay: (organizationId: string, workflowUuid: string | null, span: Span) =>
      read(readCountsByDay(engine, organizationId, workflowUuid, span)),
  };
}

function* workflowRows(engine: Engine, list: Parameters<typeof listWorkflows>[2]): Steps<readonly WorkflowRow[]> {
  const rows = yield* listWorkflows(engine, columns.workflow, list);
  const found = rows.map((row) => namedRow<WorkflowRow>(columns.workflow, row));
  const uuids = found.map(({ uuid }) => uuid);
  const totals = uuids.length === 0 ? [] : yield* rowsOf(totalsStatement(engine, list.organizationId, uuids));
  const byWorkflow = Map.groupBy(totals, (row) => row.at(-1));
  return found.map((row) => ({ ...row, ...withCounts(byWorkflow.get(row.uuid) ?? []) }));
}

function* workflowRow(engine: Engine, organizationId: string, uuid: string, span: Span): Steps<WorkflowRow | null> {
  const [[row] = [], totals = []] = yield [
    workflowStatement(engine, columns.workflow, organizationId, uuid),
    totalsStatement(engine, organizationId, [uuid]),
  ];
  if (row === undefined) return null;
  const counts = yield* readCounts(engine, organizationId, uuid, span);
  return { ...namedRow<WorkflowRow>(columns.workflow, row), ...withCounts(totals), counts };
}

function withCounts(rows: readonly Row[]) {
  const { hasTeeExecutions, hasNonTeeExecutions, ...counts } = totalsOf(rows);
  return { hasTeeExecutions, hasNonTeeExecutions, counts };
}

function deploymentRow(row: Row): DeploymentRow {
  const named = namedRow<DeploymentRow>(columns.deployment, row);
  return {
    ...named,
    hasTeeExecutions: Boolean(named.hasTeeExecutions),
    hasNonTeeExecutions: Boolean(named.hasNonTeeExecutions),
  };
}

/** The last value of a page's row is the count of its list. */
function executionRow(row: Row): ExecutionRow {
  const named = namedRow<Omit<ExecutionRow, 'executedInTee' | 'errors'> & StoredParts>(columns.execution, row);
  return Object.assign(named, {
    executedInTee: named.executedInTee === null ? null : named.executedInTee === 1,
    errors: parseList<ErrorRecord>(named.errors),
  });
}

type StoredParts = { readonly executedInTee: number | null; readonly errors: string | null };
