/** Circuit breaker: opens after many failures in a row, then lets one call at a time probe. */
import type { Clock } from '../../../../shared/time/clock.ts';

export type CircuitBreaker = {
  /** @returns 0 if the call may be made, whose outcome `record` then takes; otherwise the milliseconds to wait */
  readonly acquire: () => number;
  readonly record: (isSuccess: boolean) => void;
};

/** Each failed call may have posted a message, which the bot has to look for later. */
const failuresMax = 20;
const probeEveryMs = 10_000;

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  return {
    acquire: () => {
      if (failures < failuresMax) return 0;
      const now = clock();
      if (now < openUntil) return openUntil - now;
      // This call is the probe; the others wait for its outcome.
      openUntil = now + probeEveryMs;
      return 0;
    },
    record: (isSuccess) => {
      failures = isSuccess ? 0 : failures + 1;
      if (failures >= failuresMax) openUntil = clock() + probeEveryMs;
    },
  };
}
