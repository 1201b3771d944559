/** Seals and opens what the store keeps of secrets; without a keyring it keeps none. */
import { AppError } from '../../core/errors.ts';
import type { SecretPlace } from './additional-data.ts';
import { open, seal } from './envelope.ts';
import type { KeyProvider } from './key-provider.ts';

export type Secrets = {
  /** @throws AppError `unavailable` where there is no keyring */
  requireKeyring(): void;
  /** @throws AppError `unavailable` where there is no keyring */
  seal(place: SecretPlace, secret: string): Promise<string>;
  /** @throws AppError `unavailable` where the key is missing, `internal` where the row was changed from outside */
  open(place: SecretPlace, sealed: string): Promise<string>;
};

export function createSecrets(keys: KeyProvider | undefined): Secrets {
  const present = () => {
    if (keys) return keys;
    throw new AppError('unavailable', 'There is no encryption key, so nothing secret can be stored or read.', {
      hint: 'The operator makes one with npm run store:make-key and names it in ENCRYPTION_KEYS_FILE.',
    });
  };
  return {
    requireKeyring: () => void present(),
    seal: async (place, secret) => seal(present(), place, secret),
    open: async (place, sealed) => open(present(), place, sealed),
  };
}
