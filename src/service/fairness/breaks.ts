/** Gives way to other requests where many short pieces of work in a row hold the event loop for too long. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest that pieces of work follow each other without a break, and one more piece. */
const stretchMs = 10;

/** @returns asked before each piece of work: a promise where a break is due, else undefined */
export function createBreaks(): () => Promise<void> | undefined {
  /** When this turn of the event loop began its first piece of work; undefined between turns. */
  let since: number | undefined;
  const end = () => {
    since = undefined;
  };
  return () => {
    if (since === undefined) {
      since = performance.now();
      setImmediate(end);
      return undefined;
    }
    return performance.now() - since < stretchMs ? undefined : nextTurn();
  };
}
