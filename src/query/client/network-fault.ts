/** What a failed connection means, by the codes of Node and undici. */
import type { Fault } from './fault.ts';

const resetCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * @param error what undici threw; only its code is taken, since messages of libraries carry what was sent
 * @param hasRunOut whether the deadline is what ended it
 */
export function networkFault(error: unknown, hasRunOut: boolean): Fault {
  const code = codeOf(error);
  if (hasRunOut || timeoutCodes.has(code)) return { kind: 'timeout', detail: 'the deadline passed' };
  if (resetCodes.has(code)) return { kind: 'reset', detail: code };
  if (code.startsWith('HPE_')) return { kind: 'bad_answer', detail: `not HTTP (${code})` };
  return { kind: 'unreachable', detail: code };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'no code';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : 'no code';
}
