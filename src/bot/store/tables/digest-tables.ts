/** Tables of digests: subscriptions, occurrences, their messages, and the rate limiter of sends. */
import type { Generated } from 'kysely';

export type SubscriptionTable = {
  team_id: string;
  id: string;
  channel_id: string;
  /** Local, `HH:MM`. */
  time: string;
  /** ISO weekday numbers, separated by commas. */
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
  /** Null, like the next two columns, while a person has paused the subscription and once it is removed. */
  next_at: number | null;
  next_local_time: string | null;
  next_shift: string | null;
  /** Time of the last notice to its owner about a problem. */
  notified_at: number | null;
  /** A removed subscription keeps its row: its posted digests stay readable, and a started one is finished. */
  removed_at: number | null;
};

export type OccurrenceTable = {
  team_id: string;
  subscription_id: string;
  occurrence_id: string;
  channel_id: string;
  due_at: number;
  window_from: number;
  window_to: number;
  is_late: number;
  /** `due` until it is done. */
  state: string;
  /** Number of releases. */
  attempts: Generated<number>;
  /** Time from which it can be claimed: the next attempt, or the end of the current lease. */
  claimable_at: number;
  /** The fencing token: rises with every claim and every end of a lease. */
  fence: Generated<number>;
  /** The serialised messages; null before they are built and once the occurrence is done. */
  payload: string | null;
  error: string | null;
  /** Reason why the digest could not check, in a word. */
  check_error: string | null;
  /** For a missed occurrence: the occurrence whose digest reports it. */
  reported_in: string | null;
};

export type OutboxMessageTable = {
  team_id: string;
  subscription_id: string;
  occurrence_id: string;
  name: string;
  /** Position in the order of sending, from 0. */
  position: number;
  opaque_id: string;
  state: string;
  attempts: Generated<number>;
  first_intent_at: number | null;
  last_intent_at: number | null;
  ts: string | null;
  error: string | null;
  /** Time of the next duplicate check; null if there can be no duplicates. */
  duplicate_check_at: number | null;
  /** Number of duplicate checks done. */
  duplicate_checks: Generated<number>;
};

export type SendRateTable = {
  team_id: string;
  /** Time at which the next message may be sent. */
  free_at: number;
  /** End of the wait that Slack asked for. */
  backoff_until: Generated<number>;
  /** Time at which the last refused caller tries again. */
  retry_at: Generated<number>;
};

export type DigestTables = {
  send_rate: SendRateTable;
  subscription: SubscriptionTable;
  occurrence: OccurrenceTable;
  outbox_message: OutboxMessageTable;
};
