/** Types of the outbox: a delivery, the messages it posts, its lease, and the outcome of each send. */
import type { Selectable } from 'kysely';
import type { Due } from '../../domain/schedule.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { DeliveryKey, DeliveryTable, PostedFileTable, PostedMessageTable } from '../tables.ts';

/** `welcome`: to the person who installed the bot. */
export type DeliveryKind = 'digest' | 'thread' | 'welcome';

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

/** Name of a delivery's first message. The others are replies to it. */
export const rootName = 'root';

type OtherColumn = keyof DeliveryKey | 'position' | 'state' | 'duplicateCheckAt' | 'duplicateChecks';

/** One of the messages of a delivery. */
export type OutboxMessage = Readonly<Omit<Selectable<PostedMessageTable>, OtherColumn>> & {
  readonly state: OutboxMessageState;
};

export type NewMessage = Pick<OutboxMessage, 'name' | 'opaqueId'>;

export type SendOutcome =
  | { readonly kind: 'sent'; readonly ts: string; readonly contentHash?: string | undefined }
  /** The attempt certainly posted nothing, and does not count. */
  | { readonly kind: 'unsent'; readonly error: string }
  | { readonly kind: 'waiting' | 'unknown' | 'uncertain' | 'dead'; readonly error: string };

/** The lease of a claimed delivery. Each method returns false and changes nothing once another process holds the lease or the delivery is done. */
type DeliveryLease = {
  /** @param leaseMs from now */
  extend(leaseMs: number): Promise<boolean>;
  /** Before sending a `waiting` message. @param outlivesMs the lease must last this much longer; otherwise false: do not send */
  recordIntent(messageName: string, outlivesMs: number): Promise<boolean>;
  /** Also succeeds after the end of the lease, as long as no other process has claimed the delivery. */
  recordOutcome(messageName: string, outcome: SendOutcome): Promise<boolean>;
  finish(state: Exclude<OccurrenceState, 'due'>, error?: string): Promise<boolean>;
  /** Makes the delivery claimable again later and counts an attempt. */
  release(tryAgainInMs: number, error?: string): Promise<boolean>;
  /** Makes it claimable again later without counting an attempt, because the rate limiter had no permit. */
  defer(forMs: number): Promise<boolean>;
};

export type OccurrenceLease = DeliveryLease & {
  /**
   * Stores the messages once, and marks the missed occurrences that came with the claim as reported here.
   * @param messages in the order of sending @param checkError why the digest says that it could not check
   * @returns also false if another digest reports the missed ones by now
   */
  savePayload(payload: string, messages: readonly NewMessage[], checkError?: string | null): Promise<boolean>;
};

export type PostedFile = Readonly<Omit<PostedFileTable, keyof DeliveryKey>>;

/** The lease of an open delivery: messages are added, edited and posted again. */
export type OpenLease = DeliveryLease & {
  /** @returns the messages as they are now, in the order of sending */
  readMessages(): Promise<readonly OutboxMessage[]>;
  /** Adds messages in state `waiting`, except those that exist. @param position of the first one */
  addMessages(messages: readonly NewMessage[], position: number): Promise<boolean>;
  /** The root is a message that was there before. */
  adoptRoot(ts: string): Promise<boolean>;
  recordEdit(messageName: string, contentHash: string): Promise<boolean>;
  /** A posted message is gone, or its last attempts were given up: it is sent again as a new one. */
  renew(message: NewMessage): Promise<boolean>;
  /** Adds a file, or updates a known one. */
  saveFile(file: PostedFile): Promise<void>;
  forgetFile(fileId: string): Promise<void>;
};

export type MissedOccurrence = { readonly occurrenceId: string; readonly dueAt: number };

/** A delivery that this process works on. */
export type ClaimedDelivery = {
  readonly key: DeliveryKey;
  readonly channelId: string;
  /** If it can never be known whether a message was posted: `hold` leaves a possible gap, `repeat` a possible repeat. */
  readonly onUncertain: 'hold' | 'repeat';
  /** Rises with every claim. */
  readonly fencingToken: number;
  /** Number of releases so far. */
  readonly attempts: number;
  /** Messages in the order of sending. */
  readonly messages: readonly OutboxMessage[];
  readonly files: readonly PostedFile[];
  readonly lease: DeliveryLease;
};

/** A digest that is due. */
export type ClaimedOccurrence = ClaimedDelivery & {
  /** The current subscription, but with the channel that the occurrence was planned for. */
  readonly subscription: Subscription;
  readonly claimedAt: number;
  readonly dueAt: number;
  readonly window: OccurrenceWindow;
  readonly isLate: boolean;
  /** Reason for the last release. */
  readonly error: string | null;
  readonly payload: string | null;
  /** Missed occurrences of the subscription that no digest has reported yet, oldest first. */
  readonly missed: readonly MissedOccurrence[];
  readonly lease: OccurrenceLease;
};

/** A thread, or a welcome. */
export type OpenDelivery = ClaimedDelivery & {
  /** Epoch milliseconds. */
  readonly openedAt: number;
  readonly lease: OpenLease;
};

export type OpenClaim =
  /** The caller posts what is missing, edits what has changed, and ends the lease. */
  | { readonly kind: 'mine'; readonly delivery: OpenDelivery; readonly isNew: boolean }
  /** Complete, never changes again. */
  | { readonly kind: 'final'; readonly delivery: Pick<OpenDelivery, 'messages'> }
  /** Another process has the lease. */
  | { readonly kind: 'taken'; readonly delivery: Pick<OpenDelivery, 'messages'> };

export type ClaimOptions = {
  readonly max: number;
  readonly leaseMs: number;
  /** Limit for one workspace in one claim. */
  readonly perTeam: number;
  readonly exceptTeams: readonly string[];
};

export type DuplicateCheck = {
  readonly key: DeliveryKey;
  readonly channelId: string;
  /** The root of the thread; null if it was not sent. */
  readonly rootTs: string | null;
  readonly message: OutboxMessage;
  /** Number of duplicate checks done before. */
  readonly checksDone: number;
};

type EntryColumn = 'channelId' | 'dueAt' | 'attempts' | 'error' | 'checkError';

export type OutboxEntry = Readonly<Pick<Selectable<DeliveryTable>, EntryColumn>> & {
  readonly key: DeliveryKey;
  readonly window: OccurrenceWindow;
  readonly isLate: boolean;
  readonly state: OccurrenceState;
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
