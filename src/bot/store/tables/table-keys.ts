/** Every table with its key, for backups and for deleting a workspace. */
import type { Tables } from './tables.ts';

export type TableName = keyof Tables;

/** A new table does not compile until it is named here. */
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
  // In this order: a writer of occurrences or messages locks the row above them.
  subscription: ['team_id', 'id'],
  occurrence: ['team_id', 'subscription_id', 'occurrence_id'],
  outbox_message: ['team_id', 'subscription_id', 'occurrence_id', 'name'],
  send_rate: ['team_id'],
};

export const tableNames = Object.keys(tableKeys) as readonly TableName[];
