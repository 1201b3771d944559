/** The tables of what a workspace has set up. Columns named as sealed hold envelopes (secrets/envelope.ts), never plain text. */

export type InstallationTable = {
  /** Of the workspace; of the enterprise where the whole of it was given the bot at once. */
  team_id: string;
  enterprise_id: string | null;
  is_enterprise_install: number;
  bot_user_id: string;
  bot_id: string | null;
  /** Of the app; null for what was installed before it was kept. */
  app_id: string | null;
  /** Separated by commas, as Slack gives them. */
  scopes: string;
  installed_by: string;
  installed_at: number;
  uninstalled_at: number | null;
  /** Changes with every write of a token, at random; bound into the envelopes. */
  version: string;
  /** Sealed; null once it is uninstalled. */
  bot_token: string | null;
  /** Sealed; null where tokens do not expire. */
  refresh_token: string | null;
  token_expires_at: number | null;
};

export type CredentialTable = {
  team_id: string;
  endpoint: string;
  /** Changes with every write of the key, at random; bound into the envelope, as the endpoint is. */
  version: string;
  /** Sealed; null where the endpoint was changed and no key came with it. */
  api_key: string | null;
  /** What may be shown of the key. */
  key_hint: string;
  organization_id: string | null;
  organization_name: string | null;
  connected_by: string;
  connected_at: number;
  checked_at: number | null;
  /** Since when the service has refused the key; null while it does not. */
  refused_since: number | null;
  /** When somebody was told so. */
  notified_at: number | null;
};

export type RoleTable = {
  team_id: string;
  user_id: string;
  role: string;
  granted_by: string;
  granted_at: number;
};

export type SettingsTable = {
  team_id: string;
  /** JSON of WorkspaceSettings. */
  value: string;
  changed_by: string;
  changed_at: number;
};

export type AuditTable = {
  team_id: string;
  /** From 1, without a gap. */
  number: number;
  at: number;
  user_id: string;
  action: string;
  /** JSON of an object. */
  detail: string;
  /** Of this entry and the one before it. */
  hash: string;
};

export type IdempotencyKeyTable = {
  team_id: string;
  /** Of a delivery, such as an event's id. */
  key: string;
  expires_at: number;
};

/** The one table without a workspace: there is none before somebody has installed the bot. */
export type OauthStateTable = {
  state_hash: string;
  browser_hash: string;
  expires_at: number;
};

export type LeaseTable = {
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
