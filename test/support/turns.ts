/** Turns of the event loop that others get. */
import { setImmediate } from 'node:timers/promises';

/** How often the event loop turns until the work is done. */
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
