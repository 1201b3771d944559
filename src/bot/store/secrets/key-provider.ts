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
