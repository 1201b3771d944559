/** Circuit breaker: opens after many failures in a row, then lets one call at a time probe. */
import type { Clock } from '../../../../shared/time/clock.ts';

export type CircuitBreaker = {
  /** @returns the milliseconds until a call may be made; 0 if it may be made now */
  readonly waitMs: () => number;
  /** Makes a call and records its outcome; an error is a failure. Call it only if `waitMs()` is 0. */
  readonly run: <Result>(call: () => Promise<Result>, isSuccess: (result: Result) => boolean) => Promise<Result>;
};

/** Each failed call may have posted a message, which the bot has to look for later. */
const failuresMax = 20;
const probeEveryMs = 10_000;

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  const open = () => {
    if (failures >= failuresMax) openUntil = clock() + probeEveryMs;
  };
  return {
    waitMs: () => (failures < failuresMax ? 0 : Math.max(0, openUntil - clock())),
    run: async (call, isSuccess) => {
      // This call is the probe; the others wait for its outcome.
      open();
      let hasSucceeded = false;
      try {
        const result = await call();
        hasSucceeded = isSuccess(result);
        return result;
      } finally {
        failures = hasSucceeded ? 0 : failures + 1;
        open();
      }
    },
  };
}
