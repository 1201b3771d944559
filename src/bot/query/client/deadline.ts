/** Time limits of one operation: its deadline, retries and pauses included, and pauses that callers can observe. */

export type Deadline = {
  /** Aborts the request in flight when the time is over. */
  readonly signal: AbortSignal;
  /**
   * @param pauseMs how long to wait
   * @returns false, at once, if too little time would be left for another attempt
   */
  readonly pause: (pauseMs: number) => Promise<boolean>;
};

/** Less time than this is not worth another attempt. */
const attemptMinMs = 500;

export type DeadlineOptions = {
  readonly totalMs: number;
  /** A longer single pause is refused. */
  readonly pauseMaxMs: number;
  readonly wait: Wait;
};

/** Settles after `ms`. */
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

/** @param waitMs how long until the next attempt */
export type OnPause = (waitMs: number) => void;

export type ObservableWait = {
  readonly wait: Wait;
  /** An observer that joins during a pause is called with the rest of it. */
  readonly observe: (onPause: OnPause | undefined) => void;
};

/** Announces each pause to every caller that waits for the same answer. */
export function createObservableWait(wait: Wait): ObservableWait {
  const observers = new Set<OnPause>();
  let until: number | undefined;
  return {
    wait: async (ms) => {
      until = performance.now() + ms;
      for (const onPause of observers) onPause(ms);
      await wait(ms);
      until = undefined;
    },
    observe: (onPause) => {
      if (!onPause) return;
      observers.add(onPause);
      if (until !== undefined) onPause(until - performance.now());
    },
  };
}
