/** Sleeping until there is something to do: for a while, or until somebody rings. */

export type Alarm = {
  /** One that rings before anybody sleeps is heard by the next who would. */
  readonly ring: () => void;
  readonly sleep: (ms: number) => Promise<void>;
};

export function createAlarm(): Alarm {
  let isRung = false;
  let wake = (): void => undefined;
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    sleep: async (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, isRung ? 0 : ms);
      wake = resolve;
      await promise;
      clearTimeout(timer);
      isRung = false;
    },
  };
}
