/** The part of the wiring diagram that is about digests: how people set them up, and what makes them come. */

import { createChosenWorkflows } from './commands/lookup/chosen-workflows.ts';
import type { DigestServices } from './commands/words/digest/actions.ts';
import { createPreview, type PreviewDeps } from './commands/words/digest/actions.ts';
import { createContent } from './digests/content.ts';
import { createEndChannel, type EndChannel } from './digests/deleted-channel.ts';
import { createOutboxWorker, type OutboxWorker, type OutboxWorkerDeps } from './outbox/worker.ts';
import type { SlackBot } from './slack/bot.ts';
import type { Store } from './store/store.ts';

export type ComposeDigestsDeps = Pick<OutboxWorkerDeps, 'log' | 'measure'> &
  Pick<DigestServices, 'record'> &
  PreviewDeps & {
    readonly store: Store;
    /** The one that is made with what is made here. */
    readonly bot: () => SlackBot;
  };

export type ComposedDigests = {
  readonly digests: () => DigestServices;
  readonly worker: OutboxWorker;
  readonly endChannel: EndChannel;
};

export function composeDigests(deps: ComposeDigestsDeps): ComposedDigests {
  const { store, bot } = deps;
  const posting: OutboxWorkerDeps['posting'] = {
    send: (...message) => bot().digests.send(...message),
    find: (...where) => bot().digests.find(...where),
    remove: (...which) => bot().digests.remove(...which),
    notifyUser: (...whom) => bot().digests.notifyUser(...whom),
  };
  const worker = createOutboxWorker({ ...deps, ...store, content: createContent(deps), posting });
  const channels: DigestServices['channels'] = {
    showIn: (...message) => bot().showIn(...message),
    linkTo: (...which) => bot().linkTo(...which),
    withheldIn: (...which) => bot().withheldIn(...which),
  };
  const asking = { build: createPreview(deps), chosen: createChosenWorkflows(deps) };
  const { subscriptions, outbox } = waking(store, worker.wake);
  const services = { subscriptions, outbox, record: deps.record, channels, ...asking };
  return { digests: () => services, worker, endChannel: createEndChannel({ ...deps, ...store, posting }) };
}

/** Who asks for a digest now does not wait for the next look at the outbox. */
function waking(store: Store, wake: () => void): Store {
  const add: Store['outbox']['add'] = async (...slot) => {
    const isAdded = await store.outbox.add(...slot);
    wake();
    return isAdded;
  };
  return { ...store, outbox: { ...store.outbox, add } };
}
