/** Time limits: the deadline of an operation, retries and pauses included, the deadline of a whole answer, and pauses that callers can observe. */

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

/** The deadline of one operation, and of all operations of one answer together. */
export const deadlineDefaultMs = 8000;

/** One deadline for every operation of one answer. */
export type AnswerDeadline = {
  readonly totalMs: number;
  /** The first call starts the time. @returns milliseconds, 0 after the deadline */
  readonly leftMs: () => number;
};

export function createAnswerDeadline(totalMs: number = deadlineDefaultMs): AnswerDeadline {
  let endsAt: number | undefined;
  return {
    totalMs,
    leftMs: () => {
      const now = performance.now();
      endsAt ??= now + totalMs;
      return Math.max(0, endsAt - now);
    },
  };
}

/** @param waitMs how long until the next attempt */
export type OnPause = (waitMs: number) => void;

export type ObservableWait = {
  readonly wait: Wait;
  /** An observer that joins during a pause is called with the rest of it. */
  readonly observe: (onPause: OnPause | undefined) => void;
  /** Rest of the current pause, milliseconds; undefined if there is none. */
  readonly restMs: () => number | undefined;
};

/** Announces each pause to every caller that waits for the same answer. */
export function createObservableWait(wait: Wait): ObservableWait {
  const observers = new Set<OnPause>();
  let until: number | undefined;
  const restMs = () => (until === undefined ? undefined : Math.max(0, until - performance.now()));
  return {
    restMs,
    wait: async (ms) => {
      until = performance.now() + ms;
      for (const onPause of observers) onPause(ms);
      await wait(ms);
      until = undefined;
    },
    observe: (onPause) => {
      if (!onPause) return;
      observers.add(onPause);
      const rest = restMs();
      if (rest !== undefined) onPause(rest);
    },
  };
}
