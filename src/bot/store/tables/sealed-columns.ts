/** Which columns hold envelopes, and what binds each to its place. */
import { type RawBuilder, sql } from 'kysely';
import type { SecretPlace } from '../secrets/additional-data.ts';

export type SealedColumn = {
  readonly table: 'installation' | 'credential';
  readonly column: 'bot_token' | 'refresh_token' | 'api_key';
  /** The `field` of the place, from the row. */
  readonly field: RawBuilder<string>;
};

/** As tokenPlace and apiKeyPlace have it, for whoever goes through all of them. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'installation', column: 'bot_token', field: sql`'bot_token'` },
  { table: 'installation', column: 'refresh_token', field: sql`'refresh_token'` },
  { table: 'credential', column: 'api_key', field: sql`'api_key ' || endpoint` },
];

export function tokenPlace(teamId: string, column: 'bot_token' | 'refresh_token', version: string): SecretPlace {
  return { purpose: 'installation', teamId, field: column, version };
}

/** A key is bound to its endpoint: in a row that names another it does not open. */
export function apiKeyPlace(teamId: string, endpoint: string, version: string): SecretPlace {
  return { purpose: 'credential', teamId, field: `api_key ${endpoint}`, version };
}

/** @returns the name that people know the secret by */
export function secretName({ purpose, field }: SecretPlace): string {
  if (purpose === 'credential') return 'API key';
  return field === 'refresh_token' ? 'refresh token' : 'bot token';
}
