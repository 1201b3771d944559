/** Dependencies and results that the steps of a delivery share. */

import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { ClaimedOccurrence } from '../store/outbox/occurrence.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { RateLimiter } from '../store/repositories/rate-limiter.ts';
import type { OnFailpoint } from './failpoints.ts';
import type { DigestPosting, PostTarget } from './ports.ts';
import type { DigestLimits, DigestTiming } from './timing.ts';

export type DeliveryDeps = {
  readonly outbox: Pick<Outbox, 'now'>;
  readonly rateLimiter: RateLimiter;
  readonly posting: DigestPosting;
  /** Monotonic, for durations. Due times use the database's clock. */
  readonly uptime: Clock;
  readonly timing: DigestTiming;
  readonly limits: DigestLimits;
  readonly log: Logger;
  readonly failpoint: OnFailpoint;
  /** Aborted when the bot stops: work that has not started is left to other processes. */
  readonly stopping: AbortSignal;
};

/** The result of sending one message. */
export type SendResult =
  | { readonly kind: 'sent'; readonly ts: string }
  /** The other messages are still sent. */
  | { readonly kind: 'given_up'; readonly state: 'dead' | 'uncertain'; readonly error: string }
  /** Slack takes no message there until a person changes something. */
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'later'; readonly afterMs: number; readonly error: string }
  | Waiting
  /** Another process has the lease now. */
  | { readonly kind: 'passed' };

/** Nothing failed: the rate limiter grants the send later, here or in another process. */
export type Waiting = { readonly kind: 'wait'; readonly afterMs: number };

export const lostLease: SendResult = { kind: 'passed' };

export function channelOf({ key, subscription }: ClaimedOccurrence): PostTarget {
  return { teamId: key.teamId, channelId: subscription.channelId };
}

/** Identifies the occurrence in the log. */
export function logFieldsOf({ key, fencingToken }: ClaimedOccurrence) {
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
