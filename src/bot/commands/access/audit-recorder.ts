/** Records in the audit who did what in a workspace. A failed write is logged and blocks nothing. */

import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Audit } from '../../store/repositories/audit.ts';

export type AuditRecorderDeps = {
  readonly audit: Pick<Audit, 'add'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes a short id that links the entry to the log. */
  readonly createReference: () => string;
};

export function createAuditRecorder({ audit, clock, log, createReference }: AuditRecorderDeps): AuditRecorder {
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
