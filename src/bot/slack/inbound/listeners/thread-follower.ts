/** Updates the thread of a running execution once it has ended. A restart of the bot ends this; the thread keeps its Refresh button. */
import { setTimeout as timer } from 'node:timers/promises';
import type { ThreadAnswer } from '../../../commands/framework/command.ts';
import type { ThreadDelivery, ThreadOrigin } from '../../outbound/threads/thread-delivery.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import type { InboundServices } from '../services.ts';

const minuteMs = 60_000;
/** An hour in all. */
const pausesMs = [0.5, 1, 2, 4, 8, 15, 30].map((minutes) => minutes * minuteMs);
/** In one workspace. */
const followedMax = 20;

export class ThreadFollower {
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
