/** The workflows that digests are about one by one, by name: as far as is known before anybody has to wait for it. */

import { AppError } from '../../../shared/errors.ts';
import { waitUpTo } from '../../../shared/time/timeout.ts';
import type { Connections } from '../../connection/connections.ts';
import type { SubscriptionPlan } from '../../domain/subscription.ts';
import type { WorkflowName } from '../../query/results.ts';

export type ChosenWorkflowsDeps = Pick<Connections, 'queryClientFor'>;

/** Never rejects for want of an answer. */
export type ChosenWorkflowsOf = (
  teamId: string,
  plans: readonly Pick<SubscriptionPlan, 'workflows'>[],
) => Promise<readonly WorkflowName[]>;

/** Of the three seconds that Slack gives a window. */
const patienceMs = 1_500;

export function createChosenWorkflows({ queryClientFor }: ChosenWorkflowsDeps): ChosenWorkflowsOf {
  return async (teamId, plans) => {
    const uuids = new Set(plans.flatMap(({ workflows }) => (workflows.kind === 'chosen' ? workflows.uuids : [])));
    if (uuids.size === 0) return [];
    let known: readonly WorkflowName[] = [];
    const ask = async () => {
      const options = { isFresh: false, onWait: () => undefined, freshTimeoutMs: patienceMs };
      known = (await queryClientFor(teamId, options).allWorkflows()).data;
    };
    await waitUpTo(patienceMs, ask()).catch(passOver);
    return known.filter(({ uuid }) => uuids.has(uuid));
  };
}

/** Without names they are counted. */
function passOver(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
