/** Types of the outbox: an occurrence, the messages it posts, its lease, and the outcome of each send. */
import type { Due } from '../../domain/schedule.ts';
import type { Subscription } from '../../domain/subscription.ts';

export type OccurrenceKey = {
  readonly teamId: string;
  readonly subscriptionId: string;
  /** Local date and time; for one that a person asked for, any other text. */
  readonly occurrenceId: string;
};

/** `quiet`: nothing failed, and nobody wants to hear so. */
export type OccurrenceState = 'due' | 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';

/** Epoch milliseconds: `from` is in it, `to` is not. */
export type OccurrenceWindow = { readonly from: number; readonly to: number };

export type NewOccurrence = {
  readonly occurrenceId: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly window: OccurrenceWindow;
  readonly state: 'due' | 'missed';
  /** Why it is missed, in a word. */
  readonly error?: string;
  readonly isLate: boolean;
  /** Not claimable before then; claimable at once when absent. Epoch milliseconds. */
  readonly notBefore?: number | undefined;
};

/**
 * `intent`: a process was about to send it. `unknown`: sent without an answer. `uncertain`: the outcome can never be known.
 */
export type OutboxMessageState = 'waiting' | 'intent' | 'unknown' | 'uncertain' | 'sent' | 'dead';

/** One of the messages of an occurrence. */
export type OutboxMessage = {
  /** `root`, `cause-1` … */
  readonly name: string;
  /** In the message's metadata, which the whole workspace can read. */
  readonly opaqueId: string;
  readonly state: OutboxMessageState;
  /** How many sends were intended, and may have happened. */
  readonly attempts: number;
  readonly firstIntentAt: number | null;
  readonly lastIntentAt: number | null;
  readonly ts: string | null;
  readonly error: string | null;
};

export type SendOutcome =
  | { readonly kind: 'sent'; readonly ts: string }
  /** The attempt certainly came to nothing, and does not count. */
  | { readonly kind: 'unsent'; readonly error: string }
  | { readonly kind: 'waiting' | 'unknown' | 'uncertain' | 'dead'; readonly error: string };

/** The lease of a claimed occurrence. Each method returns false and changes nothing once another process holds the lease or the occurrence is done. */
export type OccurrenceLease = {
  /** @param leaseMs from now */
  extend(leaseMs: number): Promise<boolean>;
  /** Once. Tells of the missed ones that came with the claim; false where another digest tells of them by now. @param parts in the order of sending @param checkError why, where that is all it says */
  savePayload(
    payload: string,
    parts: readonly Pick<OutboxMessage, 'name' | 'opaqueId'>[],
    checkError?: string | null,
  ): Promise<boolean>;
  /** Before sending a part that is `waiting`. @param outlivesMs false where the lease ends sooner: do not send */
  recordIntent(part: string, outlivesMs: number): Promise<boolean>;
  /** What became of a part. Counts after the end of the lease, too, while nobody has taken over. */
  recordOutcome(part: string, outcome: SendOutcome): Promise<boolean>;
  finish(state: Exclude<OccurrenceState, 'due'>, error?: string): Promise<boolean>;
  /** Due again, not before; counts an attempt. */
  release(tryAgainInMs: number, error?: string): Promise<boolean>;
  /** Due again later without counting an attempt: the rate limiter had no permit. */
  defer(forMs: number): Promise<boolean>;
};

export type MissedOccurrence = { readonly occurrenceId: string; readonly dueAt: number };

export type ClaimedOccurrence = {
  readonly key: OccurrenceKey;
  /** As it is now, but with the channel that the slot was planned for. */
  readonly subscription: Subscription;
  /** Rises with every claim. */
  readonly fencingToken: number;
  readonly claimedAt: number;
  readonly dueAt: number;
  readonly window: OccurrenceWindow;
  readonly isLate: boolean;
  /** How many times it was released. */
  readonly attempts: number;
  /** Why it was released last. */
  readonly error: string | null;
  readonly payload: string | null;
  /** In the order of sending. */
  readonly messages: readonly OutboxMessage[];
  /** Those of the subscription of which no digest has told yet, oldest first. */
  readonly missed: readonly MissedOccurrence[];
  readonly lease: OccurrenceLease;
};

export type ClaimOptions = {
  readonly max: number;
  readonly leaseMs: number;
  /** The most of one workspace in one claim. */
  readonly perTeam: number;
  readonly exceptTeams: readonly string[];
};

export type DuplicateCheck = {
  readonly key: OccurrenceKey;
  readonly channelId: string;
  /** Under which a reply stands; null where that was not sent. */
  readonly rootTs: string | null;
  readonly message: OutboxMessage;
  /** How many duplicate checks were done before. */
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
  /** Why its digest could not look, in a word; null where it did. */
  readonly checkError: string | null;
  /** When it is tried again, or its lease ends; null once it is done. */
  readonly nextAt: number | null;
  readonly messages: readonly OutboxMessage[];
  /** What the page after this entry begins with. */
  readonly cursor: string;
};

export type PlannedOccurrences = { readonly occurrences: readonly NewOccurrence[]; readonly next: Due };

/** @param toldTo where the window of the last one ended, epoch milliseconds; null where there was none @returns which slots come into being, and what it is due at next */
export type PlanOccurrences = (subscription: Subscription, now: number, toldTo: number | null) => PlannedOccurrences;
