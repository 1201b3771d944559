/** Platform incidents: workflows that begin to fail of one cause so close together that their own rates do not explain it. */
import { chanceOfAtLeast } from '../statistics.ts';
import type { CauseTally, CountWithTimes, FailureTally } from './tally.ts';

const minuteMs = 60_000;

export type Incident = Omit<CountWithTimes, 'ended'> & {
  /** Names of the workflows that began to fail together, at least two. */
  readonly workflows: readonly string[];
  /** They began to fail within this time. */
  readonly withinMs: number;
  /** Probability that chance makes as many begin together anywhere in the window, over all causes looked at. */
  readonly chance: number;
};

/** Runs of each workflow per millisecond, by name; some may be missing. */
export type RunRates = ReadonlyMap<string, number>;

/** @param workflows with their runs of all time */
export function runRatesOf(
  workflows: readonly {
    readonly name: string;
    readonly registeredAt: string;
    readonly executedAt: string | null;
    readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
  }[],
): RunRates {
  const rates = new Map<string, number>();
  for (const { name, registeredAt, executedAt, executionCountByStatus: counts } of workflows) {
    const lifeMs = Date.parse(executedAt ?? '') - Date.parse(registeredAt);
    if (counts === null || !(lifeMs > 0)) continue;
    const rate = (counts.success + counts.failure) / Math.max(60 * minuteMs, lifeMs);
    rates.set(name, (rates.get(name) ?? 0) + rate);
  }
  return rates;
}

export type IncidentFacts = {
  /** Slots of the window, and of the window before; 0 if that is not known. */
  readonly slots: FailureTally['slots'];
  readonly slotsBefore: number;
  /** The same cause in the window before. */
  readonly before: CauseTally | undefined;
  readonly runRates: RunRates;
  /** Number of causes that may be incidents. */
  readonly causes: number;
};

/** More chance than this is coincidence. */
const chanceMax = 0.01;
/** A workflow begins to fail if it did not fail of the cause for so long. */
const quietMs = 60 * minuteMs;
/** Each is tried: workflows on slow schedules meet an outage later. */
const withinsMs = [10 * minuteMs, 20 * minuteMs, 60 * minuteMs];
/** For a workflow whose rate is not known. */
const hourly = 1 / (60 * minuteMs);

type Member = {
  readonly name: string;
  /** Slots in which it failed, from the beginning of the window before, in order. */
  readonly failed: readonly number[];
  /** Those in which it began to fail. */
  readonly began: readonly number[];
  /** Runs in a slot, at most 1. */
  readonly runs: number;
};

/** Only failures through the platform's fault have slots. Failures without an error text have nothing in common but that. */
export function mayBeIncident({ sample, workflows, slots }: CauseTally): boolean {
  return slots.size > 0 && sample.errors.length > 0 && workflows.size > 1;
}

/** @returns the period in which most workflows began to fail together; null if chance explains it */
export function incidentOf(tally: CauseTally, facts: IncidentFacts): Incident | null {
  if (!mayBeIncident(tally)) return null;
  const { slots, slotsBefore } = facts;
  const members = membersOf(tally, facts);
  const quiet = Math.ceil(quietMs / slots.ms);
  const scales = [...new Set(withinsMs.map((ms) => Math.max(1, Math.round(ms / slots.ms))))].filter((s) => s <= quiet);
  const tries = scales.length * facts.causes;
  const found = scales.flatMap((scale) => {
    const start = densest(members, scale, slotsBefore);
    if (start === null) return [];
    const judged = judge(members, { from: start, to: start + scale }, facts);
    return judged.together.length > 1 ? [{ ...judged, start, scale, chance: Math.min(1, judged.chance * tries) }] : [];
  });
  const [best] = found
    .filter(({ chance }) => chance <= chanceMax)
    .sort((one, other) => other.together.length - one.together.length || one.chance - other.chance);
  if (best === undefined) return null;
  const end = Math.max(...best.together.map(({ failed }) => endOf(failed, best.start, quiet)));
  const counted = countBetween(tally, best.start - slotsBefore, end - slotsBefore);
  if (counted === null) return null;
  const { chance, scale } = best;
  return { ...counted, workflows: best.together.map(({ name }) => name), withinMs: scale * slots.ms, chance };
}

export type Meeting = { readonly expected: number; readonly isChance: boolean };

/**
 * The same test for one span, around a known failure.
 * @param failedAt of each other workflow that failed of the cause: its failures in the time before the span, epoch milliseconds
 * @param together number of them that failed in the span
 * @param spans number of spans in the time before
 */
export function judgeMeeting(failedAt: readonly (readonly number[])[], together: number, spans: number): Meeting {
  const rates = failedAt.map((times) => {
    const inOrder = times.toSorted((one, other) => one - other);
    const began = inOrder.filter((at, index) => at - (inOrder[index - 1] ?? Number.NEGATIVE_INFINITY) > quietMs);
    return Math.min(1, (began.length + 0.5) / (spans + 1));
  });
  const expected = rates.reduce((sum, rate) => sum + rate, 0);
  return { expected, isChance: chanceOfAtLeast(together, rates.length, expected / rates.length) > chanceMax };
}

/** Every workflow that failed of the cause in the window or in the one before. */
function membersOf({ workflows }: CauseTally, { slots, slotsBefore, before, runRates }: IncidentFacts) {
  const quiet = Math.ceil(quietMs / slots.ms);
  const earlier = slotsBefore > 0 ? before?.workflows : undefined;
  const names = new Set([...workflows.keys(), ...(earlier?.keys() ?? [])]);
  return [...names].map((name): Member => {
    const failed = [
      ...slotNumbers(earlier?.get(name)?.slots ?? 0n),
      ...slotNumbers(workflows.get(name)?.slots ?? 0n).map((slot) => slot + slotsBefore),
    ];
    // It is not known if it had failed before the first slots.
    const began = failed.filter((slot, index) => slot - (failed[index - 1] ?? -1) > quiet);
    return { name, failed, began, runs: Math.min(1, (runRates.get(name) ?? hourly) * slots.ms) };
  });
}

/** @returns the first slot of the span of `scale` slots, in the window, in which most workflows began; null if none began */
function densest(members: readonly Member[], scale: number, from: number): number | null {
  const began = members.flatMap((member) => member.began.filter((slot) => slot >= from)).sort((a, b) => a - b);
  let [most, start, left]: [number, number | null, number] = [0, null, 0];
  for (const [right, slot] of began.entries()) {
    while (slot - (began[left] ?? slot) >= scale) left += 1;
    if (right - left + 1 > most) [most, start] = [right - left + 1, began[left] ?? slot];
  }
  return start;
}

/**
 * A workflow's own rate comes from how often it began to fail outside of the span, out of as many slots as it may have run in. The
 * probability of as many or more is that of equal rates, which is never smaller (Hoeffding, 1956), for each span of the window.
 */
function judge(
  members: readonly Member[],
  { from, to }: { readonly from: number; readonly to: number },
  { slots, slotsBefore }: IncidentFacts,
) {
  const isIn = (slot: number) => slot >= from && slot < to;
  const together = members
    .filter(({ began }) => began.some(isIn))
    .sort((one, other) => (one.began.find(isIn) ?? 0) - (other.began.find(isIn) ?? 0));
  const rates = members.map(({ began, runs }) => {
    const elsewhere = began.filter((slot) => !isIn(slot)).length;
    const eachRun = Math.min(1, (elsewhere + 0.5) / ((slotsBefore + slots.count) * runs + 1));
    return 1 - (1 - eachRun) ** Math.max(1, (to - from) * runs);
  });
  const expected = rates.reduce((sum, rate) => sum + rate, 0);
  const spans = Math.max(1, slots.count * Math.max(...together.map(({ runs }) => runs)));
  const chance = spans * chanceOfAtLeast(together.length, members.length, expected / members.length);
  return { together, chance };
}

/** @returns the slot after which it did not fail for long, of the failures from a slot on */
function endOf(failed: readonly number[], from: number, quiet: number): number {
  let end = from;
  for (const slot of failed) if (slot >= from && slot - end <= quiet) end = slot;
  return end;
}

/** @returns the failures of the cause in these slots; null if they were not kept */
function countBetween({ slots }: CauseTally, from: number, to: number) {
  const kept = [...slots].flatMap(([slot, counted]) => (slot >= from && slot <= to ? [counted] : []));
  if (kept.length === 0) return null;
  return {
    count: kept.reduce((sum, { count }) => sum + count, 0),
    first: Math.min(...kept.map(({ first }) => first)),
    last: Math.max(...kept.map(({ last }) => last)),
  };
}

/** @returns the set bits, lowest first */
function slotNumbers(bits: bigint): readonly number[] {
  const digits = bits.toString(16);
  const slots: number[] = [];
  for (let at = digits.length - 1; at >= 0; at -= 1) {
    if (digits[at] === '0') continue;
    const [value, base] = [Number.parseInt(digits.charAt(at), 16), 4 * (digits.length - 1 - at)];
    for (let bit = 0; bit < 4; bit += 1) if ((value >> bit) & 1) slots.push(base + bit);
  }
  return slots;
}
