/** Reports stored secrets that cannot be decrypted to the audit and the log: each row once, until it can be decrypted again. */
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';

export type UnreadableDeps = { readonly record: AuditRecorder; readonly log: Logger };

/** @param teamId of the workspace whose row it is @returns the result of `open`; rethrows its error */
export type OpenReported = <Opened>(teamId: string, open: () => Promise<Opened>) => Promise<Opened>;

export function createOpenReported({ record, log }: UnreadableDeps): OpenReported {
  const reported = new Map<string, string>();
  return async (teamId, open) => {
    try {
      const opened = await open();
      reported.delete(teamId);
      return opened;
    } catch (error) {
      const unreadable = error instanceof AppError ? error.unreadable : undefined;
      const problem = unreadable && `${unreadable.what}: ${unreadable.why}`;
      if (unreadable && problem !== undefined && reported.get(teamId) !== problem) {
        reported.set(teamId, problem);
        log.error({ teamId, ...unreadable }, 'a stored secret cannot be decrypted');
        await record({ teamId, userId: null }, 'decrypt failure', unreadable);
      }
      throw error;
    }
  };
}
