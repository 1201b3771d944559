/** Shares the event loop between keys: tasks run back to back for a few milliseconds, then the rest run round robin. */
import { createRoundRobin } from './fair-queue.ts';

/**
 * Time in milliseconds for which tasks run back to back in one iteration of the event loop; the last task may overrun.
 * Most requests take less than a millisecond, so they wait only during a flood.
 */
const sliceMs = { long: 10, short: 20 } as const;
type TaskLength = keyof typeof sliceMs;

export type EventLoopScheduler = {
  /** @returns undefined if the key's task may start now, otherwise a promise that resolves when it may */
  readonly acquire: (key: string, length: TaskLength) => Promise<void> | undefined;
};

export function createEventLoopScheduler(): EventLoopScheduler {
  const waiting = createRoundRobin<() => void>();
  /** Start of the first task in this iteration of the event loop; undefined if there was none. */
  let startedAt: number | undefined;
  const hasTime = (length: TaskLength) => startedAt === undefined || performance.now() - startedAt < sliceMs[length];
  const begin = () => {
    startedAt = performance.now();
    setImmediate(() => void next());
  };
  const next = async () => {
    startedAt = undefined;
    if (waiting.total() === 0) return;
    begin();
    while (hasTime('long')) {
      const task = waiting.next(() => true);
      if (task === undefined) return;
      task.entry();
      // Lets the task run before the next one is taken.
      await Promise.resolve();
    }
  };
  return {
    acquire(key, length) {
      if (waiting.lengthOf(key) === 0 && hasTime(length)) {
        if (startedAt === undefined) begin();
        return undefined;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(key, resolve);
      return promise;
    },
  };
}
