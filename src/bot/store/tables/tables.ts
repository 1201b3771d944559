/** The bot's own tables. The workspace leads every key; times are epoch milliseconds. */
import type { DigestTables } from './digest-tables.ts';
import type { WorkspaceTables } from './workspace-tables.ts';

export type ThreadTable = {
  team_id: string;
  channel_id: string;
  /** The subject of the thread: an execution's uuid. */
  subject: string;
  /** Slack's id of the root message; null until it is known to be posted. */
  root_ts: string | null;
  /** 1 if the root is an earlier message, which the bot does not edit. */
  is_anchored: number;
  /** 1 once every reply is posted and the subject never changes again. */
  is_final: number;
  /** End of the lease of the process that works on the thread. */
  lease_until: number;
  opened_at: number;
};

export type ThreadReplyTable = {
  team_id: string;
  channel_id: string;
  subject: string;
  /** Name of the reply. */
  name: string;
  ts: string;
  /** Hash of the message; null if it is not known. */
  digest: string | null;
};

export type ThreadFileTable = {
  team_id: string;
  channel_id: string;
  subject: string;
  /** Slack's id. */
  file_id: string;
  /** The name of the reply under which it belongs. */
  reply: string;
  /** Name of the file. */
  name: string;
  /** Hash of its content; null until the file is known to be shared. */
  digest: string | null;
};

export type Tables = WorkspaceTables &
  DigestTables & {
    thread: ThreadTable;
    thread_reply: ThreadReplyTable;
    thread_file: ThreadFileTable;
  };

export type TableName = keyof Tables;

/** Every table with its key, for backups and for deleting a workspace. A new table does not compile until it is named here. */
export const tableKeys: { readonly [Table in TableName]: readonly (keyof Tables[Table] & string)[] } = {
  thread: ['team_id', 'channel_id', 'subject'],
  thread_reply: ['team_id', 'channel_id', 'subject', 'name'],
  thread_file: ['team_id', 'channel_id', 'subject', 'file_id'],
  installation: ['team_id'],
  credential: ['team_id'],
  role: ['team_id', 'user_id'],
  settings: ['team_id'],
  audit: ['team_id', 'number'],
  idempotency_key: ['team_id', 'key'],
  oauth_state: ['state_hash'],
  lease: ['team_id', 'name'],
  // The order matters: a writer of occurrences or messages locks the row above them.
  subscription: ['team_id', 'id'],
  occurrence: ['team_id', 'subscription_id', 'occurrence_id'],
  outbox_message: ['team_id', 'subscription_id', 'occurrence_id', 'name'],
  send_rate: ['team_id'],
};

export const tableNames = Object.keys(tableKeys) as readonly TableName[];
