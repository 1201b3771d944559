/** Tables of deliveries: subscriptions, deliveries with their messages and files, and the rate limiter of sends. */
import type { Generated } from 'kysely';

export type SubscriptionTable = {
  teamId: string;
  id: string;
  channelId: string;
  /** Local, `HH:MM`. */
  time: string;
  /** ISO weekday numbers, separated by commas. */
  weekdays: string;
  zone: string;
  /** JSON of ChosenWorkflows. */
  workflows: string;
  hasAllClear: number;
  onUncertain: string;
  createdBy: string;
  createdAt: number;
  pauseReason: string | null;
  pausedAt: number | null;
  pausedBy: string | null;
  /** Null, like the next two columns, while a person has paused the subscription and once it is removed. */
  nextAt: number | null;
  nextLocalTime: string | null;
  nextShift: string | null;
  /** Time of the last notice to its owner about a problem. */
  notifiedAt: number | null;
  /** A removed subscription keeps its row: its posted digests stay readable, and a started one is finished. */
  removedAt: number | null;
};

/** A post, or several in one thread, that must be neither lost nor doubled. */
export type DeliveryTable = {
  teamId: string;
  /** DeliveryKind. */
  kind: string;
  /** As in DeliveryKey, like the next one. */
  subject: string;
  occurrenceId: string;
  channelId: string;
  dueAt: number;
  /** OccurrenceState; `open` for a thread or a welcome that is not complete or may change. */
  state: string;
  /** Number of releases. */
  attempts: Generated<number>;
  /** Time from which it can be claimed: the next attempt, or the end of the current lease. */
  claimableAt: number;
  /** The fencing token: rises with every claim and every end of a lease. */
  fence: Generated<number>;
  /** The serialised messages of a digest; null before they are built and once it is done. */
  payload: string | null;
  error: string | null;
  /** Of a digest, like the next four columns; null for any other delivery. */
  windowFrom: number | null;
  windowTo: number | null;
  isLate: Generated<number>;
  /** Reason why the digest could not check, in a word. */
  checkError: string | null;
  /** For a missed occurrence: the occurrence whose digest reports it. */
  reportedIn: string | null;
};

export type PostedMessageTable = {
  teamId: string;
  kind: string;
  subject: string;
  occurrenceId: string;
  /** `root`, then `cause-1` and so on. */
  name: string;
  /** Position in the order of sending, from 0. */
  position: number;
  /** Part of the message's metadata, by which it is found again, and which the whole workspace can read. */
  opaqueId: string;
  state: string;
  /** Number of sends that were intended, and may have happened. A message that is sent without any was there before the delivery. */
  attempts: Generated<number>;
  firstIntentAt: number | null;
  lastIntentAt: number | null;
  ts: string | null;
  /** Hash of what is posted; null if it is not known. */
  contentHash: string | null;
  error: string | null;
  /** Time of the next duplicate check; null if there can be no duplicates. */
  duplicateCheckAt: number | null;
  /** Number of duplicate checks done. */
  duplicateChecks: Generated<number>;
};

export type PostedFileTable = {
  teamId: string;
  kind: string;
  subject: string;
  occurrenceId: string;
  /** Slack's id. */
  fileId: string;
  /** The name of the message under which it belongs. */
  messageName: string;
  fileName: string;
  /** Hash of its content; null until the file is known to be shared. */
  contentHash: string | null;
};

type SendRateTable = {
  teamId: string;
  /** Time at which the next message may be sent. */
  freeAt: number;
  /** End of the wait that Slack asked for. */
  backoffUntil: Generated<number>;
  /** Time at which the last refused caller tries again. */
  retryAt: Generated<number>;
};

export type DeliveryTables = {
  send_rate: SendRateTable;
  subscription: SubscriptionTable;
  delivery: DeliveryTable;
  posted_message: PostedMessageTable;
  posted_file: PostedFileTable;
};
