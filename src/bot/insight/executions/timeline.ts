/** The timeline of one execution: its calls, gaps, critical chain and failing call. */
import type { CooperativeTask } from '../../../shared/time/cooperative-task.ts';
import type { ReportedError } from '../causes/cause.ts';
import { type FailureSuspicion, findFailingCall } from './failing-call.ts';
import { hasEnded } from './result.ts';

/** An execution from the query service. */
export type TimelineExecution = {
  /** As the service spells it; an unknown status counts as an end if `finishedAt` is set. */
  readonly status: string;
  readonly startedAt: Timestamp;
  readonly finishedAt: Timestamp | null;
  readonly errors: readonly ReportedError[] | null;
};

/** One call of a capability, from the query service. */
export type TimelineEvent = {
  readonly capabilityID: string;
  /** Free text in any case. */
  readonly status: string;
  readonly method: string | null;
  readonly startedAt: Timestamp;
  readonly finishedAt: Timestamp | null;
  readonly errors: readonly ReportedError[] | null;
};

export type CallState =
  | 'succeeded'
  /** Reported as done although some nodes had errors. */
  | 'completed_with_errors'
  | 'failed'
  /** Still running, as its execution is. */
  | 'running'
  /** Its execution has ended, and no end of this call was reported. */
  | 'unfinished'
  /** Ended with a `status` that is not known here. */
  | 'unknown';

export type CapabilityCall = {
  readonly capability: string;
  readonly method: string | null;
  /** The platform's own word, unchanged. */
  readonly status: string;
  readonly state: CallState;
  /** From the execution's start; 0 for a call that starts before it because of clock skew. */
  readonly startMs: number;
  /** End of the bar: the call's end, or the timeline's end for a running or unfinished call. Never before `startMs`. */
  readonly endMs: number;
  /** The first of its times that cannot be right; null without one. An impossible time is replaced by the nearest possible one. */
  readonly timeFault: TimeFault | null;
  /** Null while it runs, and if no end or an impossible time was reported. */
  readonly durationMs: number | null;
  readonly errors: readonly ReportedError[];
  /** True if it belongs to the chain of calls that the execution's end waited for. */
  readonly isOnCriticalPath: boolean;
};

/** Time in which no call ran. */
export type Gap = {
  /** From the execution's start. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Index of the call that ended last before it; null before the first. */
  readonly afterCall: number | null;
};

export type FailingCall = FailureSuspicion & { readonly call: CapabilityCall };

export type Timeline = {
  /** Sorted by start, then by end. */
  readonly calls: readonly CapabilityCall[];
  /** In order, and also before the first call and after the last. */
  readonly gaps: readonly Gap[];
  /** From the execution's start to its end, or to now; at least to the end of the last call whose time is possible. */
  readonly totalMs: number;
  readonly isRunning: boolean;
  /** Null if the execution has not failed, or nothing points at a call. */
  readonly failing: FailingCall | null;
};

export type TimelineQuestion = {
  readonly execution: TimelineExecution;
  readonly events: readonly TimelineEvent[];
  /** Epoch milliseconds. */
  readonly now: number;
};

/** @param question events in any order, of any execution that began */
export function* timelineOf({ execution, events, now }: TimelineQuestion): CooperativeTask<Timeline> {
  const isRunning = isUnderWay(execution);
  const frame = timeFrameOf({
    startedAt: parseTimestamp(execution.startedAt),
    endedAt: isRunning ? now : parseTimestamp(execution.finishedAt ?? ''),
    times: events.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt ?? startedAt]).map(parseTimestamp),
    now,
  });
  const read = events
    .map((event) => callOf(event, frame, isRunning))
    .sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
  const timed = read.flatMap((call, index) => (call.timeFault?.time !== 'start' ? [{ ...call, index }] : []));
  const onPath = new Set(criticalChain(timed).map((position) => timed[position]?.index));
  const calls = read.map((call, index) => ({ ...call, isOnCriticalPath: onPath.has(index) }));
  const found = execution.status === 'FAILURE' ? yield* findFailingCall(calls, execution.errors ?? []) : null;
  const call = found === null ? undefined : calls[found.index];
  return {
    calls,
    gaps: uncovered(timed, frame.totalMs).map(({ afterSpan, ...gap }) => ({
      ...gap,
      afterCall: afterSpan === null ? null : (timed[afterSpan]?.index ?? null),
    })),
    totalMs: frame.totalMs,
    isRunning,
    failing: found && call ? { ...found, call } : null,
  };
}

/** An execution in progress may already have an end; with an unknown status the end alone decides. */
function isUnderWay({ status, finishedAt }: TimelineExecution): boolean {
  if (hasEnded({ status })) return false;
  return finishedAt === null || status === 'IN_PROGRESS' || status === 'TRIGGERED';
}

function callOf(event: TimelineEvent, frame: TimeFrame, isRunning: boolean): Omit<CapabilityCall, 'isOnCriticalPath'> {
  const { originMs, totalMs } = frame;
  const began = parseTimestamp(event.startedAt) ?? originMs;
  const ended = event.finishedAt === null ? null : parseTimestamp(event.finishedAt);
  const state = stateOf(event, ended !== null, isRunning);
  const isOpen = state === 'running' || state === 'unfinished';
  const timeFault = timeFaultOf(frame, began, isOpen ? null : ended);
  const [from, to] = plausibleSpan(frame, began, isOpen ? originMs + totalMs : (ended ?? began));
  return {
    capability: event.capabilityID,
    method: event.method,
    status: event.status,
    state,
    startMs: from - originMs,
    endMs: to - originMs,
    timeFault,
    durationMs: isOpen || ended === null || timeFault !== null ? null : ended - began,
    errors: event.errors ?? [],
  };
}

/** Words seen in the field, and their likely variants. */
const doneWords = ['COMPLETED', 'COMPLETE', 'SUCCESS', 'SUCCEEDED', 'SUCCESSFUL', 'OK', 'DONE', 'FINISHED'];
const failureWords = /FAIL|ERROR|UNSUCC|TIMED?[_\s-]?OUT|EXPIRED|CANCEL|ABORT|REJECT|REFUSED|DENIED|REVERT|PANIC/;
const withErrorsWords = /WITH[_\s-]ERRORS?$/;

/** Reads both the word and the errors: a call reported as completed can carry errors. */
function stateOf({ status, errors }: TimelineEvent, hasEnded: boolean, isRunning: boolean): CallState {
  const word = status.trim().toUpperCase();
  if (withErrorsWords.test(word)) return 'completed_with_errors';
  if (failureWords.test(word)) return 'failed';
  const hasErrors = errors !== null && errors.length > 0;
  if (doneWords.includes(word)) return hasErrors ? 'completed_with_errors' : 'succeeded';
  if (!hasEnded) return isRunning ? 'running' : 'unfinished';
  return hasErrors ? 'completed_with_errors' : 'unknown';
}

/** Milliseconds from a common start; `endMs` is not before `startMs`. */
export type Span = { readonly startMs: number; readonly endMs: number };

/**
 * The critical path: the span that ends last, before it the span that ended last before that one began, and so on.
 * The service does not record dependencies between calls, so the times alone decide.
 * @returns indexes into `spans`, earliest first
 */
export function criticalChain(spans: readonly Span[]): readonly number[] {
  const byEnd = spans.map((span, index) => ({ ...span, index })).sort((one, other) => other.endMs - one.endMs);
  const chain: number[] = [];
  let waitedUntilMs = Number.POSITIVE_INFINITY;
  for (const { startMs, endMs, index } of byEnd) {
    if (endMs > waitedUntilMs) continue;
    chain.push(index);
    waitedUntilMs = startMs;
  }
  return chain.reverse();
}

export type UncoveredSpan = {
  readonly startMs: number;
  readonly durationMs: number;
  /** Index of the span that ended last before it; null before the first. */
  readonly afterSpan: number | null;
};

/** @param spans by start @returns every stretch of 0 to `totalMs` that no span covers, in order */
export function uncovered(spans: readonly Span[], totalMs: number): readonly UncoveredSpan[] {
  const gaps: UncoveredSpan[] = [];
  let coveredUntilMs = 0;
  let afterSpan: number | null = null;
  spans.forEach(({ startMs, endMs }, index) => {
    if (startMs > coveredUntilMs)
      gaps.push({ startMs: coveredUntilMs, durationMs: startMs - coveredUntilMs, afterSpan });
    if (afterSpan === null || endMs >= coveredUntilMs) afterSpan = index;
    coveredUntilMs = Math.max(coveredUntilMs, endMs);
  });
  const restMs = totalMs - coveredUntilMs;
  return restMs > 0 ? [...gaps, { startMs: coveredUntilMs, durationMs: restMs, afterSpan }] : gaps;
}

/** Epoch milliseconds, or ISO 8601 as the query service writes it. */
export type Timestamp = number | string;

/** @returns epoch milliseconds; null for text that is no time */
export function parseTimestamp(moment: Timestamp): number | null {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  return Number.isFinite(ms) ? ms : null;
}

type TimeFrame = {
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
function timeFaultOf(frame: TimeFrame, began: number, ended: number | null): TimeFault | null {
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
function plausibleSpan(frame: TimeFrame, began: number, ended: number): readonly [from: number, to: number] {
  const { originMs, totalMs, earliestMs, latestMs } = frame;
  const isPossible = (ms: number) => ms >= earliestMs && ms <= latestMs;
  const onScale = (ms: number) => Math.min(Math.max(ms, originMs), originMs + totalMs);
  const from = onScale(isPossible(began) || !isPossible(ended) ? began : ended);
  return [from, isPossible(ended) ? Math.max(from, onScale(ended)) : from];
}
