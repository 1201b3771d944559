/** Sleeping until there is something to do: for a while, or until somebody rings. */
import { setTimeout } from 'node:timers/promises';

export type Alarm = {
  /** One that rings before anybody sleeps is heard by the next who would. */
  readonly ring: () => void;
  readonly sleep: (ms: number) => Promise<void>;
};

export function createAlarm(): Alarm {
  let bell = new AbortController();
  return {
    ring: () => bell.abort(),
    sleep: async (ms) => {
      await setTimeout(ms, undefined, { signal: bell.signal }).catch(() => undefined);
      if (bell.signal.aborted) bell = new AbortController();
    },
  };
}
