/** Runs long work in slices of 5 ms, so that the event loop can run other work in between. */
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { type CooperativeTask, mapTask } from './cooperative-task.ts';

/** Short enough not to delay other work noticeably, long enough that the pauses cost nothing. */
const sliceMs = 5;

/** One queue for the process, because it has one event loop: each iteration runs one slice of any work. */
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
 * For work that awaits between its pieces: call `await pause()` after each of them.
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

/** Each step of the work must be short. @returns the result of the work; rejects with its error */
export async function runCooperatively<Made>(work: CooperativeTask<Made>): Promise<Made> {
  const pause = createYielder();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const next = pause();
    if (next !== undefined) await next;
  }
}

/** @param work short and synchronous; called for each item in order @returns the results; rejects with the error of `work` */
export function mapCooperatively<Item, Made>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Made,
): Promise<readonly Made[]> {
  return runCooperatively(mapTask(items, work));
}
