/** Seals and opens the secrets of the store. Without a keyring no secret is stored. */
import { AppError } from '../../../shared/errors.ts';
import { secretName } from '../tables/sealed-columns.ts';
import type { SecretLocation } from './additional-data.ts';
import { keyIdOf, open, seal } from './envelope.ts';
import type { KeyProvider } from './key-provider.ts';

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
