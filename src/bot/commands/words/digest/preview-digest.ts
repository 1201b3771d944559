/** What a plan would post now: made as it is posted, and masked as the workspace has it. */

import { AppError } from '../../../../shared/errors.ts';
import type { Connections } from '../../../connection/connections.ts';
import { buildDigest } from '../../../digests/build.ts';
import type { AccessControl } from '../../access/access-control.ts';
import type { DigestsDeps } from './digests.ts';

/** Somebody is waiting; whoever posts has more time. */
const patienceMs = 20_000;

export type PreviewDeps = Pick<Connections, 'queryClientFor'> & Pick<AccessControl, 'settingsOf'>;

export function createPreview({ queryClientFor, settingsOf }: PreviewDeps): DigestsDeps['build'] {
  return async (teamId, plan, window) => {
    const { isRedacting } = await settingsOf(teamId);
    const ask = queryClientFor(teamId, { isFresh: false, onWait: () => undefined });
    const now = window.to;
    const about = { teamId, plan, zone: plan.schedule.zone, window, isRedacting };
    const signal = AbortSignal.timeout(patienceMs);
    try {
      return await buildDigest(ask, { ...about, isLate: false, dueAt: now, missed: [], now }, signal);
    } catch (error) {
      throw error === signal.reason ? tooSlow(error) : error;
    }
  };
}

function tooSlow(cause: unknown): AppError {
  return new AppError('unavailable', 'Reading all failures of the last 24 hours took too long.', { cause });
}
