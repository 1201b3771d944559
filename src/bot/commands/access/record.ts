/** Writing down who did what in a workspace: never in the way of what is done. */

import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditAction } from '../../domain/audit-action.ts';
import type { Audit, AuditEntry } from '../../store/repositories/audit.ts';

/** `userId` is null for what the bot did by itself. */
export type Doer = { readonly teamId: string; readonly userId: string | null };

/**
 * Never rejects: where it cannot be written down the log says so.
 * @param detail what it was done to; never a secret, nor a value of one
 */
export type Recorder = (doer: Doer, action: AuditAction, detail?: AuditEntry['detail']) => Promise<void>;

export type RecorderDeps = {
  readonly audit: Pick<Audit, 'add'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A short id that is in the entry and in the log. */
  readonly createReference: () => string;
};

export function createRecorder({ audit, clock, log, createReference }: RecorderDeps): Recorder {
  return async ({ teamId, userId }, action, detail = {}) => {
    const ref = createReference();
    try {
      const head = await audit.add(teamId, { at: clock(), userId: userId ?? '', action, detail: { ...detail, ref } });
      log.info({ teamId, action, ref, ...head }, 'audit entry written');
    } catch (error) {
      log.error({ teamId, action, ref, err: error }, 'audit entry could not be written');
    }
  };
}
