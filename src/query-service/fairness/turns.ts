/** Shares the event loop between keys: short pieces of work follow each other for a while, then what is left takes turns. */
import { createLines } from './fair-queue.ts';

/**
 * How long pieces of work follow each other in a turn of the event loop, in milliseconds, and one more piece. Most
 * requests take less than a millisecond, and wait for nothing but a flood.
 */
const stretchMs = { long: 10, short: 35 } as const;
export type PieceLength = keyof typeof stretchMs;

export type Turns = {
  /** @returns undefined where the key's piece of work may begin now, else a promise that resolves with its turn */
  readonly take: (key: string, length: PieceLength) => Promise<void> | undefined;
};

export function createTurns(): Turns {
  const lines = createLines<() => void>();
  /** When this turn of the event loop began its first piece of work; undefined where it had none. */
  let startedAt: number | undefined;
  const hasTime = (length: PieceLength) => startedAt === undefined || performance.now() - startedAt < stretchMs[length];
  const begin = () => {
    startedAt = performance.now();
    setImmediate(() => void next());
  };
  const next = async () => {
    startedAt = undefined;
    if (lines.total() === 0) return;
    begin();
    while (hasTime('long')) {
      const turn = lines.next(() => true);
      if (turn === undefined) return;
      turn.entry();
      // Its work runs before this goes on.
      await Promise.resolve();
    }
  };
  return {
    take(key, length) {
      if (lines.lengthOf(key) === 0 && hasTime(length)) {
        if (startedAt === undefined) begin();
        return undefined;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      lines.add(key, resolve);
      return promise;
    },
  };
}
