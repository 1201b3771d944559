/** Plans of the root fields for deployments: a workflow's history, and one deployment. */
import { AppError } from '../../../../shared/errors.ts';
import { readManyCounts } from '../../../records/reads/read-counts.ts';
import {
  countDeployments,
  type DeploymentColumn,
  listDeployments,
  readDeployment,
} from '../../../records/reads/read-deployments.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import type { Row } from '../../../records/sql.ts';
import { type DeploymentsInput, readDeploymentsInput, readText } from '../../inputs.ts';
import { createColumns, type Places } from '../objects.ts';
import { type PlanCaller, planOutput, type RootPlanner, type RootText } from '../root-plan.ts';

export const workflowDeployments: RootPlanner = (type, selected) => {
  const { places, columns, withCounts } = createDeploymentPlaces();
  const { hasData, hasCount, write } = planOutput(type, selected, places);
  return (input: DeploymentsInput, caller) => {
    const { engine, organizationId } = caller;
    const list = { organizationId, ...readDeploymentsInput(input) };
    const steps = function* (): Steps<string> {
      const rows = hasData ? yield* listDeployments(engine, columns(), list) : [];
      const data = yield* withCounts(rows, caller);
      const count = hasCount ? yield* countDeployments(engine, organizationId, list.filter) : 0;
      return write({ data, count });
    };
    return { kind: 'steps', read: hasData ? 'deployments' : 'deploymentCount', steps: steps() };
  };
};

export const workflowDeployment: RootPlanner = (type, selected) => {
  const { places, columns, withCounts } = createDeploymentPlaces();
  const { write } = planOutput(type, selected, places);
  return ({ uuid: given }: { readonly uuid: string }, caller) => {
    const uuid = readText('uuid', given);
    const steps = function* (): Steps<RootText> {
      const row = yield* readDeployment(caller.engine, columns(), caller.organizationId, uuid);
      if (row === undefined)
        return { kind: 'failure', error: new AppError('not_found', 'workflow deployment not found') };
      const [data = row] = yield* withCounts([row], caller);
      return write({ data });
    };
    return { kind: 'steps', read: 'deployment', steps: steps() };
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
  function* withCounts(rows: readonly Row[], { engine, organizationId }: PlanCaller): Steps<readonly Row[]> {
    if (!hasCounts) return rows.map((row) => [0, 0, ...row]);
    const wanted = rows.map(spanOf);
    const counts = yield* readManyCounts(engine, organizationId, wanted);
    return rows.map((row, index) => [counts[index]?.success ?? 0, counts[index]?.failure ?? 0, ...row]);
  }
  const names = () => {
    if (hasCounts) for (const name of spanColumns) columns.at(name);
    return columns.names;
  };
  return { places, columns: names, withCounts };
}
