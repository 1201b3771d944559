/** Leaves alone what fails: after many failures in a row one call at a time asks whether it is well again. */
import type { Clock } from '../../../../shared/time/clock.ts';

export type Breaker = {
  /** @returns 0 for a call that may be made, and whose outcome is then noted; else the milliseconds to stay away */
  readonly waitMs: () => number;
  readonly note: (isWell: boolean) => void;
};

/** Each of them may have had an effect that has to be looked for later. */
const failuresMax = 20;
const probeEveryMs = 10_000;

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let awayUntil = 0;
  return {
    waitMs: () => {
      if (failures < failuresMax) return 0;
      const now = clock();
      if (now < awayUntil) return awayUntil - now;
      // This call is the one that asks; the others wait for what it learns.
      awayUntil = now + probeEveryMs;
      return 0;
    },
    note: (isWell) => {
      failures = isWell ? 0 : failures + 1;
      if (failures >= failuresMax) awayUntil = clock() + probeEveryMs;
    },
  };
}
