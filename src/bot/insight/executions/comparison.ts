/** Compares a failed execution with good ones, call by call. */
import { type CooperativeTask, mapTask } from '../../../shared/time/cooperative-task.ts';
import { median } from '../statistics.ts';
import { messageTemplate } from './message-template.ts';
import type { CapabilityCall, Timeline } from './timeline.ts';

/** Sorted by weight: of several differences in one call, the first is reported. */
export type DifferenceKind =
  /** Good executions have this call and this one lacks it. */
  'missing' | 'extra' | 'state' | 'error' | 'duration';

/** The same call in both executions. */
export type ComparedCall = {
  readonly capability: string;
  readonly method: string | null;
  /** From 1; the second call of the same method is 2. */
  readonly occurrence: number;
  /** Number of calls of this method, in the execution with more of them. */
  readonly occurrences: number;
  /** Null if this execution lacks it. */
  readonly call: CapabilityCall | null;
  /** In the last good execution; null if it lacks it. */
  readonly good: CapabilityCall | null;
  /** Null if no good execution has a duration. */
  readonly usual: UsualDuration | null;
  /** Differences from every recent good execution; weightiest first. */
  readonly differences: readonly DifferenceKind[];
};

type FirstDifference = {
  readonly kind: DifferenceKind;
  /** Index into the compared calls. */
  readonly index: number;
  readonly compared: ComparedCall;
};

export type Comparison = {
  /** In the order of this execution; calls that it lacks are at their place in the good one. */
  readonly calls: readonly ComparedCall[];
  /** Null if nothing differs. */
  readonly firstDifference: FirstDifference | null;
  /** Number of good executions that it is compared with. */
  readonly goodCount: number;
};

/**
 * @param timeline of the investigated execution
 * @param goodTimelines of the good executions before it, newest first; a state that any of them has is no difference
 */
export function* compareWithGood(timeline: Timeline, goodTimelines: readonly Timeline[]): CooperativeTask<Comparison> {
  const ownCalls = callsByKey(timeline.calls);
  const goodCalls = goodTimelines.map(({ calls }) => callsByKey(calls));
  const usualOf = createUsualDurations(goodCalls);
  const calleeCounts = [ownCalls, goodCalls[0] ?? new Map()].map(countPerCallee);
  const occurrencesOf = (callee: string) => Math.max(...calleeCounts.map((counts) => counts.get(callee) ?? 0));
  const compare = (name: string): readonly ComparedCall[] => {
    const keyed = ownCalls.get(name) ?? goodCalls[0]?.get(name);
    if (!keyed) return [];
    const recent = goodCalls.map((good) => good.get(name)?.call ?? null);
    const call = ownCalls.get(name)?.call ?? null;
    const usual = usualOf(keyed);
    const differences =
      goodCalls.length === 0 ? [] : differencesOf({ call, recent, usual, isRunning: timeline.isRunning });
    return [{ ...namesOf(keyed, occurrencesOf(keyed.callee)), call, good: recent[0] ?? null, usual, differences }];
  };
  const names = mergeOrder(ownCalls.keys(), goodCalls[0]?.keys() ?? []);
  const calls = (yield* mapTask(names, compare)).flat();
  return { calls, firstDifference: firstOf(calls), goodCount: goodTimelines.length };
}

function countPerCallee(ownCalls: ReadonlyMap<string, KeyedCall<CapabilityCall>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { callee } of ownCalls.values()) counts.set(callee, (counts.get(callee) ?? 0) + 1);
  return counts;
}

function namesOf({ call, occurrence }: KeyedCall<CapabilityCall>, occurrences: number) {
  return { capability: call.capability, method: call.method, occurrence, occurrences };
}

function firstOf(calls: readonly ComparedCall[]): FirstDifference | null {
  const index = calls.findIndex(({ differences }) => differences.length > 0);
  const compared = calls[index];
  const kind = compared?.differences[0];
  return compared && kind ? { kind, index, compared } : null;
}

type CallEvidence = {
  readonly call: CapabilityCall | null;
  /** The same call of each recent good execution; null for one that lacks it. */
  readonly recent: readonly (CapabilityCall | null)[];
  readonly usual: UsualDuration | null;
  /** True if the investigated execution still runs, so that missing calls may follow. */
  readonly isRunning: boolean;
};

function differencesOf({ call, recent, usual, isRunning }: CallEvidence): readonly DifferenceKind[] {
  if (call === null) return isRunning || recent.includes(null) ? [] : ['missing'];
  const good = recent.filter((other) => other !== null);
  if (good.length === 0) return ['extra'];
  const states = new Set(good.map(stateOf));
  const errors = new Set(good.flatMap(errorsOf));
  const hasOtherState = call.state !== 'running' && !states.has(stateOf(call));
  const hasOtherError = errorsOf(call).some((error) => !errors.has(error));
  const stillRuns = call.durationMs === null && call.state === 'running';
  const durationMs = stillRuns ? call.endMs - call.startMs : call.durationMs;
  return [
    ...(hasOtherState ? (['state'] as const) : []),
    ...(hasOtherError ? (['error'] as const) : []),
    ...(durationMs !== null && isUnusual(durationMs, usual, stillRuns) ? (['duration'] as const) : []),
  ];
}

/** An unknown state keeps the platform's own name. */
function stateOf({ state, status }: CapabilityCall): string {
  return state === 'unknown' ? `unknown ${status.trim().toUpperCase()}` : state;
}

/** Number of a call's errors, and length of each, that are compared. */
const errorsMax = 16;
const errorUnitsMax = 4_000;

function errorsOf({ errors }: CapabilityCall): readonly string[] {
  return errors.slice(0, errorsMax).map(({ error }) => messageTemplate(error.slice(0, errorUnitsMax)));
}

export type UsualDuration = {
  readonly minMs: number;
  readonly medianMs: number;
  readonly maxMs: number;
  /** Number of good executions behind it; with fewer than 3 no duration is unusual. */
  readonly samples: number;
};

type Spread = Omit<UsualDuration, 'samples'>;
type Timed = { readonly startMs: number; readonly endMs: number; readonly durationMs: number | null };
type TimedCalls = ReadonlyMap<string, KeyedCall<Timed>>;

/**
 * Overlapping calls of one method may change their order between executions, so their durations are taken together.
 * @param executions good ones, by call key
 * @returns the usual duration of a call; null if no execution has one
 */
export function createUsualDurations(executions: readonly TimedCalls[]) {
  const overlapping = new Set(executions.flatMap(overlaps));
  const durations = (name: string) =>
    executions.map((ownCalls) => ownCalls.get(name)?.call.durationMs ?? null).filter((ms) => ms !== null);
  const known = new Map<string, Spread>();
  /** Spread over the chain of overlapping calls that contains this one. */
  const spreadOf = (callee: string, occurrence: number): Spread => {
    let first = occurrence;
    while (overlapping.has(callKey(callee, first - 1))) first -= 1;
    const names = [callKey(callee, first)];
    for (let at = first; overlapping.has(callKey(callee, at)); at += 1) names.push(callKey(callee, at + 1));
    const durationsMs = names.flatMap(durations);
    const spread = { minMs: Math.min(...durationsMs), medianMs: median(durationsMs), maxMs: Math.max(...durationsMs) };
    for (const name of names) known.set(name, spread);
    return spread;
  };
  return ({ callee, occurrence }: Pick<KeyedCall<unknown>, 'callee' | 'occurrence'>): UsualDuration | null => {
    const name = callKey(callee, occurrence);
    const samples = durations(name).length;
    return samples === 0 ? null : { ...(known.get(name) ?? spreadOf(callee, occurrence)), samples };
  };
}

/** Keys of calls that overlap with the next call of the same method. */
function overlaps(ownCalls: TimedCalls): readonly string[] {
  return [...ownCalls].flatMap(([name, { call, callee, occurrence }]) => {
    const next = ownCalls.get(callKey(callee, occurrence + 1));
    return next && next.call.startMs < call.endMs ? [name] : [];
  });
}

const samplesMin = 3;
/** Shorter differences are noise. */
const slackMsMin = 100;

/**
 * A few samples do not show the whole usual range, so it is extended by twice their spread, or half their median.
 * @param isRunning whether the call still runs; then it can only be too long
 */
function isUnusual(durationMs: number, usual: UsualDuration | null, isRunning: boolean): boolean {
  if (usual === null || usual.samples < samplesMin) return false;
  const slackMs = Math.max(2 * (usual.maxMs - usual.minMs), usual.medianMs / 2, slackMsMin);
  return durationMs > usual.maxMs + slackMs || (!isRunning && durationMs < usual.minMs - slackMs);
}

type Callee = { readonly capability: string; readonly method: string | null };

export type KeyedCall<CapabilityCall> = {
  readonly call: CapabilityCall;
  readonly callee: string;
  /** From 1. */
  readonly occurrence: number;
};

/** @param calls in time order @returns the calls by a key that is equal across executions, in the same order */
export function callsByKey<CapabilityCall extends Callee>(
  calls: readonly CapabilityCall[],
): ReadonlyMap<string, KeyedCall<CapabilityCall>> {
  const counts = new Map<string, number>();
  const ownCalls = new Map<string, KeyedCall<CapabilityCall>>();
  for (const call of calls) {
    const callee = JSON.stringify([call.capability, call.method]);
    const occurrence = (counts.get(callee) ?? 0) + 1;
    counts.set(callee, occurrence);
    ownCalls.set(callKey(callee, occurrence), { call, callee, occurrence });
  }
  return ownCalls;
}

export function callKey(callee: string, occurrence: number): string {
  return `${callee} ${occurrence}`;
}

/** @returns every name once: those of `first` in order; a name that only `second` has comes after its predecessor there */
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
