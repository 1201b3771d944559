/** Wiring of digests: subscriptions, content and the outbox worker that posts them. */

import type { DigestServices } from './commands/framework/digest-services.ts';
import { createChosenWorkflows } from './commands/lookup/chosen-workflows.ts';
import { createPreview, type PreviewDeps } from './commands/words/digest/actions.ts';
import { createContent } from './digests/content.ts';
import { createEndChannel, type EndChannel } from './digests/deleted-channel.ts';
import type { DigestPosting } from './outbox/ports.ts';
import { createOutboxWorker, type OutboxWorker, type OutboxWorkerDeps } from './outbox/worker.ts';
import type { Store } from './store/store.ts';

export type ComposeDigestsDeps = Pick<OutboxWorkerDeps, 'log' | 'measure'> &
  Pick<DigestServices, 'record'> &
  PreviewDeps & {
    readonly store: Store;
    readonly posting: DigestPosting;
    readonly channels: DigestServices['channels'];
  };

export type ComposedDigests = {
  readonly digests: () => DigestServices;
  readonly worker: OutboxWorker;
  readonly endChannel: EndChannel;
};

export function composeDigests(deps: ComposeDigestsDeps): ComposedDigests {
  const { store, posting, channels } = deps;
  const worker = createOutboxWorker({ ...deps, ...store, content: createContent(deps), posting });
  const asking = { build: createPreview(deps), chosen: createChosenWorkflows(deps) };
  const { subscriptions, outbox } = waking(store, worker.wake);
  const services = { subscriptions, outbox, record: deps.record, channels, ...asking };
  return { digests: () => services, worker, endChannel: createEndChannel({ ...deps, ...store, posting }) };
}

/** Wakes the worker after an addition, so that a digest asked for now does not wait for its next poll. */
function waking(store: Store, wake: () => void): Store {
  const add: Store['outbox']['add'] = async (...slot) => {
    const isAdded = await store.outbox.add(...slot);
    wake();
    return isAdded;
  };
  return { ...store, outbox: { ...store.outbox, add } };
}
