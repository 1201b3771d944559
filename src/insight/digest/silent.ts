/** Workflows that ran regularly and have stopped. */
import { findSilence, type Silence, silentAfterMs } from '../silence.ts';

type WorkflowLike = {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
  readonly executedAt: string | null;
};

export type SilentWorkflow = Silence & {
  readonly name: string;
  /** From when on that was no usual gap, epoch milliseconds: before it nobody could tell. */
  readonly silentAt: number;
};

/** Shorter than this is no silence for anybody. */
const gapMinMs = 5 * 60_000;
/** A rest may be somewhat longer than the last one. */
const restFactor = 1.5;

/** @returns those meant to run that have not for a while: their newest executions tell whether that is usual; the one that ran last first */
export function maybeSilent<Workflow extends WorkflowLike>(
  workflows: readonly Workflow[],
  now: number,
): readonly Workflow[] {
  const ranAt = ({ executedAt }: WorkflowLike) => Date.parse(executedAt ?? '');
  return workflows
    .filter((workflow) => workflow.status === 'ACTIVE' && ranAt(workflow) < now - gapMinMs)
    .sort((one, other) => ranAt(other) - ranAt(one));
}

/** @param starts of the newest executions by uuid, newest first, epoch milliseconds @returns in the order of the workflows */
export function silentWorkflows(
  workflows: readonly WorkflowLike[],
  starts: ReadonlyMap<string, readonly number[]>,
  now: number,
): readonly SilentWorkflow[] {
  return workflows.flatMap(({ uuid, name }) => {
    const known = starts.get(uuid) ?? [];
    const [ranAt] = known;
    if (ranAt === undefined) return [];
    const silence = findSilence({ executedAt: ranAt, starts: known, now });
    if (silence === null) return [];
    // What rests every night or weekend has such a gap among its newest runs, as a rule.
    const afterMs = Math.max(silentAfterMs(silence.usuallyEveryMs), restFactor * longestGap(known));
    return silence.forMs > afterMs ? [{ name, silentAt: ranAt + afterMs, ...silence }] : [];
  });
}

function longestGap(starts: readonly number[]): number {
  return Math.max(0, ...starts.slice(1).map((start, index) => (starts[index] ?? start) - start));
}
