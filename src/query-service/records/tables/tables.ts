/** Kysely's types of the record tables: times in epoch milliseconds, booleans as 0 and 1, lists as JSON text. */
import type { DeploymentStatus, ExecutionRecord, ExecutionStatus, OrganizationRecord } from '../record.ts';

type OrganizationTable = {
  organization_id: string;
  display_name: string;
  restriction_status: OrganizationRecord['restrictionStatus'];
  active_status: OrganizationRecord['activeStatus'];
  created_at: number;
  updated_at: number | null;
  tenant_id: number;
};

type AccountTable = {
  organization_id: string;
  member_id: string;
  user_id: string | null;
  display_name: string;
  email_address: string;
  member_status: 'INVITED' | 'JOINED' | 'REMOVED';
  member_type: 'ROOT' | 'ADMIN' | null;
  created_at: number;
  updated_at: number | null;
  invited_at: number | null;
  joined_at: number | null;
};

type WorkflowTable = {
  organization_id: string;
  uuid: string;
  name: string;
  /** The name as a search compares it (`foldName`). */
  folded_name: string;
  workflow_id: string;
  status: DeploymentStatus;
  owner_address: string;
  registered_at: number;
  workflow_source: string;
};

type DeploymentTable = {
  organization_id: string;
  uuid: string;
  workflow_uuid: string;
  workflow_id: string;
  status: DeploymentStatus;
  deployed_at: number;
  tx_hash: string | null;
  error_message: string | null;
  binary_url: string | null;
  config_url: string | null;
  workflow_source: string;
  has_tee_executions: number;
  has_non_tee_executions: number;
};

type ExecutionTable = {
  organization_id: string;
  uuid: string;
  /** Lower case. */
  id: string;
  workflow_uuid: string;
  status: ExecutionStatus;
  classified_status: ExecutionRecord['classifiedStatus'];
  detailed_status: ExecutionRecord['detailedStatus'];
  started_at: number;
  finished_at: number | null;
  credit_micros: number | null;
  executed_in_tee: number | null;
  errors: string | null;
};

/** A separate table, so that lists never read pages full of logs. An execution without logs and events has no row. */
type ExecutionDetailTable = {
  organization_id: string;
  uuid: string;
  logs: string | null;
  events: string | null;
};

/** The roll-up: counts of executions by status for each hour, each day and all time; written with the executions it counts. */
type ExecutionCountTable = {
  organization_id: string;
  /** Empty for the whole organization. */
  workflow_uuid: string;
  /** Length of the period in milliseconds; 0 for all time. */
  period_ms: number;
  period_start: number;
  status: ExecutionStatus;
  executions: number;
  credit_micros: number;
  /** The number of executions with credits. */
  credited: number;
  tee: number;
  non_tee: number;
};

type ApiKeyTable = {
  id: string;
  organization_id: string;
  member_id: string | null;
  name: string;
  hash: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  /** The id of the key that replaced it. */
  replaced_by: string | null;
};

/** The progress of an unfinished import. */
type ImportProgressTable = {
  /** The absolute path of the file. */
  source: string;
  bytes: number;
  lines: number;
  digest: string;
  refused: number;
  refused_bytes: number;
  at: number;
};

/** PostgreSQL only: the id of the latest write of each organization, by which a standby shows that it has it. */
type OrganizationRevisionTable = { organization_id: string; revision: string };

type StoredSecretTable = { name: string; value: string };

export type Tables = {
  organization: OrganizationTable;
  account: AccountTable;
  workflow: WorkflowTable;
  deployment: DeploymentTable;
  execution: ExecutionTable;
  execution_detail: ExecutionDetailTable;
  execution_count: ExecutionCountTable;
  api_key: ApiKeyTable;
  kept_secret: StoredSecretTable;
  import_progress: ImportProgressTable;
  organization_revision: OrganizationRevisionTable;
};
