/** Wiring of digests: subscriptions, content and the outbox worker that posts them. */

import type { DigestServices } from './commands/framework/digest-services.ts';
import { createChosenWorkflows } from './commands/lookup/chosen-workflows.ts';
import { createPreview, type PreviewDeps } from './commands/words/digest/actions.ts';
import { createContent } from './digests/build.ts';
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
  readonly digests: DigestServices;
  readonly worker: OutboxWorker;
  readonly endChannel: EndChannel;
};

export function composeDigests(deps: ComposeDigestsDeps): ComposedDigests {
  const { store, posting, channels } = deps;
  const worker = createOutboxWorker({ ...deps, ...store, content: createContent(deps), posting });
  const digests: DigestServices = {
    ...waking(store, worker.wake),
    ...{ record: deps.record, channels },
    ...{ build: createPreview(deps), chosen: createChosenWorkflows(deps) },
  };
  return { digests, worker, endChannel: createEndChannel({ ...deps, ...store, posting }) };
}

/** Wakes the worker after an addition, so that a digest requested now does not wait for its next poll. */
function waking({ subscriptions, outbox }: Store, wake: () => void): Pick<DigestServices, 'subscriptions' | 'outbox'> {
  const add: Store['outbox']['add'] = async (...occurrence) => {
    const isAdded = await outbox.add(...occurrence);
    wake();
    return isAdded;
  };
  return { subscriptions, outbox: { ...outbox, add } };
}
