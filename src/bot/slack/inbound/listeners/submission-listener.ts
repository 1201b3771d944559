/** A submitted modal: its values go to the command's form, the outcome into the acknowledgement or after it. */
import type { Middleware, SlackViewMiddlewareArgs, ViewResponseAction, ViewSubmitAction } from '@slack/bolt';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { Submitted } from '../../../commands/framework/submit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { type Modal, modalView } from '../../../views/blocks/modal.ts';
import {
  checkingModal,
  doneModal,
  messageModal,
  modalMessage,
  plainErrors,
  withErrors,
} from '../../../views/notices/modal-notices.ts';
import { readRecord } from '../../json-record.ts';
import type { NotifyUser } from '../../outbound/delivery/notify-user.ts';
import type { Acknowledgements } from '../middleware/acknowledgement.ts';
import type { HomeTab } from './home-tab.ts';
import type { ModalContext, Modals } from './modals.ts';
import { readSubmission, type SubmittedView } from './submission.ts';
import { comesAgain, type SubmitOnce } from './submit-once.ts';

export type SubmissionListenerDeps = {
  readonly submit: SubmitOnce;
  readonly acknowledgements: Acknowledgements;
  readonly modals: Modals;
  readonly notifyUser: NotifyUser;
  /** What was submitted may have changed what a person's Home tells; left as it is where left out. */
  readonly renewHome?: HomeTab['renew'] | undefined;
  readonly clock: Clock;
};

/** As long as a view stands open after it was submitted, and then some. */
const rememberedMs = 10 * 60_000;
const viewsMax = 10_000;

/**
 * Slack waits three seconds for what becomes of the view; when they are nearly over it shows that somebody is at work, and
 * changes when that is done. Submitted twice, a view is submitted once.
 */
export function createSubmissionListener(
  deps: SubmissionListenerDeps,
): Middleware<SlackViewMiddlewareArgs<ViewSubmitAction>> {
  const underWay = createLruCache<Promise<Submitted>>({ clock: deps.clock, ttlMs: rememberedMs, entriesMax: viewsMax });
  return async ({ body, ack, context }) => {
    const submitted = readSubmission(readRecord(body), context.teamId);
    const { botToken } = context;
    if (!submitted || botToken === undefined) return;
    const modalContext = { teamId: submitted.actor.teamId, botToken, channelId: submitted.channelId };
    const checking = updated(checkingModal(), modalContext);
    const acknowledgement = deps.acknowledgements.open<ViewResponseAction>((response = checking) => ack(response));
    const key = JSON.stringify([submitted.actor.teamId, submitted.viewId, submitted.hash]);
    const earlier = underWay.get(key);
    const outcome = earlier ?? deps.submit(submitted);
    underWay.set(key, outcome);
    const answer = await outcome;
    if (comesAgain(answer)) underWay.delete(key);
    const isCarried = await acknowledgement.carry(responseOf(answer, modalContext));
    if (earlier !== undefined) return;
    const notice = await noticeFor(deps, answer, submitted, isCarried ? undefined : modalContext);
    if (notice) await deps.notifyUser(modalContext, submitted.actor.userId, notice);
    if (answer.kind === 'view' || answer.kind === 'close') await deps.renewHome?.(submitted.actor, botToken);
  };
}

function responseOf(answer: Submitted, modalContext: ModalContext): ViewResponseAction {
  switch (answer.kind) {
    case 'errors':
      return { response_action: 'errors', errors: plainErrors(answer.errors) };
    case 'view':
      return updated(answer.view, modalContext);
    case 'next':
      return { response_action: 'push', view: modalView(answer.view, modalContext.channelId) };
    case 'close':
      return { response_action: 'clear' };
    case 'problem':
      // Over the form, which is there again, as it was, when this is closed.
      return { response_action: 'push', view: modalView(messageModal(answer.message), modalContext.channelId) };
  }
}

function updated(view: Modal, { channelId }: ModalContext): ViewResponseAction {
  return { response_action: 'update', view: modalView(view, channelId) };
}

/** What the view says when the acknowledgement is gone already; nothing closes a view then. */
function lateView(answer: Submitted): Modal {
  switch (answer.kind) {
    case 'errors':
      return withErrors(answer.form, answer.errors);
    case 'view':
      return answer.view;
    case 'next':
      // There is no form below it any more.
      return { ...answer.view, close: 'Cancel' };
    case 'close':
      return answer.message ? messageModal(answer.message) : doneModal();
    case 'problem':
      return messageModal(answer.message);
  }
}

/** @param late where the view can only be changed now @returns what no view says: the person has closed it meanwhile, or it is closed */
async function noticeFor(
  { modals }: SubmissionListenerDeps,
  answer: Submitted,
  submitted: SubmittedView,
  late: ModalContext | undefined,
): Promise<Message | undefined> {
  if (!late) return answer.kind === 'close' ? answer.message : undefined;
  const view = lateView(answer);
  const isShown = await modals.update(late, { viewId: submitted.viewId }, view);
  return isShown ? undefined : modalMessage(view);
}
