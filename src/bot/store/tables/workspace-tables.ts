/** Tables of a workspace's own data. A sealed column contains an envelope (secrets/envelope.ts), never plain text. */

export type InstallationTable = {
  /** Id of the workspace; of the enterprise for an installation in the whole enterprise. */
  team_id: string;
  enterprise_id: string | null;
  is_enterprise_install: number;
  bot_user_id: string;
  bot_id: string | null;
  /** Id of the Slack app; null for installations before this column. */
  app_id: string | null;
  /** Separated by commas, as Slack sends them. */
  scopes: string;
  installed_by: string;
  installed_at: number;
  uninstalled_at: number | null;
  /** Random, changes with every write of a token; bound into the envelopes. */
  version: string;
  /** Sealed; null once it is uninstalled. */
  bot_token: string | null;
  /** Sealed; null if tokens do not expire. */
  refresh_token: string | null;
  token_expires_at: number | null;
  /** Since when Slack refuses the token with the word of `refused_error`; null while it accepts it. */
  refused_since: number | null;
  refused_error: string | null;
};

export type CredentialTable = {
  team_id: string;
  endpoint: string;
  /** Random, changes with every write of the key; bound into the envelope together with the endpoint. */
  version: string;
  /** Sealed; null if the endpoint was changed without a new key. */
  api_key: string | null;
  /** The part of the key that may be shown. */
  key_hint: string;
  organization_id: string | null;
  organization_name: string | null;
  connected_by: string;
  connected_at: number;
  checked_at: number | null;
  /** Time of the first refusal by the service; null while it does not refuse the key. */
  refused_since: number | null;
  /** Time of the notice about the refusal. */
  notified_at: number | null;
};

export type RoleTable = {
  team_id: string;
  user_id: string;
  role: string;
  granted_by: string;
  granted_at: number;
};

type SettingsTable = {
  team_id: string;
  /** JSON of WorkspaceSettings. */
  value: string;
  changed_by: string;
  changed_at: number;
};

export type AuditTable = {
  team_id: string;
  /** Number of the entry, from 1 without a gap. */
  number: number;
  at: number;
  user_id: string;
  action: string;
  /** JSON of an object. */
  detail: string;
  /** Covers this entry and the hash of the one before it. */
  hash: string;
};

type IdempotencyKeyTable = {
  team_id: string;
  /** Key of a delivery, such as an event's id. */
  key: string;
  expires_at: number;
};

/** The only table without a workspace, because the workspace is unknown before its installation. */
type OauthStateTable = {
  state_hash: string;
  browser_hash: string;
  expires_at: number;
};

type LeaseTable = {
  team_id: string;
  name: string;
  holder: string;
  expires_at: number;
};

export type WorkspaceTables = {
  installation: InstallationTable;
  credential: CredentialTable;
  role: RoleTable;
  settings: SettingsTable;
  audit: AuditTable;
  idempotency_key: IdempotencyKeyTable;
  oauth_state: OauthStateTable;
  lease: LeaseTable;
};
