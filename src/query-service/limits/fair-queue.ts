/** A concurrency limit that keys share fairly: each key has its own limit, and waiting keys are served round robin. */
import { AppError } from '../../shared/errors.ts';

export type FairQueueOptions = {
  /** Number of entries that may have a slot at the same time. */
  readonly slots: number;
  /** The same limit for one key. */
  readonly perKey: number;
  /** Number of waiting entries per key. Further entries are refused. */
  readonly waitingMax: number;
};

export type FairQueue = {
  /**
   * Takes a slot. Call `release` afterwards, unless this rejects or throws.
   * @param signal ends the wait with its reason; called only if there is a wait
   * @returns undefined if a slot was free, otherwise a promise that resolves when one is
   * @throws AppError `rate_limited` if too many entries of the key already wait
   */
  readonly acquire: (key: string, signal?: () => AbortSignal) => Promise<void> | undefined;
  readonly release: (key: string) => void;
  readonly usage: () => { readonly active: number; readonly waiting: number };
};

type Entry = { readonly admit: () => void };

export function createFairQueue({ slots, perKey, waitingMax }: FairQueueOptions): FairQueue {
  const activeOf = new Map<string, number>();
  const queue = createRoundRobin<Entry>();
  let active = 0;
  const hasRoom = (key: string) => active < slots && (activeOf.get(key) ?? 0) < perKey;
  const take = (key: string) => {
    active += 1;
    activeOf.set(key, (activeOf.get(key) ?? 0) + 1);
  };
  return {
    acquire(key, signal) {
      if (hasRoom(key)) {
        take(key);
        return undefined;
      }
      if (queue.lengthOf(key) >= waitingMax) {
        throw new AppError('rate_limited', 'Too many requests of this API key are waiting. Try again in a minute.', {
          isRetryable: true,
        });
      }
      return waitForSlot(queue, key, signal?.());
    },
    release(key) {
      active -= 1;
      const own = (activeOf.get(key) ?? 1) - 1;
      if (own > 0) activeOf.set(key, own);
      else activeOf.delete(key);
      const next = queue.next(hasRoom);
      if (next === undefined) return;
      take(next.key);
      next.entry.admit();
    },
    usage: () => ({ active, waiting: queue.total() }),
  };
}

function waitForSlot(
  queue: ReturnType<typeof createRoundRobin<Entry>>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => {
    queue.remove(key, entry);
    reject(signal?.reason);
  };
  const entry: Entry = {
    admit() {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    },
  };
  queue.add(key, entry);
  if (signal?.aborted) giveUp();
  else signal?.addEventListener('abort', giveUp, { once: true });
  return promise;
}

/** One first-in, first-out queue per key, served round robin: a key that was served goes behind the others. */
export function createRoundRobin<Entry>() {
  const queues = new Map<string, Entry[]>();
  const replaceQueue = (key: string, queue: Entry[]) => {
    if (queue.length > 0) queues.set(key, queue);
    else queues.delete(key);
  };
  return {
    add(key: string, entry: Entry) {
      const queue = queues.get(key);
      if (queue) queue.push(entry);
      else queues.set(key, [entry]);
    },
    remove: (key: string, entry: Entry) =>
      replaceQueue(
        key,
        (queues.get(key) ?? []).filter((one) => one !== entry),
      ),
    next(hasRoom: (key: string) => boolean): { readonly key: string; readonly entry: Entry } | undefined {
      for (const [key, queue] of queues) {
        if (!hasRoom(key)) continue;
        const entry = queue.shift();
        queues.delete(key);
        replaceQueue(key, queue);
        return entry && { key, entry };
      }
      return undefined;
    },
    lengthOf: (key: string) => queues.get(key)?.length ?? 0,
    total: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  };
}
