/** How long a step took in good executions, and what lies outside of that. */

import { median } from '../statistics/median.ts';
import { type KeyedStep, stepKey } from './aligned-steps.ts';

export type UsualDuration = {
  readonly minMs: number;
  readonly medianMs: number;
  readonly maxMs: number;
  /** How many good executions it is taken from; fewer than 3 make no difference of duration. */
  readonly samples: number;
};

type Spread = Omit<UsualDuration, 'samples'>;
type Timed = { readonly startMs: number; readonly endMs: number; readonly durationMs: number | null };
type Places = ReadonlyMap<string, KeyedStep<Timed>>;

/**
 * Calls of one method that overlap may swap places from one execution to the next, so their durations are taken together.
 * @param executions good ones, by place
 * @returns by the name of a place; undefined where none of them tells
 */
export function createUsualDurations(executions: readonly Places[]) {
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
function overlaps(places: Places): readonly string[] {
  return [...places].flatMap(([name, { step, call, occurrence }]) => {
    const next = places.get(stepKey(call, occurrence + 1));
    return next && next.step.startMs < step.endMs ? [name] : [];
  });
}

const samplesMin = 3;
/** Shorter differences tell nobody anything. */
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
