/** Shares a few slots between keys: each key has a limit of its own, and keys that wait take turns. */
import { AppError } from '../../shared/errors.ts';

export type FairQueueOptions = {
  /** How many entries may be inside at once. */
  readonly slots: number;
  /** Of them, how many of one key. */
  readonly perKey: number;
  /** How many entries of one key may wait; the next one is refused. */
  readonly waitingMax: number;
};

export type FairQueue = {
  /**
   * Takes a slot. Whatever it returns, `leave` follows unless it rejects or throws.
   * @param left aborted once the answer is not wanted any more, which ends the wait by its reason; made only where there is a wait
   * @returns undefined where a slot was free, else a promise that resolves with the entry's turn
   * @throws AppError `rate_limited` where too many of the key wait already
   */
  readonly enter: (key: string, left?: () => AbortSignal) => Promise<void> | undefined;
  readonly leave: (key: string) => void;
  readonly use: () => { readonly inside: number; readonly waiting: number };
};

type Entry = { readonly admit: () => void };

export function createFairQueue({ slots, perKey, waitingMax }: FairQueueOptions): FairQueue {
  const insideOf = new Map<string, number>();
  const lines = createLines<Entry>();
  let inside = 0;
  const hasRoom = (key: string) => inside < slots && (insideOf.get(key) ?? 0) < perKey;
  const take = (key: string) => {
    inside += 1;
    insideOf.set(key, (insideOf.get(key) ?? 0) + 1);
  };
  return {
    enter(key, left) {
      if (hasRoom(key)) {
        take(key);
        return undefined;
      }
      if (lines.lengthOf(key) >= waitingMax) {
        throw new AppError('rate_limited', 'Too much of what this key asks is waiting already.', { isRetryable: true });
      }
      return waitIn(lines, key, left?.());
    },
    leave(key) {
      inside -= 1;
      const own = (insideOf.get(key) ?? 1) - 1;
      if (own > 0) insideOf.set(key, own);
      else insideOf.delete(key);
      const next = lines.next(hasRoom);
      if (next === undefined) return;
      take(next.key);
      next.entry.admit();
    },
    use: () => ({ inside, waiting: lines.total() }),
  };
}

function waitIn(
  lines: ReturnType<typeof createLines<Entry>>,
  key: string,
  left: AbortSignal | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => {
    lines.remove(key, entry);
    reject(left?.reason);
  };
  const entry: Entry = {
    admit() {
      left?.removeEventListener('abort', giveUp);
      resolve();
    },
  };
  lines.add(key, entry);
  if (left?.aborted) giveUp();
  else left?.addEventListener('abort', giveUp, { once: true });
  return promise;
}

/** A line for each key, first come, first served; a key that was served goes behind the others. */
export function createLines<Entry>() {
  const lines = new Map<string, Entry[]>();
  const keep = (key: string, line: Entry[]) => {
    if (line.length > 0) lines.set(key, line);
    else lines.delete(key);
  };
  return {
    add(key: string, entry: Entry) {
      const line = lines.get(key);
      if (line) line.push(entry);
      else lines.set(key, [entry]);
    },
    remove: (key: string, entry: Entry) =>
      keep(
        key,
        (lines.get(key) ?? []).filter((one) => one !== entry),
      ),
    next(hasRoom: (key: string) => boolean): { readonly key: string; readonly entry: Entry } | undefined {
      for (const [key, line] of lines) {
        if (!hasRoom(key)) continue;
        const entry = line.shift();
        lines.delete(key);
        keep(key, line);
        return entry && { key, entry };
      }
      return undefined;
    },
    lengthOf: (key: string) => lines.get(key)?.length ?? 0,
    total: () => [...lines.values()].reduce((sum, line) => sum + line.length, 0),
  };
}
