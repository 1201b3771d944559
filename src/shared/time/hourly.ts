/** Repeats work now and once an hour. */
export type Hourly = {
  readonly start: () => void;
  /** Waits for running work. */
  readonly stop: () => Promise<void>;
};

const hourMs = 60 * 60_000;

/** @param work never rejects; a second run waits for the first */
export function repeatHourly(work: () => Promise<void>): Hourly {
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  const begin = () => {
    working = working.then(work);
  };
  return {
    start: () => {
      begin();
      timer = setInterval(begin, hourMs).unref();
    },
    stop: async () => {
      clearInterval(timer);
      await working;
    },
  };
}
