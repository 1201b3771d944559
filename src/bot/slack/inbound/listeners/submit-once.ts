/** Submits a form once where several processes receive it: the process that takes its lease first does. */

import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { Submit, Submitted } from '../../../commands/framework/submit.ts';
import type { Lease, Leases } from '../../../store/repositories/leases.ts';
import { sentAlreadyModal } from '../../../views/notices/modal-notices.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import type { SubmittedView } from './submission.ts';

export type SubmitOnceDeps = {
  readonly submit: Submit;
  /** What the processes share; left out where there is one. */
  readonly leases?: Pick<Leases, 'take'> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

export type SubmitOnce = (submitted: SubmittedView) => Promise<Submitted>;

/** As long as a view stands open after it was submitted, and then some. */
const leaseMs = 10 * 60_000;

/** A store that does not say is no reason to lose what somebody has filled in. */
export function createSubmitOnce({ submit, leases, clock, log }: SubmitOnceDeps): SubmitOnce {
  if (!leases) return submit;
  return async (submitted) => {
    const { actor, viewId, hash } = submitted;
    const { teamId } = actor;
    const onSilence = (error: unknown) => {
      log.warn({ teamId, error: describe(error) }, 'store does not say whether a form was sent already');
      return unshared;
    };
    const lease = await leases.take(teamId, `form ${viewId} ${hash}`, clock(), leaseMs).catch(onSilence);
    if (!lease) return { kind: 'view', view: sentAlreadyModal() };
    const outcome = await submit(submitted);
    if (comesAgain(outcome)) await lease.release().catch(onSilence);
    return outcome;
  };
}

/** What has to be corrected is sent again, with the same hash; so is what somebody comes back to. */
export function comesAgain({ kind }: Submitted): boolean {
  return kind === 'errors' || kind === 'problem' || kind === 'next';
}

const unshared: Lease = { release: async () => undefined };
