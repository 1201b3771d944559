/** `deployments`: deploys, activations and pauses of one workflow, newest first. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { queryHealths } from '../../../health/workflow-health.ts';
import { pageNumber, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { chooseWorkflow, workflowNameOf } from '../../lookup/find-workflow.ts';
import { deploymentListMessage } from './view.ts';

const pageSize = 10;

export const deployments = defineCommand({
  name: 'deployments',
  group: 'look',
  summary: 'the deployments and pauses of one workflow, with their errors and the runs until the next',
  usage: '<name> [--page n]',
  examples: ['deployments payments', 'deployments loyalty-points'],
  arguments: z.strictObject({ text: workflowText, page: pageNumber }),
  run: async ({ text, page }, context) => {
    const ask = context.ask();
    const lineFor = (uuid: string) => `deployments ${uuid}`;
    const chosen = await chooseWorkflow({ text, lineFor, takesWindow: false }, context);
    if (chosen.kind === 'choose') return ephemeral(chosen.message);
    const { uuid, lead } = chosen;
    const now = context.clock();
    const [name, zone, newest, { data, provenance: asOf }, health] = await Promise.all([
      workflowNameOf(chosen, ask),
      context.zone(),
      page > 1 ? ask.deployments({ workflowUuid: uuid, page: 0, size: pageSize }) : null,
      ask.deployments({ workflowUuid: uuid, page: page - 1, size: pageSize }),
      queryHealths(ask, uuid, now),
    ]);
    const workflow = { uuid, name };
    const provenance = combinedProvenance(asOf, health.provenance);
    const newer = newest?.data.deployments ?? [];
    return ephemeral(
      deploymentListMessage({ ...data, healths: health.data, workflow, page, newer, zone, provenance, now }),
      lead,
    );
  },
});
