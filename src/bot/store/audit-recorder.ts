/** Writes audit entries: alone, or in one transaction with the change that they are about. */
import type { AuditRecorder } from '../domain/audit-action.ts';
import type { Runtime } from '../domain/runtime.ts';
import type { Store, StoreStep } from './store.ts';

export interface AuditLog {
  /** For an entry about something that no transaction changes, such as a refusal. Never rejects. */
  readonly record: AuditRecorder;
  readonly audited: AuditedChange;
}

/**
 * Runs a change in one transaction with its audit entries: after a crash or an error both are stored, or neither.
 * @param work uses only the given repositories, since the others wait for the transaction. Its recorder rejects, unlike
 *   the other one
 */
type AuditedChange = <Result>(work: (step: StoreStep, record: AuditRecorder) => Promise<Result>) => Promise<Result>;

export function createAuditLog(store: Store, { clock, log, createReference }: Runtime): AuditLog {
  const add = async (step: StoreStep, ref: string, ...[actor, action, detail]: Parameters<AuditRecorder>) => {
    const { teamId, userId } = actor;
    const entry = { at: clock(), userId: userId ?? '', action, detail: { ...detail, ref } };
    return { teamId, action, ref, ...(await step.audit.add(teamId, entry)) };
  };
  return {
    record: async (actor, action, detail) => {
      const ref = createReference();
      try {
        log.info(await add(store, ref, actor, action, detail), 'audit entry written');
      } catch (error) {
        log.error({ teamId: actor.teamId, action, ref, err: error }, 'audit entry could not be written');
      }
    },
    audited: async (work) => {
      const written: Record<string, unknown>[] = [];
      const result = await store.transaction((step) =>
        work(step, async (...of) => void written.push(await add(step, createReference(), ...of))),
      );
      for (const entry of written) log.info(entry, 'audit entry written');
      return result;
    },
  };
}
