/** Asks the dispatcher and always produces an answer: one message for the person who asked. */

import type { Logger } from '../../../../shared/log/logger.ts';
import { type Answer, ephemeral, type MessageAnswer } from '../../../commands/framework/command.ts';
import type { CommandRequest, Dispatch, OnProgress } from '../../../commands/framework/dispatch.ts';
import { asAppError } from '../../../commands/framework/problem.ts';
import type { Actor } from '../../../domain/person.ts';
import { type Message, withMore } from '../../../views/blocks/message.ts';
import { loadingModal, messageModal, modalButtonMessage } from '../../../views/notices/modal-notices.ts';
import { problemMessage, stillAskingMessage } from '../../../views/notices/problem.ts';
import { deliverDirectly, deliverFiles } from '../../outbound/delivery/direct-delivery.ts';
import type { Posting } from '../../outbound/delivery/posting.ts';
import { dependsOnPlace, placedMessage } from '../../outbound/delivery/share.ts';
import type { ThreadDelivery } from '../../outbound/threads/thread-delivery.ts';
import type { ConnectCheck } from '../../outbound/web-api/connect-check.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { noteEveryMs, type WaitingTimes } from '../../waiting-times.ts';
import { createOpening, type Modals, type Opening } from './modals.ts';
import type { FollowThread } from './thread-follower.ts';

export type AnsweringDeps = {
  readonly dispatch: Dispatch;
  /** True if the answer to a line will be a form. */
  readonly opensModal: (line: string) => boolean;
  readonly waitingTimes: WaitingTimes;
  readonly openThread: ThreadDelivery;
  readonly followThread: FollowThread;
  readonly posting: Posting;
  readonly placeOf: ConnectCheck['placeOf'];
  readonly modals: Modals;
  readonly log: Logger;
  /** A short id that names one fault in an answer and in the log. */
  readonly createReference: () => string;
};

type AnswerContext = {
  readonly botToken: string | undefined;
  /** The pressed message in the channel, under which a thread belongs. */
  readonly anchorTs?: string | undefined;
  /** False if the person already has the files, or if others read the answer: then files go to direct messages. */
  readonly takesFiles?: boolean;
  /** Opens one modal; undefined for a message to the bot. */
  readonly triggerId?: string | undefined;
};

/**
 * Delivers threads and files itself and returns a message that says where they are. Never rejects.
 * @returns undefined if a modal shows the answer
 */
export type Answering = (
  request: CommandRequest,
  onProgress: OnProgress,
  context: AnswerContext,
) => Promise<Answered | undefined>;

/** `isSeen`: its thread has just appeared below, so only a waiting note that it replaces needs the message. */
export type Answered = MessageAnswer & { readonly isSeen?: boolean };

export function createAnswering(deps: AnsweringDeps): Answering {
  return async (request, onProgress, context) => {
    const opening = openingFor(deps, request, context);
    try {
      const { actor } = request;
      const answer = await dispatchWithNotes(deps, request, onProgress, opening);
      switch (answer.kind) {
        case 'modal':
          if (await opening?.show(answer.view)) return undefined;
          return ephemeral(modalButtonMessage(answer.view, answer.line ?? request.line));
        case 'thread': {
          deps.followThread(answer, { actor, ...context });
          const { message, isSeen } = await deps.openThread(answer, { actor, ...context });
          return { ...ephemeral(message), isSeen };
        }
        case 'message': {
          if (opening?.isAnnounced() && (await opening.show(messageModal(answer.message)))) return undefined;
          const to = { actor, line: request.line, botToken: context.botToken };
          const hasFiles = answer.files !== undefined && context.takesFiles !== false;
          if (answer.isDirect) return ephemeral(await deliverDirectly(deps.posting, answer, to));
          const message = await placed(deps, answer.message, to);
          if (!hasFiles) return { ...answer, message };
          const { blocks } = await deliverFiles(deps.posting, answer.files, to);
          return { ...answer, message: withMore(message, blocks) };
        }
      }
    } catch (thrown) {
      const reference = deps.createReference();
      deps.log.error({ teamId: request.actor.teamId, ref: reference, error: describe(thrown) }, 'dispatcher failed');
      return { ...ephemeral(faultMessage(reference)), isProblem: true };
    }
  };
}

/** Shows what the person waits for: notes, or a modal for a form. */
async function dispatchWithNotes(
  { dispatch, opensModal, waitingTimes }: AnsweringDeps,
  request: CommandRequest,
  onProgress: OnProgress,
  opening: Opening | undefined,
): Promise<Answer> {
  const notes = new WaitingNotes(onProgress, waitingTimes.noteAfterMs);
  const announce = () => {
    if (opening === undefined || !opensModal(request.line)) return;
    notes.stop();
    opening.announce(loadingModal());
  };
  const loading = setTimeout(announce, waitingTimes.loadingModalAfterMs);
  try {
    return await dispatch(request, notes.progress);
  } finally {
    notes.stop();
    clearTimeout(loading);
  }
}

async function placed(
  { placeOf }: AnsweringDeps,
  message: Message,
  { actor, botToken }: { readonly actor: Actor; readonly botToken: string | undefined },
): Promise<Message> {
  if (!dependsOnPlace(message)) return message;
  return placedMessage(await placeOf({ botToken, channelId: actor.channelId }, actor.userId), message);
}

function openingFor(
  { modals }: AnsweringDeps,
  { actor }: CommandRequest,
  { botToken, triggerId }: AnswerContext,
): Opening | undefined {
  if (botToken === undefined || triggerId === undefined) return undefined;
  return createOpening(modals, { ...actor, botToken }, triggerId);
}

/** The message for a bug in the bot itself. @param reference is in the log too */
export function faultMessage(reference: string): Message {
  return problemMessage({ error: asAppError(undefined), reference, line: null });
}

/** Runs until `stop`, which a command's own progress calls too. */
export class WaitingNotes {
  readonly #onProgress: OnProgress;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout;

  constructor(onProgress: OnProgress, firstAfterMs: number) {
    this.#onProgress = onProgress;
    this.#timer = setTimeout(this.#show, firstAfterMs);
  }

  #show = (): void => {
    this.#timer = setTimeout(this.#show, noteEveryMs);
    this.#onProgress(stillAskingMessage(performance.now() - this.#startedAt));
  };

  /** For the progress of the command itself, after which there are no notes. */
  readonly progress: OnProgress = (message) => {
    this.stop();
    this.#onProgress(message);
  };

  stop(): void {
    clearTimeout(this.#timer);
  }
}
