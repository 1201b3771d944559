/** Workflows that stopped without a failure, apart from those that rest at this time of the week. */
import { findSilence, overdueFactor, type Silence, silentAfterMs } from '../health/health.ts';

type WorkflowLike = {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
  readonly executedAt: string | null;
};

type WithLifetime = WorkflowLike & {
  readonly registeredAt: string;
  readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
};

export type SilentWorkflow = Silence & {
  readonly name: string;
  /** From when on that was no usual gap, epoch milliseconds: before it that was not known. */
  readonly silentAt: number;
};

/** With what tells whether that is a rest. */
export type MaybeResting = SilentWorkflow & {
  readonly uuid: string;
  /** When it ran last, epoch milliseconds. */
  readonly ranAt: number;
};

/** Shorter than this is no silence for anybody. */
const gapMinMs = 5 * 60_000;
/** A rest may be somewhat longer than the last one. */
const restFactor = 1.5;

/** As many times overdue, by its whole life. */
const overdueMin = 2;

/**
 * @returns those meant to run that have not for a while: their newest executions tell whether that is usual; first those that
 *   are overdue by their whole life, and of them the one that ran last
 */
export function maybeSilent<Workflow extends WithLifetime>(
  workflows: readonly Workflow[],
  now: number,
): readonly Workflow[] {
  const dated = workflows.map((workflow) => {
    const { registeredAt, executedAt: at, executionCountByStatus: counts } = workflow;
    const executedAt = Date.parse(at ?? '');
    const total = counts && counts.success + counts.failure;
    const factor = overdueFactor({ registeredAt: Date.parse(registeredAt), executedAt, total, now });
    return { workflow, executedAt, isOverdue: factor >= overdueMin };
  });
  return dated
    .filter(({ workflow, executedAt }) => workflow.status === 'ACTIVE' && executedAt < now - gapMinMs)
    .sort((one, other) => Number(other.isOverdue) - Number(one.isOverdue) || other.executedAt - one.executedAt)
    .map(({ workflow }) => workflow);
}

/** @param starts of the newest executions by uuid, newest first, epoch milliseconds @returns the one that ran last first */
export function silentWorkflows(
  workflows: readonly WorkflowLike[],
  starts: ReadonlyMap<string, readonly number[]>,
  now: number,
): readonly MaybeResting[] {
  const silent = workflows.flatMap(({ uuid, name }) => {
    const known = starts.get(uuid) ?? [];
    const [ranAt] = known;
    if (ranAt === undefined) return [];
    const silence = findSilence({ executedAt: ranAt, starts: known, now });
    if (silence === null) return [];
    // What rests every night or weekend has such a gap among its newest runs, as a rule.
    const afterMs = Math.max(silentAfterMs(silence.usuallyEveryMs), restFactor * longestGap(known));
    return silence.forMs > afterMs ? [{ uuid, name, ranAt, silentAt: ranAt + afterMs, ...silence }] : [];
  });
  return silent.sort((one, other) => one.forMs - other.forMs);
}

function longestGap(starts: readonly number[]): number {
  return Math.max(0, ...starts.slice(1).map((start, index) => (starts[index] ?? start) - start));
}

const dayMs = 86_400_000;
const periodsMs = [dayMs, 7 * dayMs];

type Span = { readonly from: number; readonly to: number };

/** A stretch of time, an earlier day or week: that it was at work then, and rested after that. */
export type Rest = { readonly ran: Span; readonly rested: Span };

type Silent = {
  /** When it ran last, epoch milliseconds. */
  readonly ranAt: number;
  readonly usuallyEveryMs: number;
};

/** @param until epoch milliseconds @returns what would make it a rest, up to then, that it has not run; any of them does */
export function restsLike({ ranAt, usuallyEveryMs }: Silent, until: number): readonly Rest[] {
  // A mean has fractions, and no service counts from one.
  const gapMs = Math.round(usuallyEveryMs);
  const periods = periodsMs.filter((periodMs) => until - ranAt < periodMs);
  const rests = periods.map((periodMs) => {
    const [start, end] = [ranAt - periodMs, until - periodMs];
    // No run comes to the second.
    return { ran: { from: start - 4 * gapMs, to: start + gapMs }, rested: { from: start + gapMs, to: end - gapMs } };
  });
  return rests.filter(({ rested }) => rested.from < rested.to);
}

/** @param runsIn how many runs there were; null where that is not known */
export function isRest({ ran, rested }: Rest, runsIn: (span: Span) => number | null): boolean {
  return (runsIn(ran) ?? 0) > 0 && runsIn(rested) === 0;
}
