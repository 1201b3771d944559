/** AES-256-GCM: nonce, ciphertext and tag as one run of bytes. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

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
