/** Updates the thread of a running execution once it has ended. A restart of the bot ends this; the thread keeps its Refresh button. */
import { setTimeout as timer } from 'node:timers/promises';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { ThreadAnswer } from '../../../commands/framework/command.ts';
import type { Dispatch } from '../../../commands/framework/dispatch.ts';
import type { Wait } from '../../../outbox/timing.ts';
import type { ThreadDelivery, ThreadOrigin } from '../../outbound/threads/thread-delivery.ts';
import { describe } from '../../outbound/web-api/errors.ts';

export type ThreadFollowerDeps = {
  readonly dispatch: Dispatch;
  readonly openThread: ThreadDelivery;
  readonly log: Logger;
  readonly wait?: Wait | undefined;
  /** Aborts when the bot stops. */
  readonly stopping: AbortSignal;
};

/** Does nothing for a thread that is followed already, or whose execution has ended. */
export type FollowThread = (answer: ThreadAnswer, origin: ThreadOrigin) => void;

const minuteMs = 60_000;
/** An hour in all. */
const pausesMs = [0.5, 1, 2, 4, 8, 15, 30].map((minutes) => minutes * minuteMs);
/** In one workspace. */
const followedMax = 20;

export function createThreadFollower(deps: ThreadFollowerDeps): FollowThread {
  const followed = new Map<string, Set<string>>();
  return ({ subject, isPrivate, isRunning }, origin) => {
    const { teamId, channelId, userId } = origin.actor;
    const keys = followed.get(teamId) ?? new Set();
    const key = `${isPrivate ? userId : channelId} ${subject}`;
    if (!isRunning || keys.has(key) || keys.size >= followedMax) return;
    followed.set(teamId, keys.add(key));
    follow(deps, `execution ${subject}${isPrivate ? ' --private' : ''}`, origin)
      .catch((thrown: unknown) => {
        if (!deps.stopping.aborted) deps.log.warn({ teamId, error: describe(thrown) }, 'thread could not be followed');
      })
      .finally(() => {
        keys.delete(key);
        if (keys.size === 0) followed.delete(teamId);
      });
  };
}

/** Asks as the person who opened the thread, so their rights and their rate limit apply. */
async function follow(
  { dispatch, openThread, wait, stopping }: ThreadFollowerDeps,
  line: string,
  origin: ThreadOrigin,
): Promise<void> {
  const pause = wait ?? (async (ms, signal) => timer(ms, undefined, { signal, ref: false }));
  for (const pauseMs of pausesMs) {
    await pause(pauseMs, stopping);
    if (stopping.aborted) return;
    const answer = await dispatch({ line, actor: origin.actor, isFresh: true });
    if (answer.kind !== 'thread' || answer.isRunning) continue;
    await openThread(answer, origin);
    return;
  }
}
