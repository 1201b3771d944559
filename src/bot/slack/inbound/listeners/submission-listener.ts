/** Handles a submitted modal: passes its values to the command's form and answers in the acknowledgement or after it. */
import type { Middleware, SlackViewMiddlewareArgs, ViewResponseAction, ViewSubmitAction } from '@slack/bolt';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import { isRecord, type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { FormValues } from '../../../commands/framework/command.ts';
import type { Submitted } from '../../../commands/framework/dispatch.ts';
import { isChannelId, type Person } from '../../../domain/person.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { type Modal, modalView, parseCallbackId, parseMetadata } from '../../../views/blocks/modal.ts';
import {
  checkingModal,
  doneModal,
  messageModal,
  modalMessage,
  plainErrors,
  sentAlreadyModal,
  withErrors,
} from '../../../views/notices/modal-notices.ts';
import { readPerson } from '../middleware/read-payload.ts';
import type { InboundServices } from '../services.ts';
import type { Inbound } from './inbound.ts';
import { type ModalContext, updateModal } from './modals.ts';

/** Longer than a view stays open after it was submitted. */
const rememberedMs = 10 * 60_000;
const viewsMax = 10_000;

/**
 * Slack waits three seconds for the outcome. Shortly before they end, the view shows that the work goes on; it changes
 * again when the work is done. A view that arrives twice is submitted once.
 */
export function createSubmissionListener(inbound: Inbound): Middleware<SlackViewMiddlewareArgs<ViewSubmitAction>> {
  const { services, acknowledgements, homeTab } = inbound;
  const { clock } = services.runtime;
  const inFlight = createLruCache<Promise<Submitted>>({ clock, ttlMs: rememberedMs, entriesMax: viewsMax });
  return async ({ body, ack, context }) => {
    const submitted = readSubmission(readRecord(body), context.teamId);
    const { botToken } = context;
    if (!submitted || botToken === undefined) return;
    const modalContext = { teamId: submitted.actor.teamId, botToken, channelId: submitted.channelId };
    const checking = updated(checkingModal, modalContext);
    const acknowledgement = acknowledgements.open<ViewResponseAction>((response = checking) => ack(response));
    const key = JSON.stringify([submitted.actor.teamId, submitted.viewId, submitted.hash]);
    const earlier = inFlight.get(key);
    const outcome = earlier ?? submitOnce(inbound, submitted);
    inFlight.set(key, outcome);
    const answer = await outcome;
    if (isResubmittable(answer)) inFlight.delete(key);
    const isCarried = await acknowledgement.ackWith(responseOf(answer, modalContext));
    if (earlier !== undefined) return;
    const notice = await noticeFor(services, answer, submitted, isCarried ? undefined : modalContext);
    if (notice) await services.slack.posting.notifyUser(modalContext, submitted.actor.userId, notice);
    if (answer.kind === 'view' || answer.kind === 'close') await homeTab?.renew(submitted.actor, botToken);
  };
}

async function submitOnce({ services, takeLease }: Inbound, submitted: SubmittedView): Promise<Submitted> {
  const { actor, viewId, hash } = submitted;
  const lease = await takeLease(actor.teamId, `form ${viewId} ${hash}`);
  if (!lease) return { kind: 'view', view: sentAlreadyModal };
  const outcome = await services.submit(submitted);
  if (isResubmittable(outcome)) await lease.release();
  return outcome;
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
      // Pushed over the form, which reappears unchanged when this view is closed.
      return { response_action: 'push', view: modalView(messageModal(answer.message), modalContext.channelId) };
  }
}

function updated(view: Modal, { channelId }: ModalContext): ViewResponseAction {
  return { response_action: 'update', view: modalView(view, channelId) };
}

/** The view to show after the acknowledgement is sent, when nothing can close a view. */
function lateView(answer: Submitted): Modal {
  switch (answer.kind) {
    case 'errors':
      return withErrors(answer.form, answer.errors);
    case 'view':
      return answer.view;
    case 'next':
      // No form is below this view any more.
      return { ...answer.view, close: 'Cancel' };
    case 'close':
      return answer.message ? messageModal(answer.message) : doneModal;
    case 'problem':
      return messageModal(answer.message);
  }
}

/**
 * @param late the modal's context if the view can only be changed now
 * @returns the message for a person who closed the view before it could show the outcome, or for a view that closes
 *   with a message
 */
async function noticeFor(
  services: InboundServices,
  answer: Submitted,
  submitted: SubmittedView,
  late: ModalContext | undefined,
): Promise<Message | undefined> {
  if (!late) return answer.kind === 'close' ? answer.message : undefined;
  const view = lateView(answer);
  const isShown = await updateModal(services, late, { viewId: submitted.viewId }, view);
  return isShown ? undefined : modalMessage(view);
}

type SubmittedView = {
  readonly actor: Person;
  readonly command: string;
  readonly values: FormValues;
  readonly viewId: string;
  /** Hash of the view's state. A second submission has the same one. */
  readonly hash: string;
  /** Channel of the modal, as the person's client reports it; used only for messages to that person. */
  readonly channelId: string | undefined;
};

/** @param teamId from the context that `authorize` made @returns undefined if the view is not a form of the bot */
function readSubmission(body: JsonRecord, teamId: unknown): SubmittedView | undefined {
  const view = readRecord(body['view']);
  const actor = readPerson(teamId, readRecord(body['user'])['id']);
  const command = parseCallbackId(readText(view, 'callback_id') ?? '');
  const viewId = readText(view, 'id');
  if (!actor || command === undefined || viewId === undefined) return undefined;
  const { channelId, carries } = parseMetadata(readText(view, 'private_metadata') ?? '');
  return {
    actor,
    command,
    values: { ...readValues(readRecord(readRecord(view['state'])['values'])), ...carries },
    viewId,
    hash: readText(view, 'hash') ?? '',
    channelId: isChannelId(channelId) ? channelId : undefined,
  };
}

/** Reads one input per block and omits empty ones. */
function readValues(state: JsonRecord): FormValues {
  const values = Object.entries(state).flatMap(([blockId, block]) => {
    const [element] = Object.values(readRecord(block));
    const value = readValue(readRecord(element));
    return value === undefined ? [] : [[blockId, value] as const];
  });
  return Object.fromEntries(values);
}

/**
 * https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload: an element has one member beside its
 * type.
 */
function readValue({ type: _, ...element }: JsonRecord): string | readonly string[] | undefined {
  const [value] = Object.values(element);
  if (Array.isArray(value)) return value.flatMap((each) => textOf(each) ?? []);
  return textOf(value);
}

/** A text, a number as text, or the value of an option. */
function textOf(value: unknown): string | undefined {
  if (isRecord(value)) return readText(value, 'value');
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** @returns true if the person can submit the same form again, with the same hash */
function isResubmittable({ kind }: Submitted): boolean {
  return kind === 'errors' || kind === 'problem' || kind === 'next';
}
