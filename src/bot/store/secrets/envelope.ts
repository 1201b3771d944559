/** Encrypts a secret with its own data key, which a master key wraps. docs/decisions/0011. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../../shared/errors.ts';

/** Port to the master keys: the keyring in this process, or an external key service. */
export type KeyProvider = {
  /** @returns the id of the key for new secrets: at most 64 letters, digits, `-` and `_` */
  current(): Promise<string>;
  /** @param additionalData authenticated with the wrapped key */
  wrap(keyId: string, dataKey: Uint8Array, additionalData: Uint8Array): Promise<Uint8Array>;
  /** @throws AppError `unavailable` if the key does not exist; any error if the wrapped key or its additional data was changed */
  unwrap(keyId: string, wrapped: Uint8Array, additionalData: Uint8Array): Promise<Uint8Array>;
};

export const keyIdPattern = /^[\w-]{1,64}$/;

/** The row and column of a secret. */
export type SecretLocation = {
  /** The table. */
  readonly purpose: string;
  readonly teamId: string;
  readonly field: string;
  /** Changes with every write of the row, so that an older envelope cannot be decrypted there. */
  readonly version: string;
};

/** Format, master key's id, wrapped data key, encrypted secret: `wb1.k2.….…`. */
const shape = /^wb1\.(?<keyId>[\w-]{1,64})\.(?<wrapped>[\w-]{16,})\.(?<text>[\w-]{38,})$/;
const keyLayer = 'wb1 key';
const textLayer = 'wb1 text';
const dataKeyBytes = 32;

export const envelopePrefix = 'wb1.';

export function isSealed(text: string): boolean {
  return shape.test(text);
}

/** @returns the id of the master key; undefined for text that is not an envelope */
export function keyIdOf(sealed: string): string | undefined {
  return shape.exec(sealed)?.groups?.['keyId'];
}

export function sealedPrefix(keyId: string): string {
  return `${envelopePrefix}${keyId}.`;
}

export async function seal(keys: KeyProvider, location: SecretLocation, secret: string): Promise<string> {
  const dataKey = randomBytes(dataKeyBytes);
  const text = encrypt(dataKey, Buffer.from(secret), textData(dataKey, location));
  return wrap(keys, location, dataKey, text);
}

/** @throws AppError `unavailable` if the master key is missing, `internal` if the envelope or its location was changed */
export async function open(keys: KeyProvider, location: SecretLocation, sealed: string): Promise<string> {
  const { dataKey, text } = await unwrap(keys, location, sealed);
  return unchanged(() => decrypt(dataKey, text, textData(dataKey, location)).toString());
}

/** Wraps the data key with the current master key; the secret stays encrypted. @throws AppError as `open` */
export async function rewrap(keys: KeyProvider, location: SecretLocation, sealed: string): Promise<string> {
  const { dataKey, text } = await unwrap(keys, location, sealed);
  return wrap(keys, location, dataKey, text);
}

async function wrap(keys: KeyProvider, location: SecretLocation, dataKey: Buffer, text: Buffer): Promise<string> {
  const keyId = await keys.current();
  const wrapped = await keys.wrap(keyId, dataKey, additionalData(keyLayer, keyId, location));
  dataKey.fill(0);
  return `${sealedPrefix(keyId)}${Buffer.from(wrapped).toString('base64url')}.${text.toString('base64url')}`;
}

async function unwrap(keys: KeyProvider, location: SecretLocation, sealed: string) {
  const { keyId, wrapped, text } = parse(sealed);
  const dataKey = await unchanged(() => keys.unwrap(keyId, wrapped, additionalData(keyLayer, keyId, location)));
  return { dataKey: Buffer.from(dataKey), text };
}

/** The digest of the data key serves as its id. */
function textData(dataKey: Buffer, location: SecretLocation): Buffer {
  return additionalData(textLayer, createHash('sha256').update(dataKey).digest('base64url'), location);
}

function parse(sealed: string) {
  const { keyId, wrapped, text } = shape.exec(sealed)?.groups ?? {};
  if (keyId === undefined || wrapped === undefined || text === undefined) throw changed('It is not an envelope.');
  return { keyId, wrapped: bytesOf(wrapped), text: bytesOf(text) };
}

/** Accepts only the canonical text of the bytes. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw changed('The envelope differs from what was written.');
  return bytes;
}

async function unchanged<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof AppError ? error : changed(error);
  }
}

function changed(cause: unknown): AppError {
  return new AppError(
    'internal',
    'A stored secret of this workspace cannot be decrypted: its row was changed outside the bot, or another encryption key has the same name.',
    { cause },
  );
}

/**
 * Binds an envelope to its location, so that it cannot be decrypted in any other row, column or workspace. The length precedes each part, so that no two locations give the same bytes.
 * @param format and layer of the envelope @param keyId of the key that encrypts the layer
 */
export function additionalData(format: string, keyId: string, location: SecretLocation): Buffer {
  const parts = [format, keyId, location.purpose, location.teamId, location.field, location.version];
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), Buffer.from(part)]));
}

function lengthOf(part: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(part));
  return length;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. @returns nonce, ciphertext and tag as one run of bytes */
export function encrypt(key: Uint8Array, text: Uint8Array, additionalData: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(additionalData);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if the key, the ciphertext or the additional data was changed */
export function decrypt(key: Uint8Array, sealed: Uint8Array, additionalData: Uint8Array): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new Error('The ciphertext is too short.');
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    .setAAD(additionalData)
    .setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}
