/** Seals and opens the secrets of the store, and reports those that cannot be decrypted. Without a keyring no secret is stored. */

import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import { type KeyProvider, keyIdOf, open, type SecretLocation, seal } from './envelope.ts';

export type Secrets = {
  /** @throws AppError `unavailable` without a keyring */
  requireKeyring(): void;
  /** @throws AppError `unavailable` without a keyring */
  seal(location: SecretLocation, secret: string): Promise<string>;
  /** @throws AppError `unavailable` if the key is missing, `internal` if the envelope does not authenticate; both with `unreadable` */
  open(location: SecretLocation, sealed: string): Promise<string>;
};

export function createSecrets(keys: KeyProvider | undefined): Secrets {
  const present = () => {
    if (keys) return keys;
    throw new AppError('unavailable', 'There is no encryption key, so secrets cannot be stored or read.', {
      hint: 'Ask the person who runs this bot to put back the earlier key: a new one cannot read what is stored. If there never was one, npm run store:make-key makes one: put the path of its file into ENCRYPTION_KEYS_FILE.',
    });
  };
  return {
    requireKeyring: () => void present(),
    seal: async (location, secret) => seal(present(), location, secret),
    open: async (location, sealed) => {
      try {
        return await open(present(), location, sealed);
      } catch (error) {
        throw error instanceof AppError ? unreadable(error, location, keys && keyIdOf(sealed)) : error;
      }
    },
  };
}

/** @param keyId of the master key; undefined without a keyring, or if the envelope names none */
function unreadable(cause: AppError, location: SecretLocation, keyId: string | undefined): AppError {
  const isKeyMissing = cause.code === 'unavailable';
  const missing =
    keyId === undefined ? 'the bot has no keyring' : `its encryption key “${keyId}” is missing from the keyring`;
  const changed =
    'its row in the database was changed, moved or rolled back outside the bot, or another encryption key has the same name';
  const [what, why] = [secretName(location), isKeyMissing ? missing : changed];
  const operator = isKeyMissing
    ? 'can put the key back into the keyring'
    : 'should look at the database and the keyring';
  const again = location.purpose === 'credential' ? 'connecting the workspace again' : 'installing the bot again';
  return new AppError(cause.code, `The stored ${what} of this workspace cannot be decrypted: ${why}.`, {
    cause,
    hint: `The person who runs this bot ${operator}; ${again} replaces the ${what}.`,
    unreadable: { what, why },
  });
}

/** @returns `open`, which reports each row once to the audit and the log, until it can be decrypted again */
export function reportUnreadable<Opened>(
  record: AuditRecorder,
  log: Logger,
  open: (teamId: string) => Promise<Opened>,
): (teamId: string) => Promise<Opened> {
  const reported = new Map<string, string>();
  return async (teamId) => {
    try {
      const opened = await open(teamId);
      reported.delete(teamId);
      return opened;
    } catch (error) {
      const unreadable = error instanceof AppError ? error.unreadable : undefined;
      const problem = unreadable && `${unreadable.what}: ${unreadable.why}`;
      if (unreadable && problem !== undefined && reported.get(teamId) !== problem) {
        reported.set(teamId, problem);
        log.error({ teamId, ...unreadable }, 'a stored secret cannot be decrypted');
        await record({ teamId, userId: null }, 'decrypt failure', unreadable);
      }
      throw error;
    }
  };
}

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
function secretName({ purpose, field }: SecretLocation): string {
  if (purpose === 'credential') return 'API key';
  return field === 'refresh_token' ? 'refresh token' : 'bot token';
}
