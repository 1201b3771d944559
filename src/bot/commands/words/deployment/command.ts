/** `deployment`: one deployment, or the newest of a workflow. */

import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { isIdLike, parseReference } from '../../../domain/reference.ts';
import { plainWord } from '../../../domain/window-words.ts';
import { queryHealths } from '../../../health/workflow-health.ts';
import { tookEffect } from '../../../insight/health/deployment-states.ts';
import { nullOnFailure } from '../../../query/null-on-failure.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import { deploymentText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { findDeployment, workflowOfDeployment } from '../../lookup/find-deployment.ts';
import { chooseWorkflow, workflowNameOf } from '../../lookup/find-workflow.ts';
import { readTyped } from '../../lookup/typed-words.ts';
import { deploymentMessage } from './view.ts';

export const deployment = defineCommand({
  name: 'deployment',
  group: 'look',
  summary: 'one deployment with its transaction, artifacts, error and the runs since',
  usage: '<id or workflow>',
  examples: ['deployment payments-staging'],
  arguments: z.strictObject({ text: deploymentText }),
  run: async ({ text: typed }, context) => {
    const ask = context.ask();
    const now = context.clock();
    const text = readTyped(typed).words.find(isIdLike) ?? plainWord(typed);
    const reference = parseReference(text);
    const id = reference.kind === 'uuid' ? reference.uuid : await findDeployment(text, ask);
    const { data, provenance } = id === null ? nothing : await ask.deployment(id);
    if (data && provenance) {
      const among = await findAmong(data, ask);
      const health = among.workflow && (await queryHealths(ask, among.workflow.uuid, now));
      const asOf = combinedProvenance(provenance, ...(health ? [health.provenance] : []));
      const healths = health?.data ?? [];
      return ephemeral(deploymentMessage({ deployment: data, ...among, healths, provenance: asOf, now }));
    }
    const lineFor = (uuid: string) => `deployment ${uuid}`;
    const chosen = await chooseWorkflow({ text: typed, lineFor, takesWindow: false }, context);
    if (chosen.kind === 'choose') return ephemeral(chosen.message);
    const { uuid, lead } = chosen;
    const workflow = { uuid, name: await workflowNameOf(chosen, ask) };
    const [newest, health] = await Promise.all([
      ask.deployments({ workflowUuid: uuid, page: 0, size: comparedMax }),
      queryHealths(ask, uuid, now),
    ]);
    const [latest, ...earlier] = newest.data.deployments;
    if (!latest)
      throw new AppError(
        'not_found',
        `The query service has no deployment of ${workflow.name}: none was made, or none is kept.`,
      );
    const previous = earlier.find(tookEffect) ?? null;
    const found = { deployment: latest, workflow, isNewest: true, previous, healths: health.data };
    const asOf = combinedProvenance(newest.provenance, health.provenance);
    return ephemeral(deploymentMessage({ ...found, provenance: asOf, now }), lead);
  },
});

/** The newest, and so many in which the one before it is looked for: some are rejected. */
const comparedMax = 10;

/** Looks for the workflow among those that ran last. */
async function findAmong({ uuid }: { readonly uuid: string }, ask: QueryClient) {
  const workflow = (await nullOnFailure(workflowOfDeployment(uuid, ask), 'the workflow of the deployment')).data;
  if (workflow === null) return { workflow: null, isNewest: null, previous: null };
  const { data } = await ask.deployments({ workflowUuid: workflow.uuid, page: 0, size: comparedMax });
  const at = data.deployments.findIndex((one) => one.uuid === uuid);
  return {
    workflow,
    isNewest: at === 0,
    previous: at < 0 ? null : (data.deployments.slice(at + 1).find(tookEffect) ?? null),
  };
}

const nothing = { data: null, provenance: null };
