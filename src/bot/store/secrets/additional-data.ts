/** Binds an envelope to its location, so that it cannot be decrypted in any other row, column or workspace. */
/** The row and column of a secret. */
export type SecretLocation = {
  /** The table. */
  readonly purpose: string;
  readonly teamId: string;
  readonly field: string;
  /** Changes with every write of the row, so that an older envelope cannot be decrypted there. */
  readonly version: string;
};

/**
 * The length precedes each part, so that no two locations give the same bytes.
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
