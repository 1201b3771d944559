/** Judges the health of a workflow from its counts and its newest executions. */

export type Counts = { readonly total: number; readonly success: number; readonly failure: number };

type ExecutionLike = { readonly status: string; readonly startedAt: string };

export type HealthFacts = {
  /** The deployment's status as the service spells it. */
  readonly deploymentStatus: string;
  /** Epoch milliseconds of the latest execution; null when there was none. */
  readonly executedAt: number | null;
  /** Null where the service could not say. */
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  /** Newest first; null where the service could not say. */
  readonly newestExecutions: readonly ExecutionLike[] | null;
  readonly windowMs: number;
  /** Whether the window is over: then it is judged by its counts alone. */
  readonly isPast: boolean;
  readonly now: number;
};

export type HealthState =
  /** Its newest finished executions failed, two or more in a row, and the window goes on; or every one in the window. */
  | 'failing'
  /** Some executions in the window failed, and newer ones succeeded. */
  | 'unstable'
  | 'healthy'
  /** No execution in the window, though there were some before. */
  | 'idle'
  | 'never_run'
  /** Its deployment is not active; `deploymentStatus` says how. */
  | 'inactive'
  | 'unknown';

export type Health = {
  readonly state: HealthState;
  /** Set when it ran regularly and has stopped. */
  readonly silence: Silence | null;
  /** Whether its newest finished executions failed, two or more in a row, whatever the window. */
  readonly isFailingNow: boolean;
};

/** Deployment statuses that mean it is not meant to run. PENDING is not among them: it has two meanings in the field. */
const inactiveStatuses = ['PAUSED', 'DELETED', 'FAILED'];

/** One failure may be an accident. */
const failingMin = 2;
export function judgeHealth(facts: HealthFacts): Health {
  if (inactiveStatuses.includes(facts.deploymentStatus))
    return { state: 'inactive', silence: null, isFailingNow: false };
  const isFailingNow = failuresInARow(facts.newestExecutions ?? []) >= failingMin;
  return { state: judgeState(facts, isFailingNow), silence: silenceOf(facts), isFailingNow };
}

function judgeState({ counts, executedAt, isPast }: HealthFacts, isFailingNow: boolean): HealthState {
  if (counts === null) return 'unknown';
  if (counts.total === 0) return executedAt === null ? 'never_run' : 'idle';
  if (counts.failure === 0) return 'healthy';
  if (counts.success === 0) return 'failing';
  return isFailingNow && !isPast ? 'failing' : 'unstable';
}

/** How many of the newest finished executions failed before one succeeded; unfinished ones are passed over. */
export function failuresInARow(newestExecutions: readonly ExecutionLike[]): number {
  const finished = newestExecutions.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE');
  const firstSuccess = finished.findIndex(({ status }) => status === 'SUCCESS');
  return firstSuccess < 0 ? finished.length : firstSuccess;
}

function silenceOf({ executedAt, newestExecutions, countsBefore, windowMs, now }: HealthFacts): Silence | null {
  const starts = newestExecutions?.map(({ startedAt }) => Date.parse(startedAt)) ?? null;
  const before = countsBefore && { total: countsBefore.total, windowMs };
  return findSilence({ executedAt, starts, before, now });
}

export type Silence = {
  /** How long ago its last execution was. */
  readonly forMs: number;
  /** How often they used to come. */
  readonly usuallyEveryMs: number;
};

export type SilenceFacts = {
  /** Epoch milliseconds of the latest execution; null when there was none. */
  readonly executedAt: number | null;
  /** When its newest executions started, newest first, epoch milliseconds; null where that is not known. */
  readonly starts: readonly number[] | null;
  /** How many there were in a window of some length, for where the newest do not say. */
  readonly before?: { readonly total: number; readonly windowMs: number } | null;
  readonly now: number;
};

/** Fewer executions than this say nothing about how often they come; of more, the newest count. */
const regularCount = 5;
/** A gap this many times the usual one is silence, unless it is shorter than five minutes. */
const silentGapFactor = 4;
const silentGapMinMs = 5 * 60_000;

export function findSilence(facts: SilenceFacts): Silence | null {
  if (facts.executedAt === null) return null;
  const usuallyEveryMs = usualGap(facts);
  if (usuallyEveryMs === null) return null;
  const forMs = facts.now - facts.executedAt;
  return forMs > silentAfterMs(usuallyEveryMs) ? { forMs, usuallyEveryMs } : null;
}

/** @returns how long after its last execution a workflow is silent, and no sooner */
export function silentAfterMs(usuallyEveryMs: number): number {
  return Math.max(silentGapMinMs, silentGapFactor * usuallyEveryMs);
}

/** The usual gap comes from the newest executions themselves, or from the count of the window before. */
function usualGap({ starts, before }: SilenceFacts): number | null {
  const newest = starts?.slice(0, regularCount) ?? [];
  const [last, first] = [newest[0], newest.at(-1)];
  if (last !== undefined && first !== undefined && newest.length >= regularCount && last > first) {
    return (last - first) / (newest.length - 1);
  }
  return before && before.total >= regularCount ? before.windowMs / before.total : null;
}

type Lifetime = {
  /** Epoch milliseconds. */
  readonly registeredAt: number;
  readonly executedAt: number | null;
  /** Of its executions; null where that is not known. */
  readonly total: number | null;
  readonly now: number;
};

/**
 * @returns how many times as long as usual it has not run, by its whole life: worth asking for its newest executions from
 *   2 on; infinite where its life does not say; 0 where it cannot be silent
 */
export function overdueFactor({ registeredAt, executedAt, total, now }: Lifetime): number {
  if (executedAt === null || now - executedAt <= silentGapMinMs || (total !== null && total < regularCount)) return 0;
  const everyMs = total === null ? 0 : (executedAt - registeredAt) / total;
  return everyMs > 0 ? (now - executedAt) / everyMs : Number.POSITIVE_INFINITY;
}
