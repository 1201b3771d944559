/** Opens modals before their trigger expires, and updates them. */

import type { Logger } from '../../../../shared/log/logger.ts';
import type { Failure } from '../../../domain/slack-errors.ts';
import { type Modal, modalView } from '../../../views/blocks/modal.ts';
import type { SlackClients } from '../../outbound/web-api/client.ts';
import { classifyThrown } from '../../outbound/web-api/errors.ts';
import { retryCall } from '../../outbound/web-api/retry.ts';

export type ModalContext = {
  readonly teamId: string;
  readonly botToken: string;
  /** Channel for the answer to a submission. */
  readonly channelId: string | undefined;
};

/** An open modal. */
type Shown = {
  readonly viewId: string;
  /** Hash of the view: with it, Slack refuses an update if the view changed since. */
  readonly hash?: string | undefined;
};

export type Modals = {
  /** @param triggerId works once, for three seconds. Never rejects */
  readonly open: (context: ModalContext, triggerId: string, view: Modal) => Promise<OpenedModal>;
  /** @returns true if the person sees it, false if they closed the modal meanwhile. Never rejects */
  readonly update: (context: ModalContext, shown: Shown, view: Modal) => Promise<boolean>;
};

type OpenedModal = ({ readonly kind: 'open' } & Shown) | Failure;

export function createModals({ clients, log }: { readonly clients: SlackClients; readonly log: Logger }): Modals {
  const logged = <Sent extends { readonly kind: string }>(
    sent: Sent | Failure,
    { teamId }: ModalContext,
    { title }: Modal,
  ): Sent | Failure => {
    if ('error' in sent) log.warn({ teamId, title, error: sent.error }, 'slack did not show a modal');
    return sent;
  };
  return {
    // Never repeated: by then the trigger would have expired.
    open: async (context, triggerId, view) => {
      const { botToken, channelId } = context;
      const { views } = clients.of(botToken);
      const opening = views.open({ trigger_id: triggerId, view: modalView(view, channelId) });
      const opened = await opening.then(({ view: shown }) => openOf(shown?.id, shown?.hash), classifyThrown);
      return logged(opened, context, view);
    },
    update: async (context, { viewId, hash }, view) => {
      const { botToken, channelId } = context;
      const { views } = clients.of(botToken);
      const changed = { view_id: viewId, ...(hash !== undefined && { hash }), view: modalView(view, channelId) };
      const updated = await retryCall(() => views.update(changed));
      return logged(updated, context, view).kind === 'done';
    },
  };
}

function openOf(viewId: string | undefined, hash: string | undefined): OpenedModal {
  return viewId === undefined ? { kind: 'unknown', error: 'no_view' } : { kind: 'open', viewId, hash };
}

/** The one modal that a trigger opens. */
export type Opening = {
  /** Opens a modal that asks the person to wait. */
  readonly announce: (loading: Modal) => void;
  readonly isAnnounced: () => boolean;
  /** Opens the view, or replaces the announced modal with it. @returns true if the person sees it */
  readonly show: (view: Modal) => Promise<boolean>;
};

export function createOpening(modals: Modals, context: ModalContext, triggerId: string): Opening {
  let loading: Promise<OpenedModal> | undefined;
  return {
    announce: (view) => {
      loading ??= modals.open(context, triggerId, view);
    },
    isAnnounced: () => loading !== undefined,
    show: async (view) => {
      const shown = await loading;
      if (shown === undefined) return (await modals.open(context, triggerId, view)).kind === 'open';
      return shown.kind === 'open' && modals.update(context, shown, view);
    },
  };
}
