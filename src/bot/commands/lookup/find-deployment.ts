/** Finds a deployment by its id, its transaction or the beginning of one, and the workflow of a deployment. */
import { AppError } from '../../../shared/errors.ts';
import { lastToRun } from '../../health/workflow-health.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Answered, Workflow } from '../../query/results.ts';

/** `415860ba`, `0xa8a617`, a whole transaction, or both ends of one as in `0xa8a617…09b82f`. */
const shownPattern = /^(0x)?([0-9a-f-]{6,64})(?:(?:…|\.{3})([0-9a-f]{4,64}))?$/i;

/** @returns the uuid of the deployment; null if the text is no reference to one, or none has it @throws AppError `usage` if several have it */
export async function findDeployment(typed: string, ask: QueryClient): Promise<string | null> {
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
  throw new AppError('usage', 'Several deployments have an id or a transaction like this.', {
    hint: 'Type more of it, or choose one in the list of deployments of its workflow.',
  });
}

/** @returns the workflow that has the deployment; null if none of those that ran last has it */
export async function workflowOfDeployment(uuid: string, ask: QueryClient): Promise<Answered<Workflow | null>> {
  const { data: workflows } = await ask.everyWorkflow();
  const { data, provenance } = await ask.deploymentsOf(lastToRun(workflows).map((workflow) => workflow.uuid));
  const found = workflows.find((workflow) => data.get(workflow.uuid)?.some((one) => one.uuid === uuid));
  return { data: found ?? null, provenance };
}
