/** Plans of the root fields for workflows, their activity and their deployments, and for the organization of the key. */

import type { Counts } from '../../../records/port.ts';
import { type ReadCost, readCosts } from '../../../records/read-cost.ts';
import { readCounts, readCountsByDay, readManyCounts } from '../../../records/reads/read-counts.ts';
import {
  countDeployments,
  type DeploymentColumn,
  listDeployments,
  readDeployment,
} from '../../../records/reads/read-deployments.ts';
import {
  type AccountColumn,
  type OrganizationColumn,
  readAccount,
  readOrganization,
} from '../../../records/reads/read-people.ts';
import {
  countWorkflows,
  hasWorkflow,
  listWorkflows,
  readOwnerAddresses,
  totalsOf,
  totalsStatement,
  type WorkflowColumn,
  type WorkflowList,
  workflowColumns,
  workflowStatement,
} from '../../../records/reads/read-workflows.ts';
import { namedRow, rowsOf, type Steps } from '../../../records/reads/steps.ts';
import type { Engine, Row } from '../../../records/sql.ts';
import { type ActivityInput, bucketsOf, readActivityInput } from '../../resolvers/activity.ts';
import { type DeploymentsInput, readDeploymentsInput } from '../../resolvers/deployments.ts';
import { readText } from '../../resolvers/input.ts';
import { organizationInfo, tenant } from '../../resolvers/organization.ts';
import { readWorkflowsInput, type WorkflowInput, type WorkflowsInput } from '../../resolvers/workflows.ts';
import { byName, createColumns, objectTypeOf, type Places, writeObject, writeStoredObject } from '../objects.ts';
import { type Output, type PlanCaller, planOutput, type RootPlanner } from '../root-plan.ts';

/** Needs of a selection: columns of the table, and sums over executions. */
type Needs = { readonly columns: readonly WorkflowColumn[]; readonly hasTees: boolean; readonly hasCounts: boolean };

function createNeeds(): { readonly places: Places; readonly needs: () => Needs } {
  const names = new Set<string>(['uuid']);
  const at = (name: string) => {
    names.add(name);
    return byName.at(name);
  };
  const isOneOf = (...wanted: readonly string[]) => wanted.some((name) => names.has(name));
  const needs = () => ({
    columns: [...names].filter((name): name is WorkflowColumn => name in workflowColumns),
    hasTees: isOneOf('hasTeeExecutions', 'hasNonTeeExecutions'),
    hasCounts: isOneOf('total', 'success', 'failure', 'creditMicros'),
  });
  return { places: { at }, needs };
}

export const workflows: RootPlanner = (type, selected) => {
  const { places, needs } = createNeeds();
  const output = planOutput(type, selected, places);
  const wanted = needs();
  return (input: WorkflowsInput, { engine, organizationId }) => {
    const list = { organizationId, ...readWorkflowsInput(input) };
    return {
      read: output.hasData ? 'workflows' : 'workflowCount',
      cost: readCosts.workflowCount(organizationId, list.filter),
      steps: workflowsText(engine, wanted, list, output),
    };
  };
};

function* workflowsText(
  engine: Engine,
  { columns, hasTees, hasCounts }: Needs,
  list: WorkflowList,
  { hasData, hasCount, write }: Output,
): Steps<string> {
  const { organizationId, filter } = list;
  const rows = hasData ? yield* listWorkflows(engine, columns, list) : [];
  const found = rows.map((row) => namedRow<{ readonly uuid: string }>(columns, row));
  const count = hasCount ? yield* countWorkflows(engine, organizationId, filter) : 0;
  if (found.length === 0 || !(hasTees || hasCounts)) return write({ data: found, count });
  const uuids = found.map(({ uuid }) => uuid);
  const totals = yield* rowsOf(totalsStatement(engine, organizationId, uuids));
  const byWorkflow = Map.groupBy(totals, (row) => row.at(-1));
  return write({ data: found.map((row) => ({ ...row, ...sums(byWorkflow.get(row.uuid) ?? []) })), count });
}

export const workflow: RootPlanner = (type, selected) => {
  const { places, needs } = createNeeds();
  const output = planOutput(type, selected, places);
  const wanted = needs();
  return (input: WorkflowInput, { engine, organizationId }) => {
    const uuid = readText('uuid', input.uuid);
    const span = { from: input.from, until: null };
    const steps = function* (): Steps<string | null> {
      const [[row] = [], totals = []] = yield [
        workflowStatement(engine, wanted.columns, organizationId, uuid),
        ...(wanted.hasTees ? [totalsStatement(engine, organizationId, [uuid])] : []),
      ];
      if (row === undefined) return null;
      const counts = wanted.hasCounts ? yield* readCounts(engine, organizationId, uuid, span) : undefined;
      return output.write({ data: { ...namedRow<object>(wanted.columns, row), ...sums(totals), ...counts } });
    };
    return { read: 'workflow', cost: readCosts.workflow(organizationId, uuid, span), steps: steps() };
  };
};

function sums(totals: readonly Row[]): Counts & { readonly hasTeeExecutions: boolean } {
  const { counts, ...tees } = totalsOf(totals);
  return { ...tees, ...counts };
}

export const workflowActivity: RootPlanner = (type, selected) => {
  const { write } = planOutput(type, selected, byName);
  return (input: ActivityInput, { engine, organizationId, clock }) => {
    const { from, to, span, workflowUuid } = readActivityInput(input, clock());
    const steps = function* (): Steps<string> {
      const counts = yield* readCountsByDay(engine, organizationId, workflowUuid, span);
      // Counts prove that the workflow exists; without counts it has to be looked up.
      const isThere = counts.length > 0 || workflowUuid === null;
      const isKnown = isThere || (yield* hasWorkflow(engine, organizationId, workflowUuid));
      return write({ data: isKnown ? bucketsOf(from, to, counts) : [] });
    };
    return {
      read: 'countsByDay',
      cost: readCosts.countsByDay(organizationId, workflowUuid, span),
      steps: steps(),
    };
  };
};

export const getOrganization: RootPlanner = (type, { fields }) => {
  const columns = createColumns<OrganizationColumn>();
  const write = writeObject(objectTypeOf(type), fields, columns);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      const row = yield* readOrganization(engine, columns.names, organizationId);
      return row ? write(row) : 'null';
    };
    return { read: 'organization', cost: 'bounded', steps: steps() };
  };
};

export const getAccountDetails: RootPlanner = (type, { fields }) => {
  const columns = createColumns<AccountColumn>();
  const write = writeObject(objectTypeOf(type), fields, columns);
  return (_, { engine, organizationId, memberId }) => {
    const steps = function* (): Steps<string> {
      const row = memberId === null ? undefined : yield* readAccount(engine, columns.names, organizationId, memberId);
      return row ? write(row) : 'null';
    };
    return { read: 'account', cost: 'bounded', steps: steps() };
  };
};

export const getTenantConfig: RootPlanner = (type, { fields }) => {
  const write = writeStoredObject(objectTypeOf(type), fields);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      const row = yield* readOrganization(engine, ['tenantId'], organizationId);
      return row ? write({ tenantId: row[0], ...tenant }) : 'null';
    };
    return { read: 'organization', cost: 'bounded', steps: steps() };
  };
};

export const getCreOrganizationInfo: RootPlanner = (type, { fields }) => {
  const write = writeStoredObject(objectTypeOf(type), fields);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      return write(organizationInfo(organizationId, yield* readOwnerAddresses(engine, organizationId)));
    };
    return { read: 'ownerAddresses', cost: readCosts.ownerAddresses(organizationId), steps: steps() };
  };
};

type IsUnbounded = (cost: ReadCost) => boolean;

export const workflowDeployments: RootPlanner = (type, selected) => {
  const { places, columns, withCounts } = createDeploymentPlaces();
  const { hasData, hasCount, write } = planOutput(type, selected, places);
  return (input: DeploymentsInput, caller, isUnbounded) => {
    const { engine, organizationId } = caller;
    const list = { organizationId, ...readDeploymentsInput(input) };
    const steps = function* (): Steps<string | null> {
      const rows = hasData ? yield* listDeployments(engine, columns(), list) : [];
      const data = yield* withCounts(rows, caller, isUnbounded);
      if (data === null) return null;
      const count = hasCount ? yield* countDeployments(engine, organizationId, list.filter) : 0;
      return write({ data, count });
    };
    const read = hasData ? 'deployments' : 'deploymentCount';
    return { read, cost: readCosts.deploymentCount(organizationId, list.filter), steps: steps() };
  };
};

export const workflowDeployment: RootPlanner = (type, selected) => {
  const { places, columns, withCounts } = createDeploymentPlaces();
  const { write } = planOutput(type, selected, places);
  return ({ uuid: given }: { readonly uuid: string }, caller, isUnbounded) => {
    const uuid = readText('uuid', given);
    const steps = function* (): Steps<string | null> {
      const row = yield* readDeployment(caller.engine, columns(), caller.organizationId, uuid);
      const [data] = (yield* withCounts(row ? [row] : [], caller, isUnbounded)) ?? [];
      return data === undefined ? null : write({ data });
    };
    return { read: 'deployment', cost: 'bounded', steps: steps() };
  };
};

const countNames: readonly string[] = ['success', 'failure'];
/** The columns that limit the counts of a deployment. */
const spanColumns = ['workflowUuid', 'deployedAt', 'nextDeployedAt'] as const;

/** The counts of a deployment are in front of its columns. */
function createDeploymentPlaces() {
  const columns = createColumns<DeploymentColumn>();
  let hasCounts = false;
  const places: Places = {
    at(name) {
      const index = countNames.indexOf(name);
      if (index < 0) return countNames.length + Number(columns.at(name));
      hasCounts = true;
      return index;
    },
  };
  const spanOf = (row: Row) => {
    const [uuid, from, until] = spanColumns.map((name) => row[Number(columns.at(name))] ?? null);
    return {
      workflowUuid: String(uuid),
      span: { from: Number(from), until: until === null ? null : Number(until) },
    };
  };
  /** @returns null if no index bounds the counts */
  function* withCounts(
    rows: readonly Row[],
    { engine, organizationId }: PlanCaller,
    isUnbounded: IsUnbounded,
  ): Steps<readonly Row[] | null> {
    if (!hasCounts) return rows.map((row) => [0, 0, ...row]);
    const wanted = rows.map(spanOf);
    if (wanted.some(({ workflowUuid, span }) => isUnbounded(readCosts.counts(organizationId, workflowUuid, span))))
      return null;
    const counts = yield* readManyCounts(engine, organizationId, wanted);
    return rows.map((row, index) => [counts[index]?.success ?? 0, counts[index]?.failure ?? 0, ...row]);
  }
  const names = () => {
    if (hasCounts) for (const name of spanColumns) columns.at(name);
    return columns.names;
  };
  return { places, columns: names, withCounts };
}
