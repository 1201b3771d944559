/** Tables of a workspace's own data. A sealed column contains an envelope (secrets/envelope.ts), never plain text. */

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
