/** Decides if the current work masks secrets: always, unless the workspace's admins turned masking off. */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Dozens of views know nothing about workspaces, so the choice travels with the work. The dispatcher and the digests open it.
 * Work outside of `withoutMasking` masks, so a forgotten call is safe. Logs, the audit and compared causes always mask:
 * they do not read it.
 */
const unmasked = new AsyncLocalStorage<true>();

export function isMasking(): boolean {
  return unmasked.getStore() === undefined;
}

/** @returns the result of the work, which shows values unmasked, also in its asynchronous parts */
export function withoutMasking<Made>(work: () => Made): Made {
  return unmasked.run(true, work);
}
