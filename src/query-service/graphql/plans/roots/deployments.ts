/** Plans of the root fields for deployments: the history of a workflow, and one deployment. */
import { type ReadCost, readCosts } from '../../../records/read-cost.ts';
import { readManyCounts } from '../../../records/reads/read-counts.ts';
import {
  countDeployments,
  type DeploymentColumn,
  listDeployments,
  readDeployment,
} from '../../../records/reads/read-deployments.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import type { Row } from '../../../records/sql.ts';
import { type DeploymentsInput, readDeploymentsInput } from '../../resolvers/deployments.ts';
import { readText } from '../../resolvers/input.ts';
import { createColumns, type Places } from '../objects.ts';
import { type PlanCaller, planOutput, type RootPlanner } from '../root-plan.ts';

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
