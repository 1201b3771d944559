/** A key that is refused three digests in a row: the third says so, and those after it wait in silence until it works again. */
import { dueBefore } from '../core/schedule.ts';
import type { ClaimedSlot } from '../store/ledger.ts';
import { isAskedFor } from './planning.ts';
import type { DigestTiming } from './timing.ts';

/** Why the subscription is paused then. */
export const keyRefused = 'unauthorized';

/** @returns whether nobody needs to hear once more that the key is refused: they were told, and nobody asked */
export function isSilenced({ subscription, key }: ClaimedSlot): boolean {
  return subscription.pause?.reason === keyRefused && !isAskedFor(key.slot);
}

/** @param since epoch milliseconds: when the key was refused first, perhaps while the first of the three was being made */
export function isThirdInARow({ subscription, key }: ClaimedSlot, since: number, timing: DigestTiming): boolean {
  if (isAskedFor(key.slot)) return false;
  const { schedule } = subscription;
  const first = dueBefore(schedule, dueBefore(schedule, key.slot).slot);
  return since < first.at + timing.rebuildForMs;
}
