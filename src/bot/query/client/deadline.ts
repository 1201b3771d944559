/** Deadline of one operation, retries and pauses included. */

export type Deadline = {
  /** Aborts what is under way when the time is over. */
  readonly signal: AbortSignal;
  /**
   * @param pauseMs how long to wait
   * @returns false, at once, where too little time would be left to ask afterwards
   */
  readonly pause: (pauseMs: number) => Promise<boolean>;
};

/** Less time than this is not worth another attempt. */
const attemptMinMs = 500;

export type DeadlineOptions = {
  readonly totalMs: number;
  /** The longest single pause that is worth its while. */
  readonly pauseMaxMs: number;
  readonly wait: Wait;
};

/** Settles after so many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

export function createDeadline({ totalMs, pauseMaxMs, wait }: DeadlineOptions): Deadline {
  const signal = AbortSignal.timeout(totalMs);
  const endsAt = performance.now() + totalMs;
  return {
    signal,
    pause: async (pauseMs) => {
      if (pauseMs > pauseMaxMs || performance.now() + pauseMs + attemptMinMs > endsAt) return false;
      await wait(pauseMs);
      return true;
    },
  };
}
