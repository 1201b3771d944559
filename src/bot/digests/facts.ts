/** Gathers every fact of a digest in as few round trips as possible. */

import { runCooperatively } from '../../shared/time/cooperative.ts';
import { failingWorkflows, goneCauses, type JudgedCause, judgeCauses } from '../insight/digest/causes.ts';
import { countsWithin, reconcile } from '../insight/digest/reconcile.ts';
import { timelineOf } from '../insight/executions/timeline.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Workflow } from '../query/results.ts';
import type { DigestFacts, DigestFrame, ShownCause } from '../views/digest/facts.ts';
import { askDeployments } from './ask-deployments.ts';
import { type ReadFailures, readFailures, type TimeSpan } from './ask-failures.ts';
import { type Activity, askActivity, askSilent, askUsage, type Usage, within } from './ask-workflows.ts';
import { asked, type Part } from './asked.ts';

/** Each has a reply of its own; of more there would be no end to the thread. */
const shownMax = 8;

/** @param now epoch milliseconds @throws AppError where the failures cannot be read, or the key is refused */
export async function gatherFacts(
  ask: QueryClient,
  frame: DigestFrame,
  now: number,
  signal: AbortSignal,
): Promise<DigestFacts> {
  const { about, window } = frame;
  const windowBefore = { from: window.from - (window.to - window.from), to: window.from };
  const [failures, before, listed] = await Promise.all([
    readFailures(ask, about, window, signal),
    failuresBefore(ask, frame, windowBefore, signal),
    asked(ask.everyWorkflow(), 'the list of workflows'),
  ]);
  const workflows = listed.data && within(about, listed.data);
  const standing = workflows?.filter(isStanding) ?? null;
  // Of a list in parts nobody can say what is not in it.
  const isWhole = listed.missing.length === 0;
  const activity = await askActivity(ask, about, isWhole ? workflows : null, [window, windowBefore]);
  const known = isBeforeKnown(before, activity, windowBefore) ? (before.data?.tally ?? null) : null;
  const causes = judgeCauses(failures.tally, known);
  const failing = failingWorkflows(failures.tally, causes, workflows ?? []);
  const [silent, deployments, usage, shown] = await Promise.all([
    askSilent(ask, standing, window, now),
    askDeployments(ask, failing, window, before.data?.tally.workflows ?? null),
    askUsage(ask, workflows, window, [
      ...failing.slice(0, shownMax).map(({ name }) => name),
      ...(before.data?.tally.workflows.keys() ?? []),
    ]),
    askShown(ask, causes.slice(0, shownMax), now),
  ]);
  const parts = [before, listed, activity, silent, deployments, usage, shown];
  return {
    ...frame,
    known: workflows ?? [],
    ...countsOf(failures, before, activity, [window, windowBefore]),
    workflowCount: isWhole && standing !== null ? standing.length : null,
    goneWorkflows: isWhole && about.kind === 'chosen' && standing !== null ? about.uuids.length - standing.length : 0,
    causes,
    shown: shown.data ?? [],
    failing,
    successes: usage.successes,
    gone: goneSince(failures, before, workflows, usage),
    silent: silent.data ?? [],
    deployments: deployments.data ?? [],
    creditUsed: isWhole ? usage.creditUsed : null,
    reconciliation: reconcile(window, failures.tally.startsByDay, activity.days),
    missing: [...new Set(parts.flatMap(({ missing }) => missing))],
  };
}

function isStanding({ status }: Workflow): boolean {
  return status !== 'DELETED';
}

function failuresBefore(
  ask: QueryClient,
  { about }: DigestFrame,
  span: TimeSpan,
  signal: AbortSignal,
): Promise<Part<ReadFailures>> {
  const read = readFailures(ask, about, span, signal).then((data) => ({
    data,
    provenance: { source: 'live' as const, asOf: span.to, missing: [] },
  }));
  return asked(read, 'the failures of the window before');
}

/** A cause that could not be read may be any. */
function goneSince(
  { tally, unreadable }: ReadFailures,
  { data: before }: Part<ReadFailures>,
  workflows: readonly Workflow[] | null,
  { successes }: Usage,
) {
  if (before === null || workflows === null || unreadable > 0) return null;
  return goneCauses(tally, before.tally, { ranAt: lastRuns(workflows), successes });
}

/** Where nothing ran before, or not all of it could be read, nothing that fails now can be called new. */
function isBeforeKnown(before: Part<ReadFailures>, activity: Activity, span: TimeSpan): boolean {
  if ((before.data?.unreadable ?? 0) > 0) return false;
  return (before.data?.tally.count ?? 0) > 0 || (countsWithin(span, activity.before)?.success ?? 0) > 0;
}

function countsOf(
  { tally, unreadable }: ReadFailures,
  before: Part<ReadFailures>,
  activity: Activity,
  [window, windowBefore]: readonly [TimeSpan, TimeSpan],
) {
  const told = countsWithin(window, activity.days);
  return {
    failureCount: tally.count,
    lumped: tally.lumped,
    unreadable,
    successCount: told?.success ?? null,
    failuresNotRead: Math.max(0, (told?.failure ?? 0) - tally.started),
    failuresBefore: before.data?.tally.count ?? null,
    successesBefore: countsWithin(windowBefore, activity.before)?.success ?? null,
  };
}

/** By name; of two that share one and stand, the one that ran first: a failure may be of either. */
function lastRuns(workflows: readonly Workflow[]): ReadonlyMap<string, number> {
  const ranAt = new Map<string, number>();
  for (const { name, executedAt } of workflows.filter(isStanding)) {
    const at = Date.parse(executedAt ?? '') || 0;
    ranAt.set(name, Math.min(at, ranAt.get(name) ?? at));
  }
  return ranAt;
}

/** Where the sample of each failed. */
async function askShown(
  ask: QueryClient,
  causes: readonly JudgedCause[],
  now: number,
): Promise<Part<readonly ShownCause[]>> {
  const shown = await Promise.all(
    causes.map(async (cause) => {
      const { data, missing } = await asked(ask.executionEvents(cause.sample.uuid), 'the steps of some executions');
      const { execution, events = null } = data ?? {};
      const failing =
        execution && events ? (await runCooperatively(timelineOf({ execution, events, now }))).failing : null;
      return { data: { ...cause, failing }, missing };
    }),
  );
  return { data: shown.map(({ data }) => data), missing: shown.flatMap(({ missing }) => missing) };
}
