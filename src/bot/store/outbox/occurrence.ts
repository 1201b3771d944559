/** Types of the outbox: an occurrence, the messages it posts, its lease, and the outcome of each send. */
import type { Due } from '../../domain/schedule.ts';
import type { Subscription } from '../../domain/subscription.ts';

export type OccurrenceKey = {
  readonly teamId: string;
  readonly subscriptionId: string;
  /** Local date and time; any other text for an occurrence that a person requested. */
  readonly occurrenceId: string;
};

/** `quiet`: nothing failed, and the subscription wants no all-clear. */
export type OccurrenceState = 'due' | 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';

/** Epoch milliseconds, `to` excluded. */
export type OccurrenceWindow = { readonly from: number; readonly to: number };

export type NewOccurrence = {
  readonly occurrenceId: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly window: OccurrenceWindow;
  readonly state: 'due' | 'missed';
  /** Reason for the missed occurrence, in a word. */
  readonly error?: string;
  readonly isLate: boolean;
  /** Not claimable before then; claimable at once when absent. Epoch milliseconds. */
  readonly notBefore?: number | undefined;
};

/**
 * `intent`: a process was about to send it. `unknown`: sent without an answer. `uncertain`: the outcome can never be known.
 */
export type OutboxMessageState = 'waiting' | 'intent' | 'unknown' | 'uncertain' | 'sent' | 'dead';

/** Name of an occurrence's first message. The others are replies to it. */
export const rootName = 'root';

/** One of the messages of an occurrence. */
export type OutboxMessage = {
  /** `root`, then `cause-1` and so on. */
  readonly name: string;
  /** Part of the message's metadata, which the whole workspace can read. */
  readonly opaqueId: string;
  readonly state: OutboxMessageState;
  /** Number of sends that were intended, and may have happened. */
  readonly attempts: number;
  readonly firstIntentAt: number | null;
  readonly lastIntentAt: number | null;
  readonly ts: string | null;
  readonly error: string | null;
};

export type SendOutcome =
  | { readonly kind: 'sent'; readonly ts: string }
  /** The attempt certainly posted nothing, and does not count. */
  | { readonly kind: 'unsent'; readonly error: string }
  | { readonly kind: 'waiting' | 'unknown' | 'uncertain' | 'dead'; readonly error: string };

/** The lease of a claimed occurrence. Each method returns false and changes nothing once another process holds the lease or the occurrence is done. */
export type OccurrenceLease = {
  /** @param leaseMs from now */
  extend(leaseMs: number): Promise<boolean>;
  /**
   * Stores the messages once, and marks the missed occurrences that came with the claim as reported here.
   * @param messages in the order of sending @param checkError why the digest says that it could not check
   * @returns also false if another digest reports the missed ones by now
   */
  savePayload(
    payload: string,
    messages: readonly Pick<OutboxMessage, 'name' | 'opaqueId'>[],
    checkError?: string | null,
  ): Promise<boolean>;
  /** Before sending a `waiting` message. @param outlivesMs the lease must last this much longer; otherwise false: do not send */
  recordIntent(messageName: string, outlivesMs: number): Promise<boolean>;
  /** Also succeeds after the end of the lease, as long as no other process has claimed the occurrence. */
  recordOutcome(messageName: string, outcome: SendOutcome): Promise<boolean>;
  finish(state: Exclude<OccurrenceState, 'due'>, error?: string): Promise<boolean>;
  /** Makes the occurrence due again later and counts an attempt. */
  release(tryAgainInMs: number, error?: string): Promise<boolean>;
  /** Makes it due again later without counting an attempt, because the rate limiter had no permit. */
  defer(forMs: number): Promise<boolean>;
};

export type MissedOccurrence = { readonly occurrenceId: string; readonly dueAt: number };

export type ClaimedOccurrence = {
  readonly key: OccurrenceKey;
  /** The current subscription, but with the channel that the occurrence was planned for. */
  readonly subscription: Subscription;
  /** Rises with every claim. */
  readonly fencingToken: number;
  readonly claimedAt: number;
  readonly dueAt: number;
  readonly window: OccurrenceWindow;
  readonly isLate: boolean;
  /** Number of releases so far. */
  readonly attempts: number;
  /** Reason for the last release. */
  readonly error: string | null;
  readonly payload: string | null;
  /** Messages in the order of sending. */
  readonly messages: readonly OutboxMessage[];
  /** Missed occurrences of the subscription that no digest has reported yet, oldest first. */
  readonly missed: readonly MissedOccurrence[];
  readonly lease: OccurrenceLease;
};

export type ClaimOptions = {
  readonly max: number;
  readonly leaseMs: number;
  /** Limit for one workspace in one claim. */
  readonly perTeam: number;
  readonly exceptTeams: readonly string[];
};

export type DuplicateCheck = {
  readonly key: OccurrenceKey;
  readonly channelId: string;
  /** The root of the thread; null if it was not sent. */
  readonly rootTs: string | null;
  readonly message: OutboxMessage;
  /** Number of duplicate checks done before. */
  readonly checksDone: number;
};

/** An entry of the outbox for the delivery list. */
export type OutboxEntry = {
  readonly key: OccurrenceKey;
  readonly channelId: string;
  readonly dueAt: number;
  readonly window: OccurrenceWindow;
  readonly isLate: boolean;
  readonly state: OccurrenceState;
  readonly attempts: number;
  readonly error: string | null;
  /** Reason why the digest could not check, in a word; null if it could. */
  readonly checkError: string | null;
  /** Time of the next attempt, or the end of its lease; null once it is done. */
  readonly nextAt: number | null;
  readonly messages: readonly OutboxMessage[];
  /** The next page begins after this cursor. */
  readonly cursor: string;
};

export type PlannedOccurrences = { readonly occurrences: readonly NewOccurrence[]; readonly next: Due };

/**
 * @param coveredTo end of the last occurrence's window, epoch milliseconds; null if there was none
 * @returns the new occurrences, and the next due time of the subscription
 */
export type PlanOccurrences = (subscription: Subscription, now: number, coveredTo: number | null) => PlannedOccurrences;
