/** Facts that the timeline chart and its alternative text share: step labels, omitted steps, summary. */
import type { CallState, CapabilityCall, FailingCall, TimeFault, Timeline } from '../../insight/executions/timeline.ts';
import { count, counted } from '../format/number.ts';
import { duration, preciseDuration } from '../format/time.ts';

export type TimelinePicture = {
  /** Such as the workflow's name; outside text. */
  readonly title: string;
  readonly timeline: Timeline;
};

export type ChartedCall = CapabilityCall & {
  /** From 1, over all steps. */
  readonly number: number;
  /** True if it failed the execution. */
  readonly isFailing: boolean;
};

const callsMax = 100;

const stateText: Readonly<Record<CallState, string>> = {
  succeeded: 'succeeded',
  completed_with_errors: 'with errors',
  failed: 'failed',
  running: 'in progress',
  unfinished: 'no end reported',
  unknown: 'state unknown',
};

/** @returns such as `failed · 1.2 s`, `running · 12 s so far`; a step without an end has no duration */
export function outcomeOf({ state, durationMs, startMs, timeFault }: CapabilityCall, totalMs: number): string {
  const word = stateText[state];
  if (timeFault !== null) return `${word} · impossible ${timeFault.time}`;
  if (durationMs !== null) return `${word} · ${preciseDuration(durationMs)}`;
  return state === 'running' ? `${word} · ${preciseDuration(totalMs - startMs)} so far` : word;
}

/** @returns such as `24 h after the run` */
export function timeFaultText({ side, byMs }: TimeFault): string {
  const sides = { before_run: 'before the run', after_run: 'after the run', before_start: 'before its start' } as const;
  return `${duration(byMs)} ${sides[side]}`;
}

/** If not all steps fit, the most important stay: failed ones, those without success, the critical path, the earliest. */
export function shownCalls({ calls, failing }: Timeline): readonly ChartedCall[] {
  const numbered = calls.map((call, index) => ({ ...call, number: index + 1, isFailing: index === failing?.index }));
  if (numbered.length <= callsMax) return numbered;
  return byWeight(numbered)
    .slice(0, callsMax)
    .toSorted((a, b) => a.number - b.number);
}

/** Most important first. */
export function byWeight(calls: readonly ChartedCall[]): readonly ChartedCall[] {
  return calls.toSorted((a, b) => weight(b) - weight(a) || a.number - b.number);
}

function weight({ isFailing, state, isOnCriticalPath }: ChartedCall): number {
  if (isFailing) return 4;
  if (state === 'failed') return 3;
  if (state !== 'succeeded') return 2;
  return isOnCriticalPath ? 1 : 0;
}

/** @returns such as `40 more steps left out: 39 succeeded, 1 failed`; undefined when all are shown */
export function leftOut({ calls }: Timeline, shown: readonly ChartedCall[]): string | undefined {
  if (shown.length === calls.length) return undefined;
  const numbers = new Set(shown.map(({ number }) => number));
  const rest = calls.filter((_, index) => !numbers.has(index + 1));
  return `${counted(rest.length, 'more step')} left out: ${stateCounts(rest)}`;
}

export const certaintyWords: Readonly<Record<FailingCall['certainty'], string>> = {
  certain: 'failed',
  likely: 'probably failed',
  possible: 'may have failed',
};

/** @returns such as `run failed in step 7` */
export function failingNote({ index, certainty }: FailingCall): string {
  return `run ${certaintyWords[certainty]} in step ${index + 1}`;
}

/** @returns such as `12 steps, 42 s in all, 9 s of it waiting` and `10 succeeded, 2 failed` */
export function summaryOf({ calls, gaps, totalMs, isRunning }: Timeline): readonly [lengths: string, states: string] {
  const waitedMs = gaps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const waited = waitedMs === 0 || calls.length === 0 ? '' : `, ${preciseDuration(waitedMs)} of it waiting`;
  const lengths = `${counted(calls.length, 'step')}, ${preciseDuration(totalMs)} ${isRunning ? 'so far' : 'in total'}${waited}`;
  return [lengths, calls.length === 0 ? 'Nothing was recorded.' : stateCounts(calls)];
}

function stateCounts(calls: readonly CapabilityCall[]): string {
  const counts = new Map<CallState, number>();
  for (const { state } of calls) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, howMany]) => `${count(howMany)} ${stateText[state]}`).join(', ');
}
