/** `deployment`: one deployment, or the newest of a workflow. */

import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { combinedProvenance, type Provenance } from '../../../domain/provenance.ts';
import { isIdLike, parseReference } from '../../../domain/reference.ts';
import { plainWord } from '../../../domain/window-words.ts';
import { queryHealths } from '../../../health/workflow-health.ts';
import { tookEffect, withStates } from '../../../insight/health/deployment-states.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import { nullOnFailure } from '../../../query/results.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { deploymentText } from '../../framework/arguments.ts';
import { type CommandContext, defineCommand, ephemeral } from '../../framework/command.ts';
import { findDeployment, workflowOfDeployment } from '../../lookup/find-deployment.ts';
import { chooseWorkflow, workflowNameOf } from '../../lookup/find-workflow.ts';
import { readTyped } from '../../lookup/typed-words.ts';
import { type DeploymentView, deploymentMessage } from './view.ts';

export const deployment = defineCommand({
  name: 'deployment',
  group: 'look',
  summary: 'one deployment with its transaction, artifacts, error and the runs since',
  usage: '<id or workflow>',
  examples: ['deployment payments-staging'],
  arguments: z.strictObject({ text: deploymentText }),
  run: async ({ text: typed }, context) => {
    const ask = context.ask();
    const text = readTyped(typed).words.find(isIdLike) ?? plainWord(typed);
    const reference = parseReference(text);
    const id = reference.kind === 'uuid' ? reference.uuid : await findDeployment(text, ask);
    const byId = id === null ? null : await ask.deployment(id);
    if (byId?.data) {
      const workflow = await nullOnFailure(workflowOfDeployment(byId.data.uuid, ask), 'the workflow of the deployment');
      return ephemeral(await messageOf({ deployment: byId.data, workflow: workflow.data }, byId.provenance, context));
    }
    const lineFor = (uuid: string) => `deployment ${uuid}`;
    const chosen = await chooseWorkflow({ text: typed, lineFor, takesWindow: false }, context);
    if (chosen.kind === 'choose') return ephemeral(chosen.message);
    const workflow = { uuid: chosen.uuid, name: await workflowNameOf(chosen, ask) };
    const { data, provenance } = await newestOf(workflow, ask);
    const [deployment] = data.deployments;
    if (!deployment) throw noDeployment(workflow.name, provenance);
    return ephemeral(await messageOf({ deployment, workflow }, provenance, context), chosen.lead);
  },
});

type Found = Pick<DeploymentView, 'deployment' | 'workflow'>;
const unknownPlace = { state: null, isNewest: null, previous: null, healths: [] } as const;

async function messageOf(found: Found, asOf: Provenance, context: CommandContext): Promise<Message> {
  const { deployment, workflow } = found;
  const now = context.clock();
  if (workflow === null) return deploymentMessage({ ...found, ...unknownPlace, provenance: asOf, now });
  const ask = context.ask();
  const [newest, health] = await Promise.all([newestOf(workflow, ask), queryHealths(ask, workflow.uuid, now)]);
  const { deployments } = newest.data;
  const at = deployments.findIndex(({ uuid }) => uuid === deployment.uuid);
  const newer = at < 0 ? deployments : deployments.slice(0, at);
  const [{ state } = { state: null }] = withStates([deployment], newer);
  const previous = deployments.slice(newer.length + 1).find(tookEffect) ?? null;
  const provenance = combinedProvenance(asOf, health.provenance);
  return deploymentMessage({ ...found, state, isNewest: at === 0, previous, healths: health.data, provenance, now });
}

/** The newest, and so many in which the one before it is looked for: some are rejected. */
function newestOf({ uuid: workflowUuid }: { readonly uuid: string }, ask: QueryClient) {
  return ask.deployments({ workflowUuid, page: 0, size: 10 });
}

function noDeployment(name: string, { missing }: Provenance): AppError {
  if (missing.length > 0) return new AppError('unavailable', `${name}: the deployments could not be read.`);
  return new AppError('not_found', `The query service has no deployment of ${name}: none was made, or none is kept.`);
}
