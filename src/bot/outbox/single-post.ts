/**
 * Posts one message as a delivery that is kept in memory: its content is not stored, so nobody could continue it after a
 * crash, and an answer must come while the bot's database is away.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/time/clock.ts';
import { type OpenDelivery, rootName, type SendOutcome } from '../store/outbox/delivery.ts';
import type { Message } from '../views/blocks/message.ts';
import { MessagePoster, type PosterOptions, type PostResult, posterServices } from './message-poster.ts';
import type { PostTarget } from './ports.ts';
import { waitingMessage } from './results.ts';

/** Never rejects. May wait until Slack's history shows whether an earlier form was posted. */
export type PostOnce = (to: PostTarget, message: Message) => Promise<PostResult>;

export function createPostOnce(options: PosterOptions): PostOnce {
  const { clock } = options.runtime;
  const permit = { isAcquired: true, waitMs: 0 };
  const postPermits = {
    acquire: async () => permit,
    acquireUrgent: async () => permit,
    backOff: async () => undefined,
  };
  const posting = posterServices(options, { outbox: { now: async () => clock() }, postPermits });
  return (to, message) => {
    const name = to.threadTs === undefined ? rootName : 'reply';
    return new MessagePoster(posting, unstored(to, name, clock)).post(name, message, to.threadTs ?? null);
  };
}

function unstored({ teamId, channelId }: PostTarget, name: string, clock: Clock): OpenDelivery {
  let message = waitingMessage({ name, opaqueId: randomUUID() });
  const done = async () => true;
  const recordIntent = async () => {
    const times = { firstIntentAt: message.firstIntentAt ?? clock(), lastIntentAt: clock() };
    message = { ...message, ...times, state: 'intent', attempts: message.attempts + 1 };
    return true;
  };
  const recordOutcome = async (_: string, { kind, ...outcome }: SendOutcome) => {
    const [state, unsent] = kind === 'unsent' ? (['waiting', 1] as const) : ([kind, 0] as const);
    message = { ...message, ...outcome, contentHash: null, state, attempts: message.attempts - unsent };
    return true;
  };
  return {
    key: { teamId, kind: 'answer', subject: message.opaqueId, occurrenceId: channelId },
    ...{
      channelId,
      onUncertain: 'hold',
      fencingToken: 1,
      attempts: 0,
      messages: [message],
      files: [],
      openedAt: clock(),
    },
    lease: {
      ...{ recordIntent, recordOutcome, readMessages: async () => [message] },
      ...{ extend: done, finish: done, release: done, defer: done, addMessages: done, adoptRoot: done },
      ...{ recordEdit: done, renew: done, saveFile: async () => undefined, forgetFile: async () => undefined },
    },
  };
}
