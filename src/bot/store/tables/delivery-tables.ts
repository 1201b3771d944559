/** Tables of deliveries: subscriptions, deliveries with their messages and files, and the rate limiter of sends. */
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

/** A post, or several in one thread, that must be neither lost nor doubled. */
export type DeliveryTable = {
  team_id: string;
  /** DeliveryKind. */
  kind: string;
  /** As in DeliveryKey, like the next one. */
  subject: string;
  occurrence_id: string;
  channel_id: string;
  due_at: number;
  /** OccurrenceState; `open` for a thread or a welcome that is not complete or may change. */
  state: string;
  /** Number of releases. */
  attempts: Generated<number>;
  /** Time from which it can be claimed: the next attempt, or the end of the current lease. */
  claimable_at: number;
  /** The fencing token: rises with every claim and every end of a lease. */
  fence: Generated<number>;
  /** The serialised messages of a digest; null before they are built and once it is done. */
  payload: string | null;
  error: string | null;
  /** Of a digest, like the next four columns; null for any other delivery. */
  window_from: number | null;
  window_to: number | null;
  is_late: Generated<number>;
  /** Reason why the digest could not check, in a word. */
  check_error: string | null;
  /** For a missed occurrence: the occurrence whose digest reports it. */
  reported_in: string | null;
};

export type PostedMessageTable = {
  team_id: string;
  kind: string;
  subject: string;
  occurrence_id: string;
  name: string;
  /** Position in the order of sending, from 0. */
  position: number;
  /** Part of the metadata by which the message is found again. */
  opaque_id: string;
  state: string;
  /** Number of sends that were intended. A message that is sent without any was there before the delivery. */
  attempts: Generated<number>;
  first_intent_at: number | null;
  last_intent_at: number | null;
  ts: string | null;
  /** Hash of what is posted; null if it is not known. */
  content_hash: string | null;
  error: string | null;
  /** Time of the next duplicate check; null if there can be no duplicates. */
  duplicate_check_at: number | null;
  /** Number of duplicate checks done. */
  duplicate_checks: Generated<number>;
};

type PostedFileTable = {
  team_id: string;
  kind: string;
  subject: string;
  occurrence_id: string;
  /** Slack's id. */
  file_id: string;
  /** The name of the message under which it belongs. */
  message_name: string;
  file_name: string;
  /** Hash of its content; null until the file is known to be shared. */
  content_hash: string | null;
};

type SendRateTable = {
  team_id: string;
  /** Time at which the next message may be sent. */
  free_at: number;
  /** End of the wait that Slack asked for. */
  backoff_until: Generated<number>;
  /** Time at which the last refused caller tries again. */
  retry_at: Generated<number>;
};

export type DeliveryTables = {
  send_rate: SendRateTable;
  subscription: SubscriptionTable;
  delivery: DeliveryTable;
  posted_message: PostedMessageTable;
  posted_file: PostedFileTable;
};
