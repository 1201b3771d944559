/** Columns that contain envelopes, and the location that each envelope is bound to. */
import { type RawBuilder, sql } from 'kysely';
import type { SecretLocation } from '../secrets/additional-data.ts';

export type SealedColumn = {
  readonly table: 'installation' | 'credential';
  readonly column: 'bot_token' | 'refresh_token' | 'api_key';
  /** The `field` of the location, as SQL over the row. */
  readonly field: RawBuilder<string>;
};

/** All sealed columns, with the same fields as tokenLocation and apiKeyLocation. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'installation', column: 'bot_token', field: sql`'bot_token'` },
  { table: 'installation', column: 'refresh_token', field: sql`'refresh_token'` },
  { table: 'credential', column: 'api_key', field: sql`'api_key ' || endpoint` },
];

export function tokenLocation(teamId: string, column: 'bot_token' | 'refresh_token', version: string): SecretLocation {
  return { purpose: 'installation', teamId, field: column, version };
}

/** Binds a key to its endpoint: it cannot be decrypted in a row with another endpoint. */
export function apiKeyLocation(teamId: string, endpoint: string, version: string): SecretLocation {
  return { purpose: 'credential', teamId, field: `api_key ${endpoint}`, version };
}

/** @returns the name of the secret for people */
export function secretName({ purpose, field }: SecretLocation): string {
  if (purpose === 'credential') return 'API key';
  return field === 'refresh_token' ? 'refresh token' : 'bot token';
}
