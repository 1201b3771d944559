/** What an envelope is bound to: in any other place it does not open. */

/** Where a secret is kept. */
export type SecretPlace = {
  /** What it is for: the table. */
  readonly purpose: string;
  readonly teamId: string;
  readonly field: string;
  /** Of the row, another one with every write, so that an older envelope does not open in its place. */
  readonly version: string;
};

/**
 * Each part is preceded by its length, so that no two places read the same.
 * @param format of the envelope, and which of its layers @param keyId of the key that encrypts the layer
 */
export function additionalData(format: string, keyId: string, place: SecretPlace): Buffer {
  const parts = [format, keyId, place.purpose, place.teamId, place.field, place.version];
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), Buffer.from(part)]));
}

function lengthOf(part: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(part));
  return length;
}
