/** Pauses that are announced to every caller that waits for the same answer, late joiners included. */
import type { Wait } from './deadline.ts';

/** @param waitMs how long until it goes on */
export type OnPause = (waitMs: number) => void;

export type ToldWait = { readonly wait: Wait; readonly tell: (onPause: OnPause | undefined) => void };

export function createToldWait(wait: Wait): ToldWait {
  const told = new Set<OnPause>();
  let until: number | undefined;
  return {
    wait: async (ms) => {
      until = performance.now() + ms;
      for (const onPause of told) onPause(ms);
      await wait(ms);
      until = undefined;
    },
    tell: (onPause) => {
      if (!onPause) return;
      told.add(onPause);
      if (until !== undefined) onPause(until - performance.now());
    },
  };
}
