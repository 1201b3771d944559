/** Services, results and the kept lease that the steps of a delivery share. */

import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { ClaimedDelivery, NewMessage, OpenDelivery, OutboxMessage } from '../store/outbox/delivery.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { PostPermits } from '../store/repositories/post-permits.ts';
import type { OnFailpoint } from './failpoints.ts';
import type { OutboxPosting, PostTarget } from './ports.ts';
import type { DeliveryLimits, DeliveryTiming, Wait } from './timing.ts';

export type DeliveryServices = {
  readonly outbox: Pick<Outbox, 'now'>;
  readonly postPermits: PostPermits;
  /** True if a person waits for the messages: they go before those of a digest. */
  readonly isUrgent: boolean;
  readonly posting: OutboxPosting;
  /** Monotonic, for durations. Due times use the database's clock. */
  readonly uptime: Clock;
  readonly timing: DeliveryTiming;
  readonly limits: DeliveryLimits;
  readonly log: Logger;
  readonly failpoint: OnFailpoint;
  /** Aborted when the bot stops: work that has not started is left to other processes. */
  readonly stopping: AbortSignal;
  readonly wait: Wait;
};

export type SendResult =
  | { readonly kind: 'sent'; readonly ts: string }
  /** The other messages are still sent. */
  | { readonly kind: 'given_up'; readonly state: 'dead' | 'uncertain'; readonly error: string }
  /** Slack takes no message there until a person changes something. */
  | { readonly kind: 'refused'; readonly error: string }
  | Later
  | Waiting
  /** Another process has the lease now. */
  | { readonly kind: 'passed' };

/**
 * `unsent`: nothing was posted. `unknown`: the message may be posted. `early`: Slack's history need not show yet whether it
 * is. `unread`: the history cannot be read now.
 */
type Later = {
  readonly kind: 'later';
  readonly why: 'unsent' | 'unknown' | 'early' | 'unread';
  readonly afterMs: number;
  readonly error: string;
};

/** Nothing failed: the rate limiter grants the send later, here or in another process. */
export type Waiting = { readonly kind: 'wait'; readonly afterMs: number };

export const lostLease: SendResult = { kind: 'passed' };

export function channelOf({ key, channelId }: ClaimedDelivery): PostTarget {
  return { teamId: key.teamId, channelId };
}

/** A message before its first send. */
export function waitingMessage(message: NewMessage): OutboxMessage {
  const unsent = { attempts: 0, firstIntentAt: null, lastIntentAt: null, ts: null, contentHash: null, error: null };
  return { ...message, state: 'waiting', ...unsent };
}

export function logFieldsOf({ key, fencingToken }: ClaimedDelivery) {
  return { ...key, fence: fencingToken };
}

/** A final end of the work on an occurrence. */
export type FinishedEnd = {
  readonly kind: 'finish';
  readonly state: 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';
  readonly error?: string;
};

/** How the work on an occurrence ends, for now or for good. */
export type OccurrenceEnd =
  | FinishedEnd
  | { readonly kind: 'release'; readonly afterMs: number; readonly error: string }
  | Waiting
  | { readonly kind: 'passed' };

/** Heartbeat of a lease: extends it while the delivery is worked on. @returns stops it */
export function extendLease({ timing, failpoint, log }: DeliveryServices, claimed: ClaimedDelivery): () => void {
  const timer = setInterval(() => {
    failpoint('before extend');
    claimed.lease.extend(timing.leaseMs).then(
      () => failpoint('after extend'),
      (err: unknown) => log.warn({ ...logFieldsOf(claimed), err }, 'could not extend the lease of a delivery'),
    );
  }, timing.leaseMs / 3);
  return () => clearInterval(timer);
}

/** Keeps the lease of an open delivery during the work, and ends it in any case: for good if it is done. */
export async function withLease<Result>(
  services: DeliveryServices,
  delivery: OpenDelivery,
  work: () => Promise<Result>,
  isDone: (result: Result) => boolean,
): Promise<Result> {
  const stopExtending = extendLease(services, delivery);
  let isFinal = false;
  try {
    const result = await work();
    isFinal = isDone(result);
    return result;
  } finally {
    stopExtending();
    await (isFinal ? delivery.lease.finish('posted') : delivery.lease.defer(0));
  }
}
