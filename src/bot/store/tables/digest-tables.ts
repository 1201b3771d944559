/** Tables of digests: subscriptions, occurrences, their messages, and the rate limiter. */
import type { Generated } from 'kysely';

export type SubscriptionTable = {
  team_id: string;
  id: string;
  channel_id: string;
  /** Local, `HH:MM`. */
  time: string;
  /** ISO's numbers, separated by commas. */
  weekdays: string;
  zone: string;
  /** JSON of ChosenWorkflows. */
  workflows: string;
  has_all_clear: number;
  on_uncertain: string;
  created_by: string;
  created_at: number;
  pause_reason: string | null;
  paused_at: number | null;
  paused_by: string | null;
  /** Null, as the two after it, while a person has paused it and once it is removed. */
  next_at: number | null;
  next_slot: string | null;
  next_shift: string | null;
  told_at: number | null;
  /** What was posted for it stays readable, and what was begun is ended. */
  removed_at: number | null;
};

export type SlotTable = {
  team_id: string;
  subscription_id: string;
  slot: string;
  channel_id: string;
  due_at: number;
  window_from: number;
  window_to: number;
  is_late: number;
  /** `due` until it is done. */
  state: string;
  /** How many times it was released. */
  attempts: Generated<number>;
  /** When it can be claimed: the time of the next attempt, or the end of the current lease. */
  claimable_at: number;
  /** The fencing token: rises with every claim and every end of a lease. */
  fence: Generated<number>;
  /** What will be sent; null once it is done. */
  payload: string | null;
  error: string | null;
  /** Of one whose digest says that it could not look: why, in a word. */
  could_not_look: string | null;
  /** Of a missed one: the slot whose digest tells of it. */
  told_in: string | null;
};

export type SlotPartTable = {
  team_id: string;
  subscription_id: string;
  slot: string;
  name: string;
  /** In the order of sending, from 0. */
  place: number;
  opaque_id: string;
  state: string;
  attempts: Generated<number>;
  first_intent_at: number | null;
  last_intent_at: number | null;
  ts: string | null;
  error: string | null;
  /** When duplicates are checked for; null when there can be none. */
  sweep_at: number | null;
  /** How many duplicate checks were done. */
  sweeps: Generated<number>;
};

export type PaceTable = {
  team_id: string;
  /** When the next message may be sent. */
  free_at: number;
  /** Slack asked to wait until then. */
  held_until: Generated<number>;
  /** When the last refused caller tries again. */
  back_at: Generated<number>;
};

export type DigestTables = {
  pace: PaceTable;
  subscription: SubscriptionTable;
  slot: SlotTable;
  slot_part: SlotPartTable;
};
