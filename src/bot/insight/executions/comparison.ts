/** Compares a failed execution with good ones, step by step. */
import { type CooperativeTask, mapTask } from '../../../shared/time/cooperative-task.ts';
import { median } from '../statistics.ts';
import { messageTemplate } from './message-template.ts';
import type { Step, Timeline } from './timeline.ts';

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

type StepsByKey = ReadonlyMap<string, KeyedStep<Step>>;

function countCalls(places: StepsByKey): ReadonlyMap<string, number> {
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

/** An unknown state keeps the platform's own name. */
function stateOf({ state, status }: Step): string {
  return state === 'unknown' ? `unknown ${status.trim().toUpperCase()}` : state;
}

/** So many of a step's errors, and so much of each, tell whether it is another one. */
const errorsMax = 16;
const errorUnitsMax = 4_000;

function errorsOf({ errors }: Step): readonly string[] {
  return errors.slice(0, errorsMax).map(({ error }) => messageTemplate(error.slice(0, errorUnitsMax)));
}

export type UsualDuration = {
  readonly minMs: number;
  readonly medianMs: number;
  readonly maxMs: number;
  /** How many good executions it is taken from; fewer than 3 make no difference of duration. */
  readonly samples: number;
};

type Spread = Omit<UsualDuration, 'samples'>;
type Timed = { readonly startMs: number; readonly endMs: number; readonly durationMs: number | null };
type TimedSteps = ReadonlyMap<string, KeyedStep<Timed>>;

/**
 * Calls of one method that overlap may swap places from one execution to the next, so their durations are taken together.
 * @param executions good ones, by place
 * @returns by the name of a place; undefined where none of them tells
 */
export function createUsualDurations(executions: readonly TimedSteps[]) {
  const overlapping = new Set(executions.flatMap(overlaps));
  const durations = (name: string) =>
    executions.map((places) => places.get(name)?.step.durationMs ?? null).filter((ms) => ms !== null);
  const known = new Map<string, Spread>();
  /** Of all calls that overlap with the next, up to this one and from it on. */
  const spreadOf = (call: string, occurrence: number): Spread => {
    let first = occurrence;
    while (overlapping.has(stepKey(call, first - 1))) first -= 1;
    const names = [stepKey(call, first)];
    for (let at = first; overlapping.has(stepKey(call, at)); at += 1) names.push(stepKey(call, at + 1));
    const seen = names.flatMap(durations);
    const spread = { minMs: Math.min(...seen), medianMs: median(seen), maxMs: Math.max(...seen) };
    for (const name of names) known.set(name, spread);
    return spread;
  };
  return ({ call, occurrence }: Pick<KeyedStep<unknown>, 'call' | 'occurrence'>): UsualDuration | null => {
    const name = stepKey(call, occurrence);
    const samples = durations(name).length;
    return samples === 0 ? null : { ...(known.get(name) ?? spreadOf(call, occurrence)), samples };
  };
}

/** Names of places whose call overlaps with the next of the same method. */
function overlaps(places: TimedSteps): readonly string[] {
  return [...places].flatMap(([name, { step, call, occurrence }]) => {
    const next = places.get(stepKey(call, occurrence + 1));
    return next && next.step.startMs < step.endMs ? [name] : [];
  });
}

const samplesMin = 3;
/** Shorter differences are noise. */
const slackMsMin = 100;

/**
 * A few samples do not show all that is usual, so it is taken to reach further than they do: twice their spread, half their middle.
 * @param isRunning whether the step still runs, so that only its being too long already is known
 */
export function isUnusual(durationMs: number, usual: UsualDuration | null, isRunning: boolean): boolean {
  if (usual === null || usual.samples < samplesMin) return false;
  const slackMs = Math.max(2 * (usual.maxMs - usual.minMs), usual.medianMs / 2, slackMsMin);
  return durationMs > usual.maxMs + slackMs || (!isRunning && durationMs < usual.minMs - slackMs);
}

type Call = { readonly capability: string; readonly method: string | null };

export type KeyedStep<Step> = {
  readonly step: Step;
  readonly call: string;
  /** From 1. */
  readonly occurrence: number;
};

/** @param steps in time order @returns the same steps by what names them across executions, in the same order */
export function stepsByKey<Step extends Call>(steps: readonly Step[]): ReadonlyMap<string, KeyedStep<Step>> {
  const counts = new Map<string, number>();
  const places = new Map<string, KeyedStep<Step>>();
  for (const step of steps) {
    const call = JSON.stringify([step.capability, step.method]);
    const occurrence = (counts.get(call) ?? 0) + 1;
    counts.set(call, occurrence);
    places.set(stepKey(call, occurrence), { step, call, occurrence });
  }
  return places;
}

export function stepKey(call: string, occurrence: number): string {
  return `${call} ${occurrence}`;
}

/** @returns every name once: those of `first` in their order, each that only `second` has behind the one that it follows there */
export function mergeOrder(first: Iterable<string>, second: Iterable<string>): readonly string[] {
  const known = new Set(first);
  const behind = new Map<string | null, string[]>();
  let anchor: string | null = null;
  for (const name of second) {
    if (known.has(name)) {
      anchor = name;
      continue;
    }
    const names = behind.get(anchor);
    if (names) names.push(name);
    else behind.set(anchor, [name]);
  }
  return [...(behind.get(null) ?? []), ...[...known].flatMap((name) => [name, ...(behind.get(name) ?? [])])];
}
