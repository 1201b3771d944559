/** Detects that a workflow that ran regularly has stopped. */

export type Silence = {
  /** How long ago its last execution was. */
  readonly forMs: number;
  /** How often they used to come. */
  readonly usuallyEveryMs: number;
};

export type SilenceFacts = {
  /** Epoch milliseconds of the latest execution; null when there was none. */
  readonly executedAt: number | null;
  /** When its newest executions started, newest first, epoch milliseconds; null where that is not known. */
  readonly starts: readonly number[] | null;
  /** How many there were in a window of some length, for where the newest do not say. */
  readonly before?: { readonly total: number; readonly windowMs: number } | null;
  readonly now: number;
};

/** Fewer executions than this say nothing about how often they come; of more, the newest count. */
const regularCount = 5;
/** A gap this many times the usual one is silence, unless it is shorter than five minutes. */
const silentGapFactor = 4;
const silentGapMinMs = 5 * 60_000;

export function findSilence(facts: SilenceFacts): Silence | null {
  if (facts.executedAt === null) return null;
  const usuallyEveryMs = usualGap(facts);
  if (usuallyEveryMs === null) return null;
  const forMs = facts.now - facts.executedAt;
  return forMs > silentAfterMs(usuallyEveryMs) ? { forMs, usuallyEveryMs } : null;
}

/** @returns how long after its last execution a workflow is silent, and no sooner */
export function silentAfterMs(usuallyEveryMs: number): number {
  return Math.max(silentGapMinMs, silentGapFactor * usuallyEveryMs);
}

/** The usual gap comes from the newest executions themselves, or from the count of the window before. */
function usualGap({ starts, before }: SilenceFacts): number | null {
  const newest = starts?.slice(0, regularCount) ?? [];
  const [last, first] = [newest[0], newest.at(-1)];
  if (last !== undefined && first !== undefined && newest.length >= regularCount && last > first) {
    return (last - first) / (newest.length - 1);
  }
  return before && before.total >= regularCount ? before.windowMs / before.total : null;
}

type Lifetime = {
  /** Epoch milliseconds. */
  readonly registeredAt: number;
  readonly executedAt: number | null;
  /** Of its executions; null where that is not known. */
  readonly total: number | null;
  readonly now: number;
};

/**
 * @returns how many times as long as usual it has not run, by its whole life: worth asking for its newest executions from
 *   2 on; infinite where its life does not say; 0 where it cannot be silent
 */
export function overdueFactor({ registeredAt, executedAt, total, now }: Lifetime): number {
  if (executedAt === null || now - executedAt <= silentGapMinMs || (total !== null && total < regularCount)) return 0;
  const everyMs = total === null ? 0 : (executedAt - registeredAt) / total;
  return everyMs > 0 ? (now - executedAt) / everyMs : Number.POSITIVE_INFINITY;
}
