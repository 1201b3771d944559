/** Opens modals before their trigger expires, and updates them. */

import type { Failure } from '../../../domain/slack-errors.ts';
import { type Modal, modalView } from '../../../views/blocks/modal.ts';
import { classifyThrown } from '../../outbound/web-api/errors.ts';
import { retryCall } from '../../outbound/web-api/retry.ts';
import type { InboundServices } from '../services.ts';

export type ModalContext = {
  readonly teamId: string;
  readonly botToken: string;
  /** Channel for the answer to a submission. */
  readonly channelId: string | undefined;
};

/** `hash` of the view: with it, Slack refuses an update if the view changed since. */
type Shown = { readonly viewId: string; readonly hash?: string | undefined };

/** @returns true if the person sees it, false if they closed the modal meanwhile. Never rejects */
export async function updateModal(
  services: InboundServices,
  context: ModalContext,
  { viewId, hash }: Shown,
  modal: Modal,
): Promise<boolean> {
  const { views } = services.slack.clients.of(context.botToken);
  const changed = { view_id: viewId, ...(hash !== undefined && { hash }), view: modalView(modal, context.channelId) };
  const updated = await retryCall(() => views.update(changed));
  if ('error' in updated) logFailure(services, context, modal, updated);
  return updated.kind === 'done';
}

/** Never repeated: by then the trigger would have expired. @returns undefined if Slack does not show it. Never rejects */
async function openModal(
  services: InboundServices,
  context: ModalContext,
  triggerId: string,
  modal: Modal,
): Promise<Shown | undefined> {
  const { views } = services.slack.clients.of(context.botToken);
  const opening = views.open({ trigger_id: triggerId, view: modalView(modal, context.channelId) });
  const opened = await opening.then(({ view }): Shown | Failure => {
    return view?.id === undefined ? { kind: 'unknown', error: 'no_view' } : { viewId: view.id, hash: view.hash };
  }, classifyThrown);
  if ('viewId' in opened) return opened;
  logFailure(services, context, modal, opened);
  return undefined;
}

function logFailure({ runtime }: InboundServices, { teamId }: ModalContext, { title }: Modal, { error }: Failure) {
  runtime.log.warn({ teamId, title, error }, 'slack did not show a modal');
}

export class Opening {
  readonly #services: InboundServices;
  readonly #context: ModalContext;
  readonly #triggerId: string;
  #loading: Promise<Shown | undefined> | undefined;

  /** @param triggerId works once, for three seconds */
  constructor(services: InboundServices, context: ModalContext, triggerId: string) {
    this.#services = services;
    this.#context = context;
    this.#triggerId = triggerId;
  }

  /** Opens a modal that asks the person to wait. */
  announce(loading: Modal): void {
    this.#loading ??= openModal(this.#services, this.#context, this.#triggerId, loading);
  }

  get isAnnounced(): boolean {
    return this.#loading !== undefined;
  }

  /** Opens the view, or replaces the announced modal with it. @returns true if the person sees it */
  async show(modal: Modal): Promise<boolean> {
    if (!this.#loading) return (await openModal(this.#services, this.#context, this.#triggerId, modal)) !== undefined;
    const shown = await this.#loading;
    return shown !== undefined && updateModal(this.#services, this.#context, shown, modal);
  }
}
