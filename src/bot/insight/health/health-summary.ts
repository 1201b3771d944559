/** Sorts all workflows by health: failing, silent, inactive, fine. */
import type { NeverRan } from './never-ran.ts';
import type { Silence } from './silence.ts';

type WorkflowLike = { readonly uuid: string; readonly name: string; readonly status: string };
type FailureLike = { readonly workflowName: string; readonly startedAt: string; readonly finishedAt: string | null };

export type Failing<Workflow> = {
  /** Null if the workflow is not in the list, or shares its name with another. */
  readonly workflow: Workflow | null;
  readonly name: string;
  readonly count: number;
  /** Start of the newest, epoch milliseconds. */
  readonly lastAt: number;
  /** True if it failed within the last hour or in its newest run; null if its newest run is not known. */
  readonly isFailingNow: boolean | null;
};

export type HealthSummary<Workflow> = {
  /** First those that fail now, and most failures first. */
  readonly failing: readonly Failing<Workflow>[];
  /** Their next run is overdue, and none of them failed; the longest silent first. */
  readonly silent: readonly { readonly workflow: Workflow; readonly silence: Silence }[];
  /** They are active and should have run by now. */
  readonly neverRan: readonly { readonly workflow: Workflow; readonly overdue: NeverRan }[];
  /** Their deployment is not active, and none of them failed. */
  readonly inactive: readonly Workflow[];
  readonly fine: readonly Workflow[];
};

type SummaryFacts<Workflow> = {
  readonly workflows: readonly Workflow[];
  /** Failures of a window; other workflows are fine. */
  readonly failures: readonly FailureLike[];
  /** Last run by workflow uuid, epoch milliseconds; some may be missing. */
  readonly executedAt: ReadonlyMap<string, number>;
  readonly now: number;
};

export function summarizeHealth<Workflow extends WorkflowLike>(facts: SummaryFacts<Workflow>): HealthSummary<Workflow> {
  const { workflows, failures } = facts;
  const named = Map.groupBy(workflows, ({ name }) => name);
  const failing = [...Map.groupBy(failures, ({ workflowName }) => workflowName)].map(([name, failed]) => {
    const [only, other] = named.get(name) ?? [];
    const workflow = only && !other ? only : null;
    return { workflow, name, count: failed.length, ...lastOf(failed, workflow, facts) };
  });
  const failed = new Set(failing.map(({ name }) => name));
  const others = workflows
    .filter(({ name }) => !failed.has(name))
    .sort((one, other) => one.name.localeCompare(other.name));
  return {
    failing: failing.sort(
      (one, other) => urgency(other) - urgency(one) || other.count - one.count || other.lastAt - one.lastAt,
    ),
    silent: [],
    neverRan: [],
    inactive: others.filter(({ status }) => status !== 'ACTIVE'),
    fine: others.filter(({ status }) => status === 'ACTIVE'),
  };
}

/** @param silences by uuid; a fine workflow with one becomes silent */
export function withSilences<Workflow extends WorkflowLike>(
  glance: HealthSummary<Workflow>,
  silences: ReadonlyMap<string, Silence>,
): HealthSummary<Workflow> {
  const silent = glance.fine.flatMap((workflow) => {
    const silence = silences.get(workflow.uuid);
    return silence ? [{ workflow, silence }] : [];
  });
  return {
    ...glance,
    silent: silent.sort((one, other) => other.silence.forMs - one.silence.forMs),
    fine: glance.fine.filter(({ uuid }) => !silences.has(uuid)),
  };
}

/** @param overdue by uuid: workflows that never ran; they are not fine any more */
export function withNeverRan<Workflow extends WorkflowLike>(
  glance: HealthSummary<Workflow>,
  overdue: ReadonlyMap<string, NeverRan>,
): HealthSummary<Workflow> {
  return {
    ...glance,
    neverRan: glance.fine
      .flatMap((workflow) => {
        const found = overdue.get(workflow.uuid);
        return found ? [{ workflow, overdue: found }] : [];
      })
      .sort((one, other) => one.overdue.since - other.overdue.since),
    fine: glance.fine.filter(({ uuid }) => !overdue.has(uuid)),
  };
}

/** A workflow that fails every other time may have succeeded a moment ago. */
const nowMs = 60 * 60_000;

function lastOf(
  failed: readonly FailureLike[],
  workflow: WorkflowLike | null,
  { executedAt, now }: SummaryFacts<WorkflowLike>,
): Pick<Failing<unknown>, 'lastAt' | 'isFailingNow'> {
  const lastAt = Math.max(...failed.map(({ startedAt }) => Date.parse(startedAt)));
  // Some services report the start of a run, others its end.
  const endedAt = Math.max(...failed.map(({ startedAt, finishedAt }) => Date.parse(finishedAt ?? startedAt)));
  const ranAt = workflow === null ? undefined : executedAt.get(workflow.uuid);
  if (endedAt > now - nowMs) return { lastAt, isFailingNow: true };
  return { lastAt, isFailingNow: ranAt === undefined ? null : ranAt <= endedAt };
}

function urgency({ isFailingNow }: Pick<Failing<unknown>, 'isFailingNow'>): number {
  return isFailingNow === null ? 1 : Number(isFailingNow) * 2;
}
