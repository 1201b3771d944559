/** Asks the dispatcher and always produces an answer: one message for the person who asked. */

import { setTimeout as timer } from 'node:timers/promises';
import { type Answer, ephemeral, type MessageAnswer, type ThreadAnswer } from '../../../commands/framework/command.ts';
import type { CommandRequest, OnProgress } from '../../../commands/framework/dispatch.ts';
import { asAppError } from '../../../commands/framework/problem.ts';
import { type Message, withMore } from '../../../views/blocks/message.ts';
import { loadingModal, messageModal, modalButtonMessage } from '../../../views/notices/modal-notices.ts';
import { problemMessage, stillAskingMessage } from '../../../views/notices/problem.ts';
import { deliverDirectly, deliverFile } from '../../outbound/delivery/direct-delivery.ts';
import type { Progress } from '../../outbound/delivery/progress.ts';
import { dependsOnPlace, placedMessage } from '../../outbound/delivery/share.ts';
import { ThreadDelivery, type ThreadOrigin } from '../../outbound/threads/thread-delivery.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { noteEveryMs } from '../../waiting-times.ts';
import type { InboundServices } from '../services.ts';
import { Opening } from './modals.ts';

type AnswerContext = {
  readonly botToken: string | undefined;
  /** The pressed message in the channel, under which a thread belongs. */
  readonly anchorTs?: string | undefined;
  /** False if the person already has the file, or if others read the answer: then it goes to direct messages. */
  readonly takesFile?: boolean;
  /** Opens one modal; undefined for a message to the bot. */
  readonly triggerId?: string | undefined;
};

export type Answered = MessageAnswer & {
  /** True if its thread has just appeared below, so that only a note that it replaces needs the message. */
  readonly isSeen?: boolean;
  /** True if a note was shown that the answer replaces. */
  readonly hasNote: boolean;
};

export class Answering {
  readonly #services: InboundServices;
  readonly #threads: ThreadDelivery;
  readonly #follower: ThreadFollower;

  constructor(services: InboundServices) {
    this.#services = services;
    this.#threads = new ThreadDelivery(services.slack, services.store, services.waitingTimes.openThreadWithinMs);
    this.#follower = new ThreadFollower(services, this.#threads);
  }

  /**
   * Delivers threads and files itself and returns a message that says where they are. Never rejects.
   * @param progress shows notes until the answer is there, and ends with it
   * @returns undefined if a modal shows the answer
   */
  async answer(
    request: CommandRequest,
    progress: Pick<Progress, 'show' | 'end'>,
    context: AnswerContext,
  ): Promise<Answered | undefined> {
    const answer = await this.#answer(request, (note) => progress.show(note), context);
    const hasNote = await progress.end();
    return answer && { ...answer, hasNote };
  }

  async #answer(request: CommandRequest, onProgress: OnProgress, context: AnswerContext) {
    const { runtime } = this.#services;
    const { actor } = request;
    const { botToken, triggerId } = context;
    const hasTrigger = botToken !== undefined && triggerId !== undefined;
    const opening = hasTrigger ? new Opening(this.#services, { ...actor, botToken }, triggerId) : undefined;
    try {
      const answer = await this.#dispatchWithNotes(request, onProgress, opening);
      switch (answer.kind) {
        case 'modal':
          if (await opening?.show(answer.view)) return undefined;
          return ephemeral(modalButtonMessage(answer.view, answer.line ?? request.line));
        case 'thread': {
          const origin = { actor, botToken, anchorTs: context.anchorTs };
          this.#follower.follow(answer, origin);
          const { message, isSeen } = await this.#threads.open(answer, origin);
          return { ...ephemeral(message), isSeen };
        }
        case 'message':
          if (opening?.isAnnounced && (await opening.show(messageModal(answer.message)))) return undefined;
          return await this.#withFile(answer, request, context);
      }
    } catch (thrown) {
      const reference = runtime.createReference();
      runtime.log.error({ teamId: actor.teamId, ref: reference, error: describe(thrown) }, 'command failed');
      return { ...ephemeral(faultMessage(reference)), isProblem: true as const };
    }
  }

  async #withFile(
    answer: MessageAnswer,
    { actor, line }: CommandRequest,
    { botToken, takesFile }: AnswerContext,
  ): Promise<MessageAnswer> {
    const { posting, connectCheck } = this.#services.slack;
    const to = { actor, line, botToken };
    if (answer.isDirect) return ephemeral(await deliverDirectly(posting, answer, to));
    let { message } = answer;
    if (dependsOnPlace(message))
      message = placedMessage(
        await connectCheck.placeOf({ botToken, channelId: actor.channelId }, actor.userId),
        message,
      );
    if (answer.file === undefined || takesFile === false) return { ...answer, message };
    const { blocks } = await deliverFile(posting, answer.file, to);
    return { ...answer, message: withMore(message, blocks) };
  }

  /** Shows what the person waits for: notes, or a modal for a form. */
  async #dispatchWithNotes(
    request: CommandRequest,
    onProgress: OnProgress,
    opening: Opening | undefined,
  ): Promise<Answer> {
    const { dispatch, opensModal, waitingTimes } = this.#services;
    const notes = new WaitingNotes(onProgress, waitingTimes.noteAfterMs);
    const announce = () => {
      if (opening === undefined || !opensModal(request.line)) return;
      notes.stop();
      opening.announce(loadingModal);
    };
    const loading = setTimeout(announce, waitingTimes.loadingModalAfterMs);
    try {
      return await dispatch(request, notes.progress);
    } finally {
      notes.stop();
      clearTimeout(loading);
    }
  }
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

/** An hour in all. */
const pausesMs = [0.5, 1, 2, 4, 8, 15, 30].map((minutes) => minutes * 60_000);
/** In one workspace. */
const followedMax = 20;

/** Updates the thread of a running execution once it has ended. A restart of the bot ends this; the thread keeps its Refresh button. */
class ThreadFollower {
  readonly #services: InboundServices;
  readonly #threads: ThreadDelivery;
  readonly #followed = new Map<string, Set<string>>();

  constructor(services: InboundServices, threads: ThreadDelivery) {
    this.#services = services;
    this.#threads = threads;
  }

  /** Does nothing for a thread that is followed already, or whose execution has ended. */
  follow({ subject, isPrivate, isRunning }: ThreadAnswer, origin: ThreadOrigin): void {
    const { slack, runtime } = this.#services;
    const { teamId, channelId, userId } = origin.actor;
    const keys = this.#followed.get(teamId) ?? new Set();
    const key = `${isPrivate ? userId : channelId} ${subject}`;
    if (!isRunning || keys.has(key) || keys.size >= followedMax) return;
    this.#followed.set(teamId, keys.add(key));
    this.#updateAtEnd(`execution ${subject}${isPrivate ? ' --private' : ''}`, origin)
      .catch((error: unknown) => {
        if (!slack.stopping.aborted)
          runtime.log.warn({ teamId, error: describe(error) }, 'thread could not be followed');
      })
      .finally(() => {
        keys.delete(key);
        if (keys.size === 0) this.#followed.delete(teamId);
      });
  }

  /** Asks as the person who opened the thread, so their rights and their rate limit apply. */
  async #updateAtEnd(line: string, origin: ThreadOrigin): Promise<void> {
    const { dispatch, slack } = this.#services;
    const { stopping, wait = (ms, signal) => timer(ms, undefined, { signal, ref: false }) } = slack;
    for (const pauseMs of pausesMs) {
      await wait(pauseMs, stopping);
      if (stopping.aborted) return;
      const answer = await dispatch({ line, actor: origin.actor, isFresh: true });
      if (answer.kind !== 'thread' || answer.isRunning) continue;
      await this.#threads.open(answer, origin);
      return;
    }
  }
}
