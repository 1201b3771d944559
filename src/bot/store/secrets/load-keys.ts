/** Loads the master keys from the source that the settings name. */
import { existsSync } from 'node:fs';
import type { Logger } from '../../../shared/log/logger.ts';
import type { KeyProvider } from './key-provider.ts';
import { createKeyProvider, parseKeyring } from './keyring.ts';
import { openKeyringFile } from './keyring-file.ts';
import { makeKey } from './make-key.ts';

export type KeyringSource =
  | { readonly kind: 'file'; readonly path: string }
  /** Text of an environment variable. */
  | { readonly kind: 'text'; readonly text: string };

/**
 * @returns undefined without a keyring; no secret can be stored then
 * @throws AppError that says what is wrong with the keyring
 */
export function loadKeys(source: KeyringSource | undefined, log: Pick<Logger, 'warn'>): KeyProvider | undefined {
  if (source === undefined) return undefined;
  if (source.kind === 'text') {
    const keyring = parseKeyring(source.text, 'ENCRYPTION_KEYS');
    return createKeyProvider(() => keyring);
  }
  const { path } = source;
  const file = openKeyringFile(path, (err) => {
    log.warn({ err, path }, 'the keyring was changed and cannot be used; the keys that were read before stay in use');
  });
  if (file.isGroupReadable) log.warn({ path }, 'the keyring can be read by its group');
  return createKeyProvider(file.read);
}

/** Makes a keyring for the playground, which needs no set-up. @returns the keyring in this file, made if it is missing */
export function ownKeyring(path: string, now: number): KeyringSource {
  if (!existsSync(path)) makeKey(path, now);
  return { kind: 'file', path };
}
