/** `deployment`: one deployment, or the newest of a workflow. */

import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { parseReference } from '../../../domain/reference.ts';
import { plainWord } from '../../../domain/window-words.ts';
import { lastToRun, queryHealths } from '../../../health/workflow-health.ts';
import { tookEffect } from '../../../insight/health/deployment-states.ts';
import { nullOnFailure } from '../../../query/null-on-failure.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import type { Answered, Workflow } from '../../../query/results.ts';
import { deploymentText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { chooseWorkflow, workflowNameOf } from '../../lookup/find-workflow.ts';
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
    const text = plainWord(typed);
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
    const chosen = await chooseWorkflow({ typed, ask, lineFor, takesWindow: false });
    if (chosen.kind === 'choose') return ephemeral(chosen.message);
    const { uuid, takenFor } = chosen;
    const workflow = { uuid, name: await nameOrRefuse(chosen, ask), takenFor };
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
    return ephemeral(deploymentMessage({ ...found, provenance: asOf, now }));
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
    workflow: { uuid: workflow.uuid, name: workflow.name, takenFor: null },
    isNewest: at === 0,
    previous: at < 0 ? null : (data.deployments.slice(at + 1).find(tookEffect) ?? null),
  };
}

const nothing = { data: null, provenance: null };

/** An unknown uuid was probably meant as a deployment's. */
async function nameOrRefuse(workflow: { readonly uuid: string; readonly name: string | null }, ask: QueryClient) {
  try {
    return await workflowNameOf(workflow, ask);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError(
      'not_found',
      'There is no deployment with this id in the organization to which this workspace is connected.',
      {
        command: { line: 'deployments <name>', purpose: 'see the deployments of a workflow' },
        cause: error,
      },
    );
  }
}

/** `415860ba`, `0xa8a617`, a whole transaction, or both ends of one as in `0xa8a617…09b82f`. */
const shownPattern = /^(0x)?([0-9a-f-]{6,64})(?:(?:…|\.{3})([0-9a-f]{4,64}))?$/i;

/** @returns the uuid of the deployment; null if the text is no reference to one, or none has it @throws AppError `usage` if several have it */
async function findDeployment(typed: string, ask: QueryClient): Promise<string | null> {
  const [, marker, start = '', end = ''] = shownPattern.exec(typed) ?? [];
  // A word of a few letters, such as `facade`, is a name.
  if (start === '' || (marker === undefined && !/\d/.test(start))) return null;
  const { data: workflows } = await ask.everyWorkflow();
  const { data } = await ask.deploymentsOf(lastToRun(workflows).map(({ uuid }) => uuid));
  const isMeant = (id: string | null) => {
    const digits = (id ?? '').toLowerCase().replace(/^0x/, '');
    return digits.startsWith(start.toLowerCase()) && digits.endsWith(end.toLowerCase());
  };
  const found = [...data.values()].flat().filter(({ uuid, txHash }) => isMeant(uuid) || isMeant(txHash));
  const [only, second] = new Set(found.map(({ uuid }) => uuid));
  if (second === undefined) return only ?? null;
  throw new AppError('usage', 'Several deployments begin with these characters.', {
    hint: 'Type more of the id, or choose one in the list of deployments of its workflow.',
  });
}

/** @returns the workflow that has the deployment; null if none of those that ran last has it */
async function workflowOfDeployment(uuid: string, ask: QueryClient): Promise<Answered<Workflow | null>> {
  const { data: workflows } = await ask.everyWorkflow();
  const { data, provenance } = await ask.deploymentsOf(lastToRun(workflows).map((workflow) => workflow.uuid));
  const found = workflows.find((workflow) => data.get(workflow.uuid)?.some((one) => one.uuid === uuid));
  return { data: found ?? null, provenance };
}
