/** A digest that is due, the messages it posts, and what became of each. */
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
  /** Nobody claims it before then; from the beginning where left out. Epoch milliseconds. */
  readonly notBefore?: number | undefined;
};

/**
 * `intent`: somebody was about to send it. `unknown`: sent, and no answer. `uncertain`: nobody will ever know.
 */
export type OutboxMessageState = 'waiting' | 'intent' | 'unknown' | 'uncertain' | 'sent' | 'dead';

/** One of the messages of a slot. */
export type OutboxMessage = {
  /** `root`, `cause-1` … */
  readonly name: string;
  /** In the message's metadata, which the whole workspace can read. */
  readonly opaqueId: string;
  readonly state: OutboxMessageState;
  /** How many times somebody was about to send it, and may have done so. */
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

/** Of whoever has claimed a slot. Each answers false, and changes nothing, once the slot is somebody else's or done. */
export type OccurrenceLease = {
  /** @param leaseMs from now */
  extend(leaseMs: number): Promise<boolean>;
  /** Once. Tells of the missed ones that came with the claim; false where another digest tells of them by now. @param parts in the order of sending @param couldNotLook why, where that is all it says */
  savePayload(
    payload: string,
    parts: readonly Pick<OutboxMessage, 'name' | 'opaqueId'>[],
    couldNotLook?: string | null,
  ): Promise<boolean>;
  /** Before sending a part that is `waiting`. @param outlivesMs false where the lease ends sooner: do not send */
  recordIntent(part: string, outlivesMs: number): Promise<boolean>;
  /** What became of a part. Counts after the end of the lease, too, while nobody has taken over. */
  recordOutcome(part: string, outcome: SendOutcome): Promise<boolean>;
  finish(state: Exclude<OccurrenceState, 'due'>, error?: string): Promise<boolean>;
  /** Due again, not before; counts an attempt. */
  release(tryAgainInMs: number, error?: string): Promise<boolean>;
  /** The same, of what only waits for its turn: nothing was attempted. */
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
  /** How often somebody has looked before. */
  readonly checksDone: number;
};

/** A line of the outbox, as a person reads it. */
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
  readonly couldNotLook: string | null;
  /** When it is tried again, or its lease ends; null once it is done. */
  readonly nextAt: number | null;
  readonly messages: readonly OutboxMessage[];
  /** What the page after this entry begins with. */
  readonly cursor: string;
};

export type PlannedOccurrences = { readonly occurrences: readonly NewOccurrence[]; readonly next: Due };

/** @param toldTo where the window of the last one ended, epoch milliseconds; null where there was none @returns which slots come into being, and what it is due at next */
export type PlanOccurrences = (subscription: Subscription, now: number, toldTo: number | null) => PlannedOccurrences;
