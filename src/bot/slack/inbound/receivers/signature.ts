/** Checks Slack's signature of a request: https://docs.slack.dev/authentication/verifying-requests-from-slack */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../../shared/time/clock.ts';

/** Allowed difference between Slack's clock and the local one, either way. */
export const toleranceMs = 5 * 60_000;

/**
 * @param signature the header `x-slack-signature`
 * @param timestamp the header `x-slack-request-timestamp`, in seconds
 * @param body the unparsed bytes
 * @returns undefined if Slack signed the request; otherwise the fault, for the log only: the sender learns nothing of
 *   it
 */
export type CheckSignature = (signature: unknown, timestamp: unknown, body: Uint8Array) => SignatureFault | undefined;

type SignatureFault = 'not signed' | 'clock' | 'signature';

export function createSignatureCheck(signingSecret: string, clock: Clock): CheckSignature {
  if (signingSecret === '') throw new Error('An empty signing secret would accept what anybody signs.');
  const key = createSecretKey(signingSecret, 'utf8');
  return (signature, timestamp, body) => {
    if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/.test(signature)) return 'not signed';
    if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return 'not signed';
    if (Math.abs(clock() - Number(timestamp) * 1000) > toleranceMs) return 'clock';
    const expected = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest();
    return timingSafeEqual(expected, Buffer.from(signature.slice(3), 'hex')) ? undefined : 'signature';
  };
}
