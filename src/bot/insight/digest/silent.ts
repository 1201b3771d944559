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
  /** Time from which the gap was unusual, epoch milliseconds. */
  readonly silentAt: number;
};

/** A silent workflow with the facts that decide whether it only rests. */
export type MaybeResting = SilentWorkflow & {
  readonly uuid: string;
  /** Time of its last run, epoch milliseconds. */
  readonly ranAt: number;
};

/** A shorter gap is never a silence. */
const gapMinMs = 5 * 60_000;
/** A rest may be this much longer than the last one. */
const restFactor = 1.5;

/** Factor by which a workflow is overdue, measured over its whole life. */
const overdueMin = 2;

/**
 * @returns active workflows that have not run for a while: their newest executions decide whether that is unusual; first those that
 *   are overdue measured over their whole life, the most recent run first
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

/** @param starts of the newest executions by uuid, newest first, epoch milliseconds @returns the most recent run first */
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
    // A workflow that rests every night or weekend usually has such a gap among its newest runs.
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

/** Periods one day or week earlier in which it ran and then rested. */
export type Rest = { readonly ran: Span; readonly rested: Span };

type Silent = {
  /** Time of its last run, epoch milliseconds. */
  readonly ranAt: number;
  readonly usuallyEveryMs: number;
};

/** @param until epoch milliseconds @returns the earlier rests that would explain the silence up to then; one is enough */
export function restsLike({ ranAt, usuallyEveryMs }: Silent, until: number): readonly Rest[] {
  // A mean has fractions; services take whole milliseconds.
  const gapMs = Math.round(usuallyEveryMs);
  const periods = periodsMs.filter((periodMs) => until - ranAt < periodMs);
  const rests = periods.map((periodMs) => {
    const [start, end] = [ranAt - periodMs, until - periodMs];
    // Runs do not start on the second.
    return { ran: { from: start - 4 * gapMs, to: start + gapMs }, rested: { from: start + gapMs, to: end - gapMs } };
  });
  return rests.filter(({ rested }) => rested.from < rested.to);
}

/** @param runsIn number of runs in a period; null if not known */
export function isRest({ ran, rested }: Rest, runsIn: (span: Span) => number | null): boolean {
  return (runsIn(ran) ?? 0) > 0 && runsIn(rested) === 0;
}
