/** Counts failures by cause and by workflow as they stream in. Memory does not grow with their number. */
import { safeBeginning, safeEnds } from '../../../shared/redaction/redact.ts';
import { midnight } from '../../domain/point-in-time.ts';
import { type Cause, causeOf, type FailedExecution, isOfPlatform, type ReportedError } from '../causes/cause.ts';
import { createReadings } from '../causes/normalize-error.ts';
import type { ZonedWindow } from './reconcile.ts';

export type CountWithTimes = {
  readonly count: number;
  /** Start of the first and the last, epoch milliseconds. */
  readonly first: number;
  readonly last: number;
  /** Latest end, epoch milliseconds. */
  readonly ended: number;
};

export type EndedFailure = FailedExecution & {
  readonly uuid: string;
  /** Null if the service does not say; then the start counts. */
  readonly finishedAt: string | null;
};

/** A sample of the newest failure of a cause. */
type FailureSample = {
  readonly uuid: string;
  readonly workflowName: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The first few; a long one keeps its beginning and its end. */
  readonly errors: readonly ReportedError[];
};

export type CauseTally = CountWithTimes & {
  readonly cause: Cause;
  readonly sample: FailureSample;
  /** Keyed by name, with one bit for each slot of the window in which a failure through the platform's fault ended. */
  readonly workflows: ReadonlyMap<string, CountWithTimes & { readonly slots: bigint }>;
  /** Failures through the platform's fault by the slot of the window in which they ended, from 0. */
  readonly slots: ReadonlyMap<number, CountWithTimes>;
};

export type FailureTally = {
  /** Failures that ended in the window. */
  readonly count: number;
  /** Keyed by fingerprint. */
  readonly causes: ReadonlyMap<string, CauseTally>;
  /** Keyed by name. */
  readonly workflows: ReadonlyMap<string, CountWithTimes>;
  /** Failures that started in the window, whenever they ended: services count them this way. */
  readonly started: number;
  /** Number of failures that started on each day of the zone, by its first millisecond, whenever they ended. */
  readonly startsByDay: ReadonlyMap<number, number>;
  /** Failures that are only counted because there are too many causes or workflows to keep them apart. */
  readonly onlyCounted: number;
  /** The window in slots: five minutes each, longer in a window of more than a week. */
  readonly slots: { readonly ms: number; readonly count: number };
};

export type Tally = { readonly add: (failure: EndedFailure) => void; readonly result: () => FailureTally };

/** Far more than a digest shows; the limit matters for a service whose errors have nothing in common. */
const tallyLimits = { causesMax: 2000, workflowsMax: 10_000, pairsMax: 20_000 } as const;

const slotMinMs = 300_000;
/** A week of slots. */
const slotsMax = 2016;
/** Limit for all causes together; further ones are not kept, and their causes are no incidents. */
const causeSlotsMax = 50_000;
const errorsMax = 3;
const errorUnitsMax = 3000;
const nameUnitsMax = 300;

type MutableCount = { -readonly [Key in keyof CountWithTimes]: CountWithTimes[Key] };
type Times = { readonly startedAt: number; readonly endedAt: number; readonly slot: number };
type MutableCauseTally = MutableCount & {
  cause: Cause;
  sample: FailureSample;
  readonly workflows: Map<string, MutableCount & { slots: bigint }>;
  readonly slots: Map<number, MutableCount>;
};

/**
 * A failure belongs to the window in which it ended: one that still ran when a digest was made is counted in the next digest, and
 * none is counted twice.
 */
export function createTally(
  window: ZonedWindow,
  limits: { readonly causesMax: number; readonly workflowsMax: number; readonly pairsMax: number } = tallyLimits,
): Tally {
  const causes = new Map<string, MutableCauseTally>();
  const workflows = new Map<string, MutableCount>();
  const startsByDay = new Map<number, number>();
  const slots = slotsInWindow(window);
  const readings = createReadings();
  let [count, started, onlyCounted, pairs, causeSlots] = [0, 0, 0, 0, 0];
  /** @returns false if there are too many to keep it apart */
  const addCause = (failure: EndedFailure, times: Times): boolean => {
    const group = addToCause(causes, failure, { ...times, cause: causeOf(failure, readings) }, limits.causesMax);
    const name = nameOf(failure);
    const within = group?.workflows.get(name);
    if (group === undefined || (within === undefined && pairs >= limits.pairsMax)) return false;
    if (within === undefined) pairs += 1;
    const own = addTimes(within ?? { ...nothing, slots: 0n }, times);
    group.workflows.set(name, own);
    if (!isOfPlatform(failure)) return true;
    own.slots |= 1n << BigInt(times.slot);
    const known = group.slots.get(times.slot);
    if (known === undefined && causeSlots >= causeSlotsMax) return true;
    if (known === undefined) causeSlots += 1;
    group.slots.set(times.slot, addTimes(known ?? { ...nothing }, times));
    return true;
  };
  const addWorkflow = (failure: EndedFailure, times: Times): boolean => {
    const name = nameOf(failure);
    const known = workflows.get(name);
    if (known === undefined && workflows.size >= limits.workflowsMax) return false;
    workflows.set(name, addTimes(known ?? { ...nothing }, times));
    return true;
  };
  return {
    add: (failure) => {
      const startedAt = Date.parse(failure.startedAt);
      const day = midnight(startedAt, window.zone);
      startsByDay.set(day, (startsByDay.get(day) ?? 0) + 1);
      if (startedAt >= window.from && startedAt < window.to) started += 1;
      const endedAt = Math.max(startedAt, Date.parse(failure.finishedAt ?? failure.startedAt));
      if (endedAt < window.from || endedAt >= window.to) return;
      count += 1;
      const times = { startedAt, endedAt, slot: Math.floor((endedAt - window.from) / slots.ms) };
      const isApart = [addCause(failure, times), addWorkflow(failure, times)];
      if (isApart.includes(false)) onlyCounted += 1;
    },
    result: () => ({ count, causes, workflows, started, startsByDay, onlyCounted, slots }),
  };
}

function slotsInWindow({ from, to }: { readonly from: number; readonly to: number }): FailureTally['slots'] {
  const ms = Math.max(slotMinMs, Math.ceil((to - from) / slotsMax));
  return { ms, count: Math.ceil((to - from) / ms) };
}

const nothing: MutableCount = {
  count: 0,
  first: Number.POSITIVE_INFINITY,
  last: Number.NEGATIVE_INFINITY,
  ended: Number.NEGATIVE_INFINITY,
};

/** @returns undefined if there are too many */
function addToCause(
  causes: Map<string, MutableCauseTally>,
  failure: EndedFailure,
  { cause, ...times }: Times & { readonly cause: Cause },
  max: number,
): MutableCauseTally | undefined {
  const { startedAt } = times;
  const known = causes.get(cause.fingerprint);
  if (known === undefined && causes.size >= max) return undefined;
  const sample = known === undefined || startedAt > known.last ? sampleOf(failure, startedAt) : known.sample;
  const group = known ?? { cause, sample, workflows: new Map(), slots: new Map(), ...nothing };
  if (sample !== group.sample) [group.cause, group.sample] = [cause, sample];
  causes.set(cause.fingerprint, addTimes(group, times));
  return group;
}

function addTimes<Group extends MutableCount>(group: Group, { startedAt, endedAt }: Times): Group {
  group.count += 1;
  group.first = Math.min(group.first, startedAt);
  group.last = Math.max(group.last, startedAt);
  group.ended = Math.max(group.ended, endedAt);
  return group;
}

function nameOf({ workflowName }: EndedFailure): string {
  return workflowName.length <= nameUnitsMax ? workflowName : ownCopy(safeBeginning(workflowName, nameUnitsMax));
}

function sampleOf(failure: EndedFailure, startedAt: number): FailureSample {
  const errors = (failure.errors ?? []).slice(0, errorsMax);
  return {
    uuid: failure.uuid,
    workflowName: nameOf(failure),
    startedAt,
    errors: errors.map(({ error, count }) => ({ error: bothEnds(error), count })),
  };
}

function bothEnds(error: string): string {
  if (error.length <= errorUnitsMax) return error;
  return ownCopy(safeEnds(error, errorUnitsMax / 3, (errorUnitsMax * 2) / 3));
}

/** Copies the text: a slice keeps the whole text in memory. */
function ownCopy(text: string): string {
  return String(JSON.parse(JSON.stringify(text.toWellFormed())));
}
