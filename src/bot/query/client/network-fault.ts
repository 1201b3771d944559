/** What a failed connection means for a question, which may always be asked again. */
import { readNetworkFailure } from '../../../shared/http/network-failure.ts';
import type { Fault } from './fault.ts';

/**
 * @param error what undici threw; only its code is taken, since messages of libraries carry what was sent
 * @param hasRunOut whether the deadline is what ended it
 */
export function networkFault(error: unknown, hasRunOut: boolean): Fault {
  const { code = 'no code', kind, isTransient } = readNetworkFailure(error);
  if (hasRunOut || kind === 'timeout') return { kind: 'timeout', detail: 'the deadline passed' };
  if (kind === 'cut') return { kind: 'reset', detail: code };
  if (code.startsWith('HPE_')) return { kind: 'bad_answer', detail: `not HTTP (${code})` };
  return { kind: 'unreachable', detail: code, ...(isTransient && { isTransient }) };
}
