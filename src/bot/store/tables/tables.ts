/**
 * The bot's own tables. The workspace leads every key; times are epoch milliseconds. A column has its name in camel case here
 * and in rows, in snake case in the database and in SQL: Kysely converts it.
 */
import type { DeliveryTables } from './delivery-tables.ts';
import type { WorkspaceTables } from './workspace-tables.ts';

export type Tables = WorkspaceTables & DeliveryTables;

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
