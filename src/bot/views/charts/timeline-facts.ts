/** Facts that the timeline chart and its alternative text share: step labels, omitted steps, summary. */
import type { FailingStep, Step, StepState, Timeline } from '../../insight/executions/timeline.ts';
import { count, counted } from '../format/number.ts';
import { preciseDuration } from '../format/time.ts';

export type TimelinePicture = {
  /** Such as the workflow's name; outside text. */
  readonly title: string;
  readonly timeline: Timeline;
};

export type NumberedStep = Step & {
  /** From 1, over all steps. */
  readonly number: number;
  /** Whether it is the one that failed the execution. */
  readonly isFailing: boolean;
};

const stepsMax = 100;

export const stateText: Readonly<Record<StepState, string>> = {
  succeeded: 'succeeded',
  completed_with_errors: 'with errors',
  failed: 'failed',
  running: 'running',
  unfinished: 'no end reported',
  unknown: 'state unknown',
};

/** @returns such as `failed · 1.2 s`, `running · 12 s so far`; of a step without an end no length is claimed */
export function outcomeOf({ state, durationMs, startMs }: Step, totalMs: number): string {
  const word = stateText[state];
  if (durationMs !== null) return `${word} · ${preciseDuration(durationMs)}`;
  return state === 'running' ? `${word} · ${preciseDuration(totalMs - startMs)} so far` : word;
}

/** Of more steps than fit, what matters most stays: what failed, what ended otherwise than well, the critical path, the earliest. */
export function shownSteps({ steps, failing }: Timeline): readonly NumberedStep[] {
  const numbered = steps.map((step, index) => ({ ...step, number: index + 1, isFailing: index === failing?.index }));
  if (numbered.length <= stepsMax) return numbered;
  return byWeight(numbered)
    .slice(0, stepsMax)
    .toSorted((a, b) => a.number - b.number);
}

/** What matters most first. */
export function byWeight(steps: readonly NumberedStep[]): readonly NumberedStep[] {
  return steps.toSorted((a, b) => weight(b) - weight(a) || a.number - b.number);
}

function weight({ isFailing, state, isOnCriticalPath }: NumberedStep): number {
  if (isFailing) return 4;
  if (state === 'failed') return 3;
  if (state !== 'succeeded') return 2;
  return isOnCriticalPath ? 1 : 0;
}

/** @returns such as `40 more steps left out: 39 succeeded, 1 failed`; undefined when all are shown */
export function leftOut({ steps }: Timeline, shown: readonly NumberedStep[]): string | undefined {
  if (shown.length === steps.length) return undefined;
  const numbers = new Set(shown.map(({ number }) => number));
  const rest = steps.filter((_, index) => !numbers.has(index + 1));
  return `${counted(rest.length, 'more step')} left out: ${stateCounts(rest)}`;
}

const certaintyWords: Readonly<Record<FailingStep['certainty'], string>> = {
  certain: 'failed',
  likely: 'probably failed',
  possible: 'may have failed',
};

/** @returns such as `step 7 failed the execution` */
export function failingNote({ index, certainty }: FailingStep): string {
  return `step ${index + 1} ${certaintyWords[certainty]} the execution`;
}

/** @returns such as `12 steps, 42 s in all, 9 s of it waiting` and `10 succeeded, 2 failed` */
export function summaryOf({ steps, gaps, totalMs, isRunning }: Timeline): readonly [lengths: string, states: string] {
  const waitedMs = gaps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const waited = waitedMs === 0 || steps.length === 0 ? '' : `, ${preciseDuration(waitedMs)} of it waiting`;
  const lengths = `${counted(steps.length, 'step')}, ${preciseDuration(totalMs)} ${isRunning ? 'so far' : 'in all'}${waited}`;
  return [lengths, steps.length === 0 ? 'Nothing was recorded.' : stateCounts(steps)];
}

function stateCounts(steps: readonly Step[]): string {
  const counts = new Map<StepState, number>();
  for (const { state } of steps) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, howMany]) => `${count(howMany)} ${stateText[state]}`).join(', ');
}
