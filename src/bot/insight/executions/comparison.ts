/** What a failed execution did otherwise than the good ones before it. */
import { type CooperativeTask, mapTask } from '../../../shared/time/cooperative-task.ts';
import { type KeyedStep, mergeOrder, stepsByKey } from './aligned-steps.ts';
import { messageTemplate } from './message-template.ts';
import type { Step, Timeline } from './timeline.ts';
import { createUsualDurations, isUnusual, type UsualDuration } from './usual-duration.ts';

/** In the order in which they weigh: of several in one step, the first is the one to tell. */
export type DifferenceKind =
  /** Good executions have this step, and this one lacks it. */
  'missing' | 'extra' | 'state' | 'error' | 'duration';

/** The same step in both. */
export type ComparedStep = {
  readonly capability: string;
  readonly method: string | null;
  /** From 1: the second call of the same method is 2. */
  readonly occurrence: number;
  /** How many calls of this method the execution with more of them has. */
  readonly occurrences: number;
  /** Null where this execution lacks it. */
  readonly step: Step | null;
  /** Of the last good execution; null where it lacks it. */
  readonly good: Step | null;
  /** Null where no good execution says. */
  readonly usual: UsualDuration | null;
  /** What no recent good execution shows; weightiest first. */
  readonly differences: readonly DifferenceKind[];
};

export type FirstDifference = {
  readonly kind: DifferenceKind;
  /** Index into the compared steps. */
  readonly index: number;
  readonly compared: ComparedStep;
};

export type Comparison = {
  /** In the order of this execution, steps that it lacks where the good one has them. */
  readonly steps: readonly ComparedStep[];
  /** Null where it differs in nothing. */
  readonly firstDifference: FirstDifference | null;
};

/**
 * @param timeline of the execution looked into
 * @param goodTimelines of the good executions before it, newest first; what any of them shows is no difference
 */
export function* compareWithGood(timeline: Timeline, goodTimelines: readonly Timeline[]): CooperativeTask<Comparison> {
  const places = stepsByKey(timeline.steps);
  const goodPlaces = goodTimelines.map(({ steps }) => stepsByKey(steps));
  const usualOf = createUsualDurations(goodPlaces);
  const calls = [places, goodPlaces[0] ?? new Map()].map(countCalls);
  const occurrencesOf = (call: string) => Math.max(...calls.map((counts) => counts.get(call) ?? 0));
  const compare = (name: string): readonly ComparedStep[] => {
    const placed = places.get(name) ?? goodPlaces[0]?.get(name);
    if (!placed) return [];
    const recent = goodPlaces.map((good) => good.get(name)?.step ?? null);
    const step = places.get(name)?.step ?? null;
    const usual = usualOf(placed);
    const differences =
      goodPlaces.length === 0 ? [] : differencesOf({ step, recent, usual, isRunning: timeline.isRunning });
    return [{ ...namesOf(placed, occurrencesOf(placed.call)), step, good: recent[0] ?? null, usual, differences }];
  };
  const names = mergeOrder(places.keys(), goodPlaces[0]?.keys() ?? []);
  const steps = (yield* mapTask(names, compare)).flat();
  return { steps, firstDifference: firstOf(steps) };
}

type Places = ReadonlyMap<string, KeyedStep<Step>>;

function countCalls(places: Places): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { call } of places.values()) counts.set(call, (counts.get(call) ?? 0) + 1);
  return counts;
}

function namesOf({ step, occurrence }: KeyedStep<Step>, occurrences: number) {
  return { capability: step.capability, method: step.method, occurrence, occurrences };
}

function firstOf(steps: readonly ComparedStep[]): FirstDifference | null {
  const index = steps.findIndex(({ differences }) => differences.length > 0);
  const compared = steps[index];
  const kind = compared?.differences[0];
  return compared && kind ? { kind, index, compared } : null;
}

type Facts = {
  readonly step: Step | null;
  /** The same step of each recent good execution; null for one that lacks it. */
  readonly recent: readonly (Step | null)[];
  readonly usual: UsualDuration | null;
  /** Whether the execution looked into still runs, so that what it lacks may yet come. */
  readonly isRunning: boolean;
};

function differencesOf({ step, recent, usual, isRunning }: Facts): readonly DifferenceKind[] {
  if (step === null) return isRunning || recent.includes(null) ? [] : ['missing'];
  const good = recent.filter((other) => other !== null);
  if (good.length === 0) return ['extra'];
  const states = new Set(good.map(stateOf));
  const errors = new Set(good.flatMap(errorsOf));
  const hasOtherState = step.state !== 'running' && !states.has(stateOf(step));
  const hasOtherError = errorsOf(step).some((error) => !errors.has(error));
  const stillRuns = step.durationMs === null && step.state === 'running';
  const durationMs = stillRuns ? step.endMs - step.startMs : step.durationMs;
  return [
    ...(hasOtherState ? (['state'] as const) : []),
    ...(hasOtherError ? (['error'] as const) : []),
    ...(durationMs !== null && isUnusual(durationMs, usual, stillRuns) ? (['duration'] as const) : []),
  ];
}

/** A state not known here is told by the platform's own word. */
function stateOf({ state, status }: Step): string {
  return state === 'unknown' ? `unknown ${status.trim().toUpperCase()}` : state;
}

/** So many of a step's errors, and so much of each, tell whether it is another one. */
const errorsMax = 16;
const errorUnitsMax = 4_000;

function errorsOf({ errors }: Step): readonly string[] {
  return errors.slice(0, errorsMax).map(({ error }) => messageTemplate(error.slice(0, errorUnitsMax)));
}
