/** The reads of the records as objects with every column. */
import type { DeploymentRow, DetailWanted, ExecutionDetail, ExecutionRow, Records, WorkflowRow } from '../port.ts';
import type { AccountRecord, ErrorRecord, OrganizationRecord } from '../record.ts';
import type { Engine, Row, RunStatements } from '../sql.ts';
import { eventRecord, logRecord } from '../tables/details.ts';
import { executionColumns } from './execution-list.ts';
import { type ConcurrencyLimit, parseList, parseLongList } from './parse-list.ts';
import { readCounts, readCountsByDay } from './read-counts.ts';
import { countDeployments, deploymentColumns, listDeployments, readDeployment } from './read-deployments.ts';
import { type DetailList, readLists, readShortLists } from './read-detail.ts';
import { countExecutionList, listExecutions, readExecution, readExecutionPage } from './read-executions.ts';
import { accountColumns, organizationColumns, readAccount, readOrganization } from './read-people.ts';
import {
  countWorkflows,
  hasWorkflow,
  listWorkflows,
  readOwnerAddresses,
  totalsOf,
  totalsStatement,
  workflowColumns,
  workflowStatement,
} from './read-workflows.ts';
import { namedRow, namesOf, rowsOf, runSteps, type Steps } from './steps.ts';

const columns = {
  organization: namesOf(organizationColumns),
  account: namesOf(accountColumns),
  workflow: namesOf(workflowColumns),
  deployment: namesOf(deploymentColumns),
  execution: namesOf(executionColumns),
};

/** @param run on a database with the tables of migrations.ts @param limitLongText runs each read of a long text; no limit by default */
export function createRecords(
  engine: Engine,
  run: RunStatements,
  limitLongText: ConcurrencyLimit = (work) => work(),
): Records {
  const read = async <Result>(steps: Steps<Result>) => runSteps(steps, run);
  return {
    async organization(organizationId) {
      const row = await read(readOrganization(engine, columns.organization, organizationId));
      return row ? namedRow<OrganizationRecord>(columns.organization, row) : null;
    },
    async account(organizationId, memberId) {
      const row = await read(readAccount(engine, columns.account, organizationId, memberId));
      return row ? namedRow<AccountRecord>(columns.account, row) : null;
    },
    workflows: (organizationId, filter, order, slice) =>
      read(workflowRows(engine, { organizationId, filter, order, slice })),
    workflowCount: (organizationId, filter) => read(countWorkflows(engine, organizationId, filter)),
    workflow: (organizationId, uuid, span) => read(workflowRow(engine, organizationId, uuid, span)),
    hasWorkflow: (organizationId, uuid) => read(hasWorkflow(engine, organizationId, uuid)),
    ownerAddresses: (organizationId) => read(readOwnerAddresses(engine, organizationId)),
    async deployments(organizationId, filter, order, slice) {
      const list = listDeployments(engine, columns.deployment, { organizationId, filter, order, slice });
      return (await read(list)).map(deploymentRow);
    },
    deploymentCount: (organizationId, filter) => read(countDeployments(engine, organizationId, filter)),
    async deployment(organizationId, uuid) {
      const row = await read(readDeployment(engine, columns.deployment, organizationId, uuid));
      return row ? deploymentRow(row) : null;
    },
    async executions(organizationId, filter, order, slice) {
      const list = listExecutions(engine, columns.execution, { organizationId, filter, order, slice });
      return (await read(list)).map(executionRow);
    },
    executionCount: (organizationId, filter) => read(countExecutionList(engine, organizationId, filter)),
    async executionPage(organizationId, filter, order, slice) {
      const page = readExecutionPage(engine, columns.execution, { organizationId, filter, order, slice });
      const { rows, count } = await read(page);
      return { rows: rows.map(executionRow), count };
    },
    async execution(organizationId, uuid) {
      const row = await read(readExecution(engine, columns.execution, organizationId, uuid));
      return row ? executionRow(row) : null;
    },
    executionDetail: (organizationId, uuid, wanted) =>
      readDetail({ engine, read, limitLongText }, organizationId, uuid, wanted),
    counts: (organizationId, workflowUuid, span) => read(readCounts(engine, organizationId, workflowUuid, span)),
    countsByDay: (organizationId, workflowUuid, span) =>
      read(readCountsByDay(engine, organizationId, workflowUuid, span)),
  };
}

function* workflowRows(engine: Engine, list: Parameters<typeof listWorkflows>[2]): Steps<readonly WorkflowRow[]> {
  const rows = yield* listWorkflows(engine, columns.workflow, list);
  const found = rows.map((row) => namedRow<WorkflowRow>(columns.workflow, row));
  const uuids = found.map(({ uuid }) => uuid);
  const totals = uuids.length === 0 ? [] : yield* rowsOf(totalsStatement(engine, list.organizationId, uuids));
  const byWorkflow = Map.groupBy(totals, (row) => row.at(-1));
  return found.map((row) => ({ ...row, ...totalsOf(byWorkflow.get(row.uuid) ?? []) }));
}

function* workflowRow(
  engine: Engine,
  organizationId: string,
  uuid: string,
  span: Parameters<Records['workflow']>[2],
): Steps<WorkflowRow | null> {
  const [[row] = [], totals = []] = yield [
    workflowStatement(engine, columns.workflow, organizationId, uuid),
    totalsStatement(engine, organizationId, [uuid]),
  ];
  if (row === undefined) return null;
  const counts = yield* readCounts(engine, organizationId, uuid, span);
  return { ...namedRow<WorkflowRow>(columns.workflow, row), ...totalsOf(totals), counts };
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

type DetailReader = {
  readonly engine: Engine;
  readonly read: <Result>(steps: Steps<Result>) => Promise<Result>;
  readonly limitLongText: ConcurrencyLimit;
};

async function readDetail(
  { engine, read, limitLongText }: DetailReader,
  organizationId: string,
  uuid: string,
  wanted: DetailWanted,
): Promise<ExecutionDetail> {
  const lists = [...wanted];
  const found = await read(readShortLists(engine, organizationId, uuid, lists));
  const texts = new Map(lists.map((list, index) => [list, found[index]?.text ?? null]));
  const long = lists.filter((_, index) => found[index]?.isLong);
  if (long.length === 0) return parsed(texts);
  return limitLongText(async () => {
    const rest = await read(readLists(engine, organizationId, uuid, long));
    for (const [index, list] of long.entries()) texts.set(list, rest[index] ?? null);
    return parsed(texts);
  });
}

async function parsed(texts: ReadonlyMap<DetailList, string | null>): Promise<ExecutionDetail> {
  return {
    logs: (await parseLongList(texts.get('logs') ?? null, logRecord)) ?? [],
    events: (await parseLongList(texts.get('events') ?? null, eventRecord)) ?? [],
  };
}
