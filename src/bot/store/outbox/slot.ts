/** A digest that is due, the messages it posts, and what became of each. */
import type { Due } from '../../domain/schedule.ts';
import type { Subscription } from '../../domain/subscription.ts';

export type SlotKey = {
  readonly teamId: string;
  readonly subscriptionId: string;
  /** Local date and time; for one that a person asked for, any other text. */
  readonly slot: string;
};

/** `quiet`: nothing failed, and nobody wants to hear so. */
export type SlotState = 'due' | 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';

/** Epoch milliseconds: `from` is in it, `to` is not. */
export type SlotWindow = { readonly from: number; readonly to: number };

export type NewSlot = {
  readonly slot: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly window: SlotWindow;
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
export type PartState = 'waiting' | 'intent' | 'unknown' | 'uncertain' | 'sent' | 'dead';

/** One of the messages of a slot. */
export type Part = {
  /** `root`, `cause-1` … */
  readonly name: string;
  /** In the message's metadata, which the whole workspace can read. */
  readonly opaqueId: string;
  readonly state: PartState;
  /** How many times somebody was about to send it, and may have done so. */
  readonly attempts: number;
  readonly firstIntentAt: number | null;
  readonly lastIntentAt: number | null;
  readonly ts: string | null;
  readonly error: string | null;
};

export type PartOutcome =
  | { readonly kind: 'sent'; readonly ts: string }
  /** The attempt certainly came to nothing, and does not count. */
  | { readonly kind: 'unsent'; readonly error: string }
  | { readonly kind: 'waiting' | 'unknown' | 'uncertain' | 'dead'; readonly error: string };

/** Of whoever has claimed a slot. Each answers false, and changes nothing, once the slot is somebody else's or done. */
export type SlotHold = {
  /** @param leaseMs from now */
  extend(leaseMs: number): Promise<boolean>;
  /** Once. Tells of the missed ones that came with the claim; false where another digest tells of them by now. @param parts in the order of sending @param couldNotLook why, where that is all it says */
  savePayload(
    payload: string,
    parts: readonly Pick<Part, 'name' | 'opaqueId'>[],
    couldNotLook?: string | null,
  ): Promise<boolean>;
  /** Before sending a part that is `waiting`. @param outlivesMs false where the lease ends sooner: do not send */
  intend(part: string, outlivesMs: number): Promise<boolean>;
  /** What became of a part. Counts after the end of the lease, too, while nobody has taken over. */
  settle(part: string, outcome: PartOutcome): Promise<boolean>;
  finish(state: Exclude<SlotState, 'due'>, error?: string): Promise<boolean>;
  /** Due again, not before; counts an attempt. */
  release(tryAgainInMs: number, error?: string): Promise<boolean>;
  /** The same, of what only waits for its turn: nothing was attempted. */
  giveBack(forMs: number): Promise<boolean>;
};

export type MissedSlot = { readonly slot: string; readonly dueAt: number };

export type ClaimedSlot = {
  readonly key: SlotKey;
  /** As it is now, but with the channel that the slot was planned for. */
  readonly subscription: Subscription;
  /** Rises with every claim. */
  readonly fence: number;
  readonly claimedAt: number;
  readonly dueAt: number;
  readonly window: SlotWindow;
  readonly isLate: boolean;
  /** How many times it was released. */
  readonly attempts: number;
  /** Why it was released last. */
  readonly error: string | null;
  readonly payload: string | null;
  /** In the order of sending. */
  readonly parts: readonly Part[];
  /** Those of the subscription of which no digest has told yet, oldest first. */
  readonly missed: readonly MissedSlot[];
  readonly hold: SlotHold;
};

export type SlotClaimOptions = {
  readonly max: number;
  readonly leaseMs: number;
  /** The most of one workspace in one claim. */
  readonly perTeam: number;
  readonly exceptTeams: readonly string[];
};

export type SweepablePart = {
  readonly key: SlotKey;
  readonly channelId: string;
  /** Under which a reply stands; null where that was not sent. */
  readonly rootTs: string | null;
  readonly part: Part;
  /** How often somebody has looked before. */
  readonly looks: number;
};

/** A line of the ledger, as a person reads it. */
export type SlotEntry = {
  readonly key: SlotKey;
  readonly channelId: string;
  readonly dueAt: number;
  readonly window: SlotWindow;
  readonly isLate: boolean;
  readonly state: SlotState;
  readonly attempts: number;
  readonly error: string | null;
  /** Why its digest could not look, in a word; null where it did. */
  readonly couldNotLook: string | null;
  /** When it is tried again, or its lease ends; null once it is done. */
  readonly nextAt: number | null;
  readonly parts: readonly Part[];
  /** What the page after this entry begins with. */
  readonly cursor: string;
};

export type PlannedSlots = { readonly slots: readonly NewSlot[]; readonly next: Due };

/** @param toldTo where the window of the last one ended, epoch milliseconds; null where there was none @returns which slots come into being, and what it is due at next */
export type PlanSlots = (subscription: Subscription, now: number, toldTo: number | null) => PlannedSlots;
