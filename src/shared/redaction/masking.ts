/** Whether secrets are masked in the current work; always, unless the workspace's admins turned masking off. */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A view knows nothing of workspaces, and there are dozens of them; so this one choice goes along with the work itself.
 * What is not done within `withoutMasking` masks: forgetting it errs on the safe side. Logs, the audit and causes that are
 * compared do not ask: they mask in any case.
 */
const unmasked = new AsyncLocalStorage<true>();

export function isMasking(): boolean {
  return unmasked.getStore() === undefined;
}

/** @returns what the work returns; all that it makes, however late, shows values as they came */
export function withoutMasking<Made>(work: () => Made): Made {
  return unmasked.run(true, work);
}
