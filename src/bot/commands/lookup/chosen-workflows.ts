/** Names of the workflows that digests chose one by one, as far as they are found within a short timeout. */

import { AppError } from '../../../shared/errors.ts';
import { waitUpTo } from '../../../shared/time/timeout.ts';
import type { Connections } from '../../connection/connections.ts';
import type { ChosenWorkflows } from '../../domain/subscription.ts';
import type { WorkflowName } from '../../query/results.ts';

/** A modal has to open within Slack's three seconds. */
const timeoutMs = 1_500;

/** Does not reject if the service does not answer. */
export async function chosenWorkflows(
  { queryClientFor }: Connections,
  teamId: string,
  plans: readonly { readonly workflows: ChosenWorkflows }[],
): Promise<readonly WorkflowName[]> {
  const uuids = new Set(plans.flatMap(({ workflows }) => (workflows.kind === 'chosen' ? workflows.uuids : [])));
  if (uuids.size === 0) return [];
  let known: readonly WorkflowName[] = [];
  const ask = async () => {
    const options = { isFresh: false, freshTimeoutMs: timeoutMs };
    known = (await queryClientFor(teamId, options).allWorkflows()).data;
  };
  await waitUpTo(timeoutMs, ask()).catch((error: unknown) => {
    // Without names, views show a count.
    if (!(error instanceof AppError)) throw error;
  });
  return known.filter(({ uuid }) => uuids.has(uuid));
}
