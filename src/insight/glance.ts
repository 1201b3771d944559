/** All workflows at a glance: which failed lately, which are not meant to run, and which are fine. */

type WorkflowLike = { readonly uuid: string; readonly name: string; readonly status: string };
type FailureLike = { readonly workflowName: string; readonly startedAt: string; readonly finishedAt: string | null };

export type Failing<Workflow> = {
  /** Null where a failure names a workflow that is not in the list, or that shares its name with another. */
  readonly workflow: Workflow | null;
  readonly name: string;
  readonly count: number;
  /** Start of the newest, epoch milliseconds. */
  readonly lastAt: number;
  /** Whether it has run again since; null where nobody can say. */
  readonly hasRunSince: boolean | null;
};

export type Glance<Workflow> = {
  /** First those whose newest run failed, and most failures first. */
  readonly failing: readonly Failing<Workflow>[];
  /** Their deployment is not active, and none of them failed. */
  readonly inactive: readonly Workflow[];
  readonly fine: readonly Workflow[];
};

/**
 * @param failures of a window; what did not fail in it is fine
 * @param executedAt when a workflow ran last, by its uuid, epoch milliseconds; of some it may not be known
 */
export function glanceAt<Workflow extends WorkflowLike>(
  workflows: readonly Workflow[],
  failures: readonly FailureLike[],
  executedAt: ReadonlyMap<string, number>,
): Glance<Workflow> {
  const named = Map.groupBy(workflows, ({ name }) => name);
  const failing = [...Map.groupBy(failures, ({ workflowName }) => workflowName)].map(([name, failed]) => {
    const [only, other] = named.get(name) ?? [];
    const workflow = only && !other ? only : null;
    return { workflow, name, count: failed.length, ...lastOf(failed, workflow && executedAt.get(workflow.uuid)) };
  });
  const failed = new Set(failing.map(({ name }) => name));
  const others = workflows
    .filter(({ name }) => !failed.has(name))
    .sort((one, other) => one.name.localeCompare(other.name));
  return {
    failing: failing.sort(
      (one, other) => urgency(one) - urgency(other) || other.count - one.count || other.lastAt - one.lastAt,
    ),
    inactive: others.filter(({ status }) => status !== 'ACTIVE'),
    fine: others.filter(({ status }) => status === 'ACTIVE'),
  };
}

/** A service may tell of a run's start or of its end. */
function lastOf(failed: readonly FailureLike[], executedAt: number | null | undefined) {
  const lastAt = Math.max(...failed.map(({ startedAt }) => Date.parse(startedAt)));
  const endedAt = Math.max(...failed.map(({ startedAt, finishedAt }) => Date.parse(finishedAt ?? startedAt)));
  return { lastAt, hasRunSince: executedAt === null || executedAt === undefined ? null : executedAt > endedAt };
}

function urgency({ hasRunSince }: Pick<Failing<unknown>, 'hasRunSince'>): number {
  return hasRunSince === null ? 1 : Number(hasRunSince) * 2;
}
