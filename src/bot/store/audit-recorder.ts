/** Writes audit entries: alone, or in one transaction with the change that they are about. */
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { AuditRecorder } from '../domain/audit-action.ts';
import type { Audit } from './repositories/audit.ts';
import type { Store, StoreStep } from './store.ts';

type EntryDeps = {
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes a short id that links the entry to the log. */
  readonly createReference: () => string;
};

export type AuditRecorderDeps = EntryDeps & { readonly audit: Pick<Audit, 'add'> };

/** For an entry about something that no transaction changes, such as a refusal. */
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

/**
 * Runs a change in one transaction with its audit entries: after a crash or an error both are stored, or neither.
 * @param work uses only the given repositories, since the others wait for the transaction. Its recorder rejects, unlike
 *   the other one
 */
export type AuditedChange = <Result>(
  work: (step: StoreStep, record: AuditRecorder) => Promise<Result>,
) => Promise<Result>;

export type AuditedChangeDeps = EntryDeps & { readonly store: Pick<Store, 'transaction'> };

export function createAuditedChange({ store, clock, log, createReference }: AuditedChangeDeps): AuditedChange {
  return async (work) => {
    const written: Record<string, unknown>[] = [];
    const result = await store.transaction((step) =>
      work(step, async ({ teamId, userId }, action, detail = {}) => {
        const ref = createReference();
        const entry = { at: clock(), userId: userId ?? '', action, detail: { ...detail, ref } };
        written.push({ teamId, action, ref, ...(await step.audit.add(teamId, entry)) });
      }),
    );
    for (const entry of written) log.info(entry, 'audit entry written');
    return result;
  };
}
