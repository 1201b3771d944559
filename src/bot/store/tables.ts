/**
 * The bot's own tables. The workspace leads every key; times are epoch milliseconds. A column has its name in camel case here
 * and in rows, in snake case in the database and in SQL: Kysely converts it.
 */
import type { Generated } from 'kysely';

export type InstallationTable = {
  /** Id of the workspace; of the enterprise for an installation in the whole enterprise. */
  teamId: string;
  enterpriseId: string | null;
  isEnterpriseInstall: number;
  botUserId: string;
  botId: string | null;
  /** Id of the Slack app; null for installations before this column. */
  appId: string | null;
  /** Separated by commas, as Slack sends them. */
  scopes: string;
  /** Slack's id of the person. */
  installedBy: string;
  installedAt: number;
  /** Null while the bot is installed. */
  uninstalledAt: number | null;
  /** Random, changes with every write of a token; bound into the envelopes. */
  version: string;
  /** Sealed; null once it is uninstalled. */
  botToken: string | null;
  /** Sealed; null if tokens do not expire. */
  refreshToken: string | null;
  tokenExpiresAt: number | null;
  /** Since when Slack refuses the token with the word of `refusedError`; null while it accepts it. */
  refusedSince: number | null;
  refusedError: string | null;
};

export type CredentialTable = {
  teamId: string;
  endpoint: string;
  /** Random, changes with every write of the key; bound into the envelope together with the endpoint. */
  version: string;
  /** Sealed. */
  apiKey: string;
  /** The part of the key that may be shown. */
  keyHint: string;
  organizationId: string | null;
  organizationName: string | null;
  /** Slack's id of the person. */
  connectedBy: string;
  connectedAt: number;
  /** Time of the last check of the key; null if there was none since it was stored. */
  checkedAt: number | null;
  /** Time of the first refusal by the service; null while it does not refuse the key. */
  refusedSince: number | null;
  /** Time of the notice about the refusal. */
  notifiedAt: number | null;
};

export type RoleTable = {
  teamId: string;
  /** Slack's id of the person. */
  userId: string;
  role: string;
  grantedBy: string;
  grantedAt: number;
};

type SettingsTable = {
  teamId: string;
  /** JSON of WorkspaceSettings. */
  value: string;
  changedBy: string;
  changedAt: number;
};

export type AuditTable = {
  teamId: string;
  /** Number of the entry, from 1 without a gap. */
  number: number;
  at: number;
  userId: string;
  action: string;
  /** JSON of an object. */
  detail: string;
  /** Covers this entry and the hash of the one before it. */
  hash: string;
};

type IdempotencyKeyTable = {
  teamId: string;
  /** Key of a delivery, such as an event's id. */
  key: string;
  expiresAt: number;
};

/** The only table without a workspace, because the workspace is unknown before its installation. */
type OauthStateTable = {
  stateHash: string;
  browserHash: string;
  expiresAt: number;
};

type LeaseTable = {
  teamId: string;
  name: string;
  holder: string;
  expiresAt: number;
};

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

export type DeliveryKey = {
  readonly teamId: string;
  /** DeliveryKind. */
  readonly kind: string;
  /** The id of the subscription, the uuid of the execution, or the id of the person. */
  readonly subject: string;
  /**
   * Of a digest: local date and time, or any other text for one that a person requested. Of a thread: its channel. Of a
   * welcome: the time of the installation.
   */
  readonly occurrenceId: string;
};

/** A post, or several in one thread, that must be neither lost nor doubled. */
export type DeliveryTable = DeliveryKey & {
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

export type PostedMessageTable = DeliveryKey & {
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

export type PostedFileTable = DeliveryKey & {
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

export type Tables = {
  installation: InstallationTable;
  credential: CredentialTable;
  role: RoleTable;
  settings: SettingsTable;
  audit: AuditTable;
  idempotency_key: IdempotencyKeyTable;
  oauth_state: OauthStateTable;
  lease: LeaseTable;
  subscription: SubscriptionTable;
  delivery: DeliveryTable;
  posted_message: PostedMessageTable;
  posted_file: PostedFileTable;
  send_rate: SendRateTable;
};

export type TableName = keyof Tables;

/** Every table with its key as in SQL, for backups and for deleting a workspace. A new table does not compile until it is named here. */
export const tableKeys: Readonly<Record<TableName, readonly string[]>> = {
  installation: ['team_id'],
  credential: ['team_id'],
  role: ['team_id', 'user_id'],
  settings: ['team_id'],
  audit: ['team_id', 'number'],
  idempotency_key: ['team_id', 'key'],
  oauth_state: ['state_hash'],
  lease: ['team_id', 'name'],
  // The order matters: a writer of deliveries, messages or files locks the row above them.
  subscription: ['team_id', 'id'],
  delivery: ['team_id', 'kind', 'subject', 'occurrence_id'],
  posted_message: ['team_id', 'kind', 'subject', 'occurrence_id', 'name'],
  posted_file: ['team_id', 'kind', 'subject', 'occurrence_id', 'file_id'],
  send_rate: ['team_id'],
};

export const tableNames = Object.keys(tableKeys) as readonly TableName[];
