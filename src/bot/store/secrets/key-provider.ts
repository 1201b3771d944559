/** Where master keys are: the keyring in this process, or an outside key service that stands in its place. */

export type KeyProvider = {
  /** @returns the id of the key that wraps from now on: at most 64 letters, digits, `-` and `_` */
  current(): Promise<string>;
  /** @param additionalData what the wrapped key is bound to */
  wrap(keyId: string, dataKey: Uint8Array, additionalData: Uint8Array): Promise<Uint8Array>;
  /** @throws AppError `unavailable` where there is no such key; any error where the wrapped key or its binding was changed */
  unwrap(keyId: string, wrapped: Uint8Array, additionalData: Uint8Array): Promise<Uint8Array>;
};

export const keyIdPattern = /^[\w-]{1,64}$/;
