/** The span in which the times of an execution's events are possible: clocks of nodes are seconds apart, not hours. */

export type TimeFrame = {
  /** The origin of all offsets, epoch milliseconds. */
  readonly originMs: number;
  /** Length of the scale. */
  readonly totalMs: number;
  /** End of the execution, or of its last possible event if it has no possible end. */
  readonly endMs: number;
  /** The earliest and the latest possible time of an event. */
  readonly earliestMs: number;
  readonly latestMs: number;
};

export type TimeFault = {
  readonly time: 'start' | 'end';
  readonly side: 'before_run' | 'after_run' | 'before_start';
  /** Distance from the start or the end of the execution, or from the start of the call. */
  readonly byMs: number;
};

type FrameFacts = {
  /** Epoch milliseconds; null if not reported or unreadable. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** All times of its events. */
  readonly times: readonly (number | null)[];
  readonly now: number;
};

/** Clocks differ by less. */
const skewMs = 5_000;
/** Without an end of the execution, events after a longer pause are not possible. */
const pauseMaxMs = 60 * 60_000;

export function timeFrameOf({ startedAt, endedAt, times, now }: FrameFacts): TimeFrame {
  const known = times.filter((ms) => ms !== null).sort((one, other) => one - other);
  const originMs = startedAt ?? known[0] ?? endedAt ?? 0;
  const earliestMs = originMs - skewMs;
  // An end before the start, or in the future, is no end.
  const end = endedAt !== null && endedAt >= originMs && endedAt <= now + skewMs ? endedAt : null;
  const latestMs = end === null ? lastWithoutPause(known, originMs, now) : end + Math.max(skewMs, end - originMs);
  const last = known.findLast((ms) => ms <= latestMs) ?? originMs;
  const endMs = end ?? Math.max(originMs, last);
  return { originMs, totalMs: Math.max(endMs, last) - originMs, endMs, earliestMs, latestMs };
}

/** @param known in order @returns the last time that follows the others without a long pause, and is not in the future */
function lastWithoutPause(known: readonly number[], originMs: number, now: number): number {
  let last = originMs;
  for (const ms of known) if (ms > last && ms - last <= pauseMaxMs && ms <= now + skewMs) last = ms;
  return last;
}

/** @param ended null if the call has no end */
export function timeFaultOf(frame: TimeFrame, began: number, ended: number | null): TimeFault | null {
  const { originMs, earliestMs, latestMs, endMs } = frame;
  const faultOf = (time: 'start' | 'end', ms: number): TimeFault | null => {
    if (ms < earliestMs) return { time, side: 'before_run', byMs: originMs - ms };
    return ms > latestMs ? { time, side: 'after_run', byMs: ms - endMs } : null;
  };
  const isReversed = ended !== null && ended < began;
  return (
    faultOf('start', began) ??
    (ended === null ? null : faultOf('end', ended)) ??
    (isReversed ? { time: 'end', side: 'before_start', byMs: began - ended } : null)
  );
}

/** @returns start and end of the bar, epoch milliseconds, on the scale; an impossible time is replaced by the other one, or by the nearest edge */
export function plausibleSpan(frame: TimeFrame, began: number, ended: number): readonly [from: number, to: number] {
  const { originMs, totalMs, earliestMs, latestMs } = frame;
  const isPossible = (ms: number) => ms >= earliestMs && ms <= latestMs;
  const onScale = (ms: number) => Math.min(Math.max(ms, originMs), originMs + totalMs);
  const from = onScale(isPossible(began) || !isPossible(ended) ? began : ended);
  return [from, isPossible(ended) ? Math.max(from, onScale(ended)) : from];
}
