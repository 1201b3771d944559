/** Limits digests about a refused or missing key: three in a row for a refused one, one for a missing one, then silence. */
import type { AppError } from '../../shared/errors.ts';
import { dueBefore } from '../domain/schedule.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { ClaimedOccurrence } from '../store/outbox/occurrence.ts';
import { isOnRequest } from './plan.ts';
import type { DigestTiming } from './timing.ts';

/** Why the subscription is paused then. */
const keyRefused = 'unauthorized';
export const notConnected = 'not_connected';
export type KeyProblem = typeof keyRefused | typeof notConnected;

/** @returns undefined for any other error */
export function keyProblemOf({ code, reason }: AppError): KeyProblem | undefined {
  if (code !== keyRefused) return undefined;
  return reason === notConnected ? notConnected : keyRefused;
}

/** Of a pause that a key ends, not the channel. */
export function waitsForKey({ pause }: Pick<Subscription, 'pause'>): boolean {
  return pause?.reason === keyRefused || pause?.reason === notConnected;
}

/** @returns whether nobody needs to hear the same of the key once more: they were told, and nobody asked */
export function isSilenced({ subscription, key }: ClaimedOccurrence, trouble: KeyProblem): boolean {
  return subscription.pause?.reason === trouble && !isOnRequest(key.occurrenceId);
}

/** @param since epoch milliseconds: when the key was refused first, perhaps while the first of the three was being made */
export function isLastToSay(
  { subscription, key }: ClaimedOccurrence,
  trouble: KeyProblem,
  since: number,
  timing: DigestTiming,
): boolean {
  if (isOnRequest(key.occurrenceId)) return false;
  if (trouble === notConnected) return true;
  const { schedule } = subscription;
  const first = dueBefore(schedule, dueBefore(schedule, key.occurrenceId).localTime);
  return since < first.at + timing.rebuildForMs;
}
