/** Repeats work at an interval. */
export type Repetition = {
  readonly start: () => void;
  /** Aborts the signal of running work, and waits for that work. */
  readonly stop: () => Promise<void>;
};

export const hourMs = 60 * 60_000;

/** @param work never rejects; while it runs, no second run begins @param isImmediate false if the first run is after the interval */
export function repeat(
  work: (stopping: AbortSignal) => Promise<void>,
  everyMs: number,
  isImmediate = true,
): Repetition {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  const begin = () => {
    working ??= work(stopping.signal).finally(() => {
      working = undefined;
    });
  };
  return {
    start: () => {
      if (isImmediate) begin();
      timer = setInterval(begin, everyMs).unref();
    },
    stop: async () => {
      stopping.abort();
      clearInterval(timer);
      await working;
    },
  };
}
