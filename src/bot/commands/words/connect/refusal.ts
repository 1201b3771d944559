/** Why a key that somebody offers was not taken, and the next step: a few sentences beside it. */
import type { AppError } from '../../../../shared/errors.ts';
import { isDamagedKey } from '../../../../shared/key-shape.ts';

/** @param apiKey is looked at, and never told */
export function refusedText(error: AppError, apiKey: string): string {
  return `${reasonOf(error, apiKey)} Nothing was stored.`;
}

/** Whether it is about the query service: the key may be a good one. */
export function isAboutService({ code }: AppError): boolean {
  return code !== 'unauthorized';
}

function reasonOf(error: AppError, apiKey: string): string {
  if (error.code === 'unavailable') {
    return `${error.publicMessage} So this key could not be tried. Please try again in a few minutes; if that does not help, tell whoever runs this bot.`;
  }
  if (isAboutService(error)) return error.publicMessage;
  if (error.reason === 'expired') return 'The query service says that this key has expired: please make a new one.';
  if (isDamagedKey(apiKey)) {
    return 'The query service refused this key, and it is not whole: copy it again, from its first character to its last.';
  }
  return 'The query service refused this key, and does not say why: it is not one of its keys, has expired, was revoked, or its organization is restricted. Try a new one; if that is refused too, ask whoever runs the platform.';
}
