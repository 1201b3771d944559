/** What the steps of delivering one slot share. */

import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { ClaimedSlot } from '../store/outbox/slot.ts';
import type { Ledger } from '../store/repositories/ledger.ts';
import type { DigestPosting, PostTarget } from './ports.ts';
import type { AtStep } from './steps.ts';
import type { DigestLimits, DigestTiming } from './timing.ts';

export type WorkDeps = {
  readonly ledger: Pick<Ledger, 'now' | 'takeTurn' | 'holdOff'>;
  readonly posting: DigestPosting;
  /** Steady, for durations alone: of when something is due the database knows. */
  readonly clock: Clock;
  readonly timing: DigestTiming;
  readonly limits: DigestLimits;
  readonly log: Logger;
  readonly at: AtStep;
  /** Aborted when the bot stops: what has not been begun is left to others. */
  readonly stopping: AbortSignal;
};

/** What came of one part. */
export type PartResult =
  | { readonly kind: 'sent'; readonly ts: string }
  /** The rest goes on without it. */
  | { readonly kind: 'given_up'; readonly state: 'dead' | 'uncertain'; readonly error: string }
  /** Slack takes nothing there until somebody changes something. */
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'later'; readonly afterMs: number; readonly error: string }
  | Waiting
  /** Somebody else has the slot now. */
  | { readonly kind: 'passed' };

/** Nothing is wrong: its turn comes later, here or elsewhere. */
export type Waiting = { readonly kind: 'wait'; readonly afterMs: number };

export const passed: PartResult = { kind: 'passed' };

export function channelOf({ key, subscription }: ClaimedSlot): PostTarget {
  return { teamId: key.teamId, channelId: subscription.channelId };
}

/** Which slot it is, for the log. */
export function slotFields({ key, fence }: ClaimedSlot) {
  return { ...key, fence };
}

/** For good. */
export type FinishedEnd = {
  readonly kind: 'finish';
  readonly state: 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';
  readonly error?: string;
};

/** How the work on a slot ends, for now or for good. */
export type SlotEnd =
  | FinishedEnd
  | { readonly kind: 'release'; readonly afterMs: number; readonly error: string }
  | Waiting
  | { readonly kind: 'passed' };
