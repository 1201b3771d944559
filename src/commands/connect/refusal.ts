/** Why a key that somebody offers was not taken, in a sentence beside it. */
import type { AppError } from '../../core/errors.ts';
import { isDamagedKey } from '../../core/key-shape.ts';

/** @param apiKey is looked at, and never told */
export function refusedText(error: AppError, apiKey: string): string {
  return `${reasonOf(error, apiKey)} Nothing was stored.`;
}

function reasonOf({ code, reason, publicMessage }: AppError, apiKey: string): string {
  if (code !== 'unauthorized') return publicMessage;
  if (reason === 'expired') return 'The query service says that this key has expired.';
  if (isDamagedKey(apiKey)) {
    return 'The query service refused this key, and it is not whole: copy it again, from its first character to its last.';
  }
  return 'The query service refused this key: it is not one of its keys, has expired or was revoked, or its organization is restricted.';
}
