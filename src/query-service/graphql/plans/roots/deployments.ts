/** Plans of the root fields for deployments: the history of a workflow, and one deployment. */
import { readCosts } from '../../../records/read-cost.ts';
import {
  countDeployments,
  type DeploymentColumn,
  listDeployments,
  readDeployment,
} from '../../../records/reads/read-deployments.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import { type DeploymentsInput, readDeploymentsInput } from '../../resolvers/deployments.ts';
import { readText } from '../../resolvers/input.ts';
import { createColumns } from '../objects.ts';
import { planOutput, type RootPlanner } from '../root-plan.ts';

export const workflowDeployments: RootPlanner = (type, selected) => {
  const columns = createColumns<DeploymentColumn>();
  const { hasData, hasCount, write } = planOutput(type, selected, columns);
  return (input: DeploymentsInput, { engine, organizationId }) => {
    const list = { organizationId, ...readDeploymentsInput(input) };
    const steps = function* (): Steps<string> {
      const data = hasData ? yield* listDeployments(engine, columns.names, list) : [];
      const count = hasCount ? yield* countDeployments(engine, organizationId, list.filter) : 0;
      return write({ data, count });
    };
    const read = hasData ? 'deployments' : 'deploymentCount';
    return { read, cost: readCosts.deploymentCount(organizationId, list.filter), steps: steps() };
  };
};

export const workflowDeployment: RootPlanner = (type, selected) => {
  const columns = createColumns<DeploymentColumn>();
  const { write } = planOutput(type, selected, columns);
  return ({ uuid: given }: { readonly uuid: string }, { engine, organizationId }) => {
    const uuid = readText('uuid', given);
    const steps = function* (): Steps<string | null> {
      const data = yield* readDeployment(engine, columns.names, organizationId, uuid);
      return data === undefined ? null : write({ data });
    };
    return { read: 'deployment', cost: 'bounded', steps: steps() };
  };
};
