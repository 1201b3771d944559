/** Counts the turns of the event loop during work. */
import { setImmediate } from 'node:timers/promises';

/** @returns the number of turns of the event loop until the work is done */
export async function turnsDuring(done: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  void done.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    turns += 1;
  }
  return turns;
}
