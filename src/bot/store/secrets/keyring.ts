/** Master keys of this process: one `id:base64` per line. The first encrypts, all decrypt. */
import { hkdfSync } from 'node:crypto';
import { AppError } from '../../../shared/errors.ts';
import { decrypt, encrypt, type KeyProvider, keyIdPattern } from './envelope.ts';

export type Keyring = {
  /** Id of the key that encrypts. */
  readonly currentId: string;
  /** Wrapping keys by id, derived from the lines. */
  readonly keys: ReadonlyMap<string, Buffer>;
};

export const keyBytesMin = 32;

/**
 * @param text one key per line; empty lines and lines that begin with # are ignored
 * @param source of the keys, for error messages, such as `ENCRYPTION_KEYS`
 * @throws AppError `usage` that names the line, never its content
 */
export function parseKeyring(text: string, source: string): Keyring {
  const keys = new Map<string, Buffer>();
  const secrets = new Set<string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const refuse = (problem: string) => refused(`Line ${index + 1} of ${source} ${problem}.`);
    const [id = '', secret, ...rest] = line.trim().split(':');
    if (!keyIdPattern.test(id) || secret === undefined || rest.length > 0)
      throw refuse('is not <id>:<base64>, with an id of letters, digits, - and _');
    if (keys.has(id)) throw refuse('repeats the id of a line above');
    if (secrets.has(secret)) throw refuse('repeats the key of a line above');
    keys.set(id, wrappingKey(id, keyBytes(secret, refuse)));
    secrets.add(secret);
  }
  const [currentId] = keys.keys();
  if (currentId === undefined) throw refused(`${source} holds no key.`);
  return { currentId, keys };
}

const padding = /(?<!=)=+$/;

function keyBytes(secret: string, refuse: (problem: string) => AppError): Buffer {
  const bytes = Buffer.from(secret, 'base64');
  if (bytes.toString('base64').replace(padding, '') !== secret.replace(padding, ''))
    throw refuse('is not base64 after the colon');
  if (bytes.length < keyBytesMin)
    throw refuse(`is a key of ${bytes.length} bytes; it takes ${keyBytesMin} random ones`);
  if (bytes.every((byte) => byte === bytes[0])) throw refuse('is not random');
  return bytes;
}

function wrappingKey(id: string, secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `workflow-bot store wrapping key ${id}`, 32));
}

function refused(message: string): AppError {
  return new AppError('usage', message, { hint: 'npm run store:make-key makes a keyring.' });
}

/** @param read returns the current keyring @returns a provider that wraps and unwraps in this process */
export function createKeyProvider(read: () => Keyring): KeyProvider {
  const keyOf = (keyId: string) => {
    const key = read().keys.get(keyId);
    if (key) return key;
    throw new AppError(
      'unavailable',
      `This workspace’s secrets are encrypted with the key “${keyId}”, which is missing.`,
      {
        hint: 'Ask the person who runs this bot to put it back into the keyring, or ask a workspace admin or bot admin to connect the workspace again: that replaces the secrets that were encrypted with the missing key.',
      },
    );
  };
  return {
    current: async () => read().currentId,
    wrap: async (keyId, dataKey, additionalData) => encrypt(keyOf(keyId), dataKey, additionalData),
    unwrap: async (keyId, wrapped, additionalData) => decrypt(keyOf(keyId), wrapped, additionalData),
  };
}
