/** Gathers every fact of a digest in as few round trips as possible. */

import { runCooperatively } from '../../shared/time/cooperative.ts';
import { queryFailedWorkflows } from '../health/failed-workflows.ts';
import { type AgeIn, ageOf } from '../insight/causes/recurrence.ts';
import type { JudgedCause } from '../insight/digest/causes.ts';
import { type FailingWorkflow, failingWorkflows, goneCauses, judgeCauses } from '../insight/digest/causes.ts';
import { runRatesOf } from '../insight/digest/incident.ts';
import { countsWithin, reconcile, type ZonedWindow } from '../insight/digest/reconcile.ts';
import type { FailureTally } from '../insight/digest/tally.ts';
import { consensusOf } from '../insight/executions/consensus.ts';
import { findRootCause, mayHaveRootCause, type RootCause } from '../insight/executions/root-cause.ts';
import { timelineOf } from '../insight/executions/timeline.ts';
import type { Health } from '../insight/health/health.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { ExecutionDetail, LogLine, Workflow } from '../query/results.ts';
import type { DigestFacts, DigestFrame, FailedWorkflows, ShownCause } from '../views/digest/facts.ts';
import { queryWithErrors, type ReadFailures, readFailures } from './failures.ts';
import {
  type Activity,
  type MaybeFact,
  orMissing,
  queryActivity,
  queryDeployments,
  queryNeverRanIn,
  querySilent,
  queryUsage,
  type TimeSpan,
  type Usage,
  windowOf,
  workflowsOf,
} from './queries.ts';

/** Each shown cause has its own reply, so the number is limited. */
const shownMax = 8;

/** @param now epoch milliseconds @throws AppError if the failures cannot be read, or the key is refused */
export async function gatherFacts(
  ask: QueryClient,
  frame: DigestFrame,
  now: number,
  signal: AbortSignal,
): Promise<DigestFacts> {
  const { about, window, zone } = frame;
  const windowBefore = { from: window.from - (window.to - window.from), to: window.from };
  const [read, listed, withErrors] = await Promise.all([
    readFailures(ask, frame, [window, windowBefore], signal),
    orMissing(ask.everyWorkflow(), 'the list of workflows'),
    queryWithErrors(ask, about, window),
  ]);
  const { failures, before } = read;
  const workflows = listed.data && workflowsOf(about, listed.data);
  const existing = workflows?.filter(isNotDeleted) ?? null;
  // An incomplete list does not prove that a workflow is gone.
  const isWhole = listed.missing.length === 0;
  const [activity, failed] = await Promise.all([
    queryActivity(ask, frame, isWhole ? workflows : null, [window, windowBefore]),
    queryFailed(ask, failures.tally, workflows ?? [], { window, now }),
  ]);
  const known = isBeforeKnown(before, activity, windowBefore) ? (before.data?.tally ?? null) : null;
  const { causes, failing } = judged(failures.tally, known, workflows ?? [], failed);
  const [silent, neverRan, deployments, usage, past, shown] = await Promise.all([
    querySilent(ask, existing, window),
    queryNeverRanIn(ask, existing, window),
    queryDeployments(ask, failing, existing ?? [], window),
    queryUsage(ask, workflows, window, importantNames(failing, before)),
    queryUsage(ask, workflows?.filter(({ name }) => before.data?.tally.workflows.has(name)) ?? null, windowBefore, []),
    queryShown(ask, causes.slice(0, shownMax), now),
  ]);
  const asked = [read, before, listed, activity, failed, silent, neverRan, deployments, usage, past, shown, withErrors];
  return {
    ...frame,
    ...countsOf(failures, before, activity, [{ ...window, zone }, windowBefore]),
    ...workflowCounts(frame, failing, isWhole ? existing : null),
    causes,
    ...{ known: workflows ?? [], shown: shown.data ?? [], unchecked: [...silent.unchecked, ...deployments.unchecked] },
    ...{ failing, successes: usage.successes },
    gone: goneSince(failures, before, workflows, [usage, past]),
    withErrors: withErrors.data,
    ...{ silent: silent.data ?? [], neverRan: neverRan.data ?? [] },
    ...{ deployments: deployments.data ?? [], deploymentsNotLookedAt: deployments.notLookedAt },
    creditUsed: isWhole ? usage.creditUsed : null,
    missing: [...new Set(asked.flatMap(({ missing }) => missing))],
  };
}

function importantNames(failing: readonly FailingWorkflow[], before: MaybeFact<ReadFailures>): readonly string[] {
  return [...failing.slice(0, shownMax).map(({ name }) => name), ...(before.data?.tally.workflows.keys() ?? [])];
}

function judged(
  tally: FailureTally,
  before: FailureTally | null,
  workflows: readonly Workflow[],
  { ageIn, healthOf }: Failed,
) {
  const causes = judgeCauses(tally, before, ageIn, runRatesOf(workflows));
  const failing = failingWorkflows(tally, causes, workflows).map((workflow) => ({
    ...workflow,
    health: healthOf(workflow.name),
  }));
  const now = new Set(failing.map(({ health }) => health?.streak?.failure?.cause.fingerprint));
  const isNow = ({ cause }: JudgedCause) => Number(now.has(cause.fingerprint));
  return { causes: causes.toSorted((one, other) => isNow(other) - isNow(one)), failing };
}

function isNotDeleted({ status }: Workflow): boolean {
  return status !== 'DELETED';
}

function workflowCounts(
  { about }: DigestFrame,
  failing: readonly FailingWorkflow[],
  existing: readonly Workflow[] | null,
) {
  if (existing === null) return { workflowCount: null, failedWorkflows: null, goneWorkflows: 0 };
  return {
    workflowCount: existing.length,
    failedWorkflows: failedWorkflows(failing, existing),
    goneWorkflows: about.kind === 'chosen' ? about.uuids.length - existing.length : 0,
  };
}

function failedWorkflows(failing: readonly FailingWorkflow[], existing: readonly Workflow[]): FailedWorkflows {
  const byName = Map.groupBy(existing, ({ name }) => name);
  const counts = failing.map(({ name }) => byName.get(name)?.length ?? 0);
  const deleted = counts.filter((count) => count === 0).length;
  return { existing: counts.length - deleted, deleted, isAtLeast: counts.some((count) => count > 1) };
}

/** An unreadable failure may have any cause. */
function goneSince(
  { tally, unreadable }: ReadFailures,
  { data: before }: MaybeFact<ReadFailures>,
  workflows: readonly Workflow[] | null,
  [{ successes }, { successes: successesBefore }]: readonly [Usage, Usage],
) {
  if (before === null || workflows === null || unreadable > 0) return null;
  return goneCauses(tally, before.tally, { ranAt: lastRuns(workflows), successes, successesBefore });
}

/** If nothing ran before, or some of it was unreadable, nothing is compared with it. */
function isBeforeKnown(before: MaybeFact<ReadFailures>, activity: Activity, span: TimeSpan): boolean {
  if ((before.data?.unreadable ?? 0) > 0) return false;
  return (before.data?.tally.count ?? 0) > 0 || (countsWithin(span, activity.before)?.success ?? 0) > 0;
}

function countsOf(
  { tally, unreadable, readFrom }: ReadFailures,
  before: MaybeFact<ReadFailures>,
  activity: Activity,
  [window, windowBefore]: readonly [ZonedWindow, TimeSpan],
) {
  const counts = countsWithin(window, activity.days);
  return {
    failureCount: tally.count,
    onlyCounted: tally.onlyCounted,
    unreadable,
    successCount: counts?.success ?? null,
    failuresNotRead: Math.max(0, (counts?.failure ?? 0) - tally.started),
    failuresBefore: before.data?.tally.count ?? null,
    successesBefore: countsWithin(windowBefore, activity.before)?.success ?? null,
    history: activity.history,
    daily: activity.daily,
    lookedBackMs: window.from - readFrom,
    reconciliation: reconcile(window, tally.startsByDay, activity.daily?.buckets ?? null),
  };
}

/** Keyed by name. If two workflows share a name, the earlier run counts, because a failure may be of either. */
function lastRuns(workflows: readonly Workflow[]): ReadonlyMap<string, number> {
  const ranAt = new Map<string, number>();
  for (const { name, executedAt } of workflows.filter(isNotDeleted)) {
    const at = Date.parse(executedAt ?? '') || 0;
    ranAt.set(name, Math.min(at, ranAt.get(name) ?? at));
  }
  return ranAt;
}

type Failed = {
  readonly ageIn: AgeIn;
  /** Null if it is not known, or if several workflows have the name. */
  readonly healthOf: (name: string) => Health | null;
  readonly missing: readonly string[];
};

const unreadAge: AgeIn = (_name, fingerprint, seen) => ageOf(seen, fingerprint, null, null);

/** @param now epoch milliseconds; the health is as of then */
async function queryFailed(
  ask: QueryClient,
  { workflows: tallied }: FailureTally,
  workflows: readonly Workflow[],
  { window, now }: { readonly window: TimeSpan; readonly now: number },
): Promise<Failed> {
  const { data, missing } = await orMissing(
    queryFailedWorkflows(ask, workflows, tallied, { from: window.from, now }),
    'which workflows fail now, and which causes are new',
  );
  const { healths = [], ageIn = unreadAge, left = 0 } = data ?? {};
  const byName = new Map(healths.map(({ name, health }) => [name, health]));
  const named = Map.groupBy(workflows, ({ name }) => name);
  return {
    ageIn,
    healthOf: (name) => (named.get(name)?.length === 1 ? (byName.get(name) ?? null) : null),
    missing: [
      ...missing,
      ...(left > 0 ? [`the health of ${left} of the workflows, and the age of the causes there`] : []),
    ],
  };
}

async function queryShown(
  ask: QueryClient,
  causes: readonly JudgedCause[],
  now: number,
): Promise<MaybeFact<readonly ShownCause[]>> {
  const shown = await Promise.all(causes.map((cause) => queryCause(ask, cause, now)));
  return { data: shown.map(({ data }) => data), missing: shown.flatMap(({ missing }) => missing) };
}

type Known<Data> = { readonly data: Data; readonly missing: readonly string[] };

/** The log is read only if the error says that nodes waited for others. */
async function queryCause(ask: QueryClient, cause: JudgedCause, now: number): Promise<Known<ShownCause>> {
  const { uuid, errors } = cause.sample;
  const needsLog = mayHaveRootCause(errors);
  const { data, missing } = needsLog
    ? await orMissing(ask.execution(uuid), 'the steps and logs of some runs')
    : await orMissing(ask.executionEvents(uuid), 'the steps of some runs');
  if (data === null) return { data: { ...cause, failing: null, rootCause: null }, missing };
  const { execution, events } = data;
  const failing = events && (await runCooperatively(timelineOf({ execution, events, now }))).failing;
  const rootCause = needsLog ? await queryRootCause(ask, data) : { data: null, missing: [] };
  return {
    data: { ...cause, failing, rootCause: rootCause.data },
    missing: [...new Set([...missing, ...rootCause.missing])],
  };
}

/** Uses the evidence of the verdict about one execution: its log, and that of the last good one. */
async function queryRootCause(ask: QueryClient, detail: ExecutionDetail): Promise<Known<RootCause | null>> {
  const { execution, logs } = detail;
  if (logs === null) return { data: null, missing: [] };
  const { data: goodLog, missing } = await queryGoodLog(ask, detail);
  const consensus = await runCooperatively(
    consensusOf({ logs, knownNodes: [...new Set(goodLog.map(({ nodeID }) => nodeID))] }),
  );
  const usualMessages = goodLog.map(({ message }) => message);
  const question = { errors: execution.errors ?? [], consensus, usualMessages };
  return { data: await runCooperatively(findRootCause(question)), missing };
}

const goodLogName = 'the logs of some good runs';

async function queryGoodLog(ask: QueryClient, { execution }: ExecutionDetail): Promise<Known<readonly LogLine[]>> {
  const { workflowUuid, startedAt } = execution;
  if (workflowUuid === null) return { data: [], missing: [] };
  const window = windowOf({ from: 0, to: Date.parse(startedAt) });
  const filter = { workflowUuid, statuses: ['SUCCESS'], window, page: 0, size: 1 };
  const { data: good, missing } = await orMissing(ask.executions(filter), goodLogName);
  const [last] = good?.executions ?? [];
  if (last === undefined) return { data: [], missing };
  const { data, missing: unread } = await orMissing(ask.executionLogs(last.uuid), goodLogName);
  return { data: data?.logs ?? [], missing: [...missing, ...unread] };
}
