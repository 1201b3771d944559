/** Runs long work in slices of 10 ms, so that the event loop serves others in between. */
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { type CooperativeTask, mapTask } from './cooperative-task.ts';

/** Short enough that what waits meanwhile is not noticed, long enough that the waiting costs nothing. */
const sliceMs = 10;

/** The event loop is one for the process: in each of its turns there is one slice, whatever it is of. */
let queue: Promise<void> = Promise.resolve();
let sliceStartedAt: number | undefined;

function startSlice(): number {
  sliceStartedAt = performance.now();
  setImmediate(() => {
    sliceStartedAt = undefined;
  });
  return sliceStartedAt;
}

/**
 * For work that awaits between its pieces: `await pause()` after each of them.
 *
 * @returns a function that returns undefined while the slice lasts, then a promise for the next slice
 */
export function createYielder(): () => Promise<void> | undefined {
  if (sliceStartedAt === undefined) startSlice();
  return () => {
    const startedAt = sliceStartedAt ?? startSlice();
    if (performance.now() - startedAt < sliceMs) return undefined;
    queue = queue.then(() => nextImmediate());
    return queue.then(() => void startSlice());
  };
}

/** @returns what the work returns; rejects with what it throws. Each of its steps is short. */
export async function runCooperatively<Made>(work: CooperativeTask<Made>): Promise<Made> {
  const pause = createYielder();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const next = pause();
    if (next !== undefined) await next;
  }
}

/** @param work done for each item in order, synchronous and short @returns what it returned; rejects with what it throws */
export function mapCooperatively<Item, Made>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Made,
): Promise<readonly Made[]> {
  return runCooperatively(mapTask(items, work));
}
