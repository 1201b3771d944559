/** Since when workflows fail in every run, with the deployment before the first of these failures; since when they succeed again; and why they fail now and then. */
import { memoizeLatest } from '../../shared/cache/memoize.ts';
import { mapCooperatively } from '../../shared/time/cooperative.ts';
import { combinedProvenance } from '../domain/provenance.ts';
import { groupByCause, withCause } from '../insight/causes/cause.ts';
import { ageOf, earlierCauses } from '../insight/causes/recurrence.ts';
import { hasEnded } from '../insight/executions/result.ts';
import { type Blamed, findBlame } from '../insight/health/deployment-blame.ts';
import { tookEffect } from '../insight/health/deployment-states.ts';
import { type Counts, failingMin, failuresInARow, type HealthFacts, isUsual } from '../insight/health/health.ts';
import { earlierFailuresMax, type RunsSince, usualMs, type WantedRuns } from '../query/operations/workflow-batches.ts';
import type { QueryClient } from '../query/query-client.ts';
import {
  type Answered,
  type CountedDeployment,
  type ExecutionResult,
  notNeeded,
  nullOnFailure,
} from '../query/results.ts';
import { causesOf } from './causes.ts';

const dayMs = 86_400_000;
const deploymentsMax = 20;

export type ReadWorkflow = {
  readonly uuid: string;
  /** Newest first, as many as are read. */
  readonly newest: readonly { readonly status: ExecutionResult['status']; readonly startedAt: string }[];
  /** The counts of a window that goes on, read before, and its start in epoch milliseconds; null if not known. */
  readonly window: { readonly counts: Counts; readonly from: number } | null;
};

export type Turn = Pick<HealthFacts, 'streak' | 'recovery' | 'intermittent'>;
export const noTurn: Turn = { streak: null, recovery: null, intermittent: null };

/**
 * @param now epoch milliseconds; the time of the answer where nothing is asked @param isExplained whether to say why unstable ones fail
 * @returns by uuid, what is not known is null. Two round trips at most, three if as many failures in a row are usual, none if nothing failed
 */
export async function queryTurns(
  ask: QueryClient,
  workflows: readonly ReadWorkflow[],
  now: number,
  isExplained: boolean,
): Promise<Answered<ReadonlyMap<string, Turn>>> {
  const wanted = workflows.flatMap((workflow) => wantedOf(workflow, now));
  const failingUuids = workflows.filter(isFailing).map(({ uuid }) => uuid);
  const [since, deployments, unstable] = await Promise.all([
    wanted.length === 0 ? notNeeded(now) : nullOnFailure(ask.runsSinceOf(wanted), 'since when they fail or succeed'),
    failingUuids.length === 0
      ? notNeeded(now)
      : nullOnFailure(ask.deploymentsOf(failingUuids, deploymentsMax), 'the deployments before the failures'),
    queryIntermittent(ask, isExplained ? workflows.filter(isUnstable) : [], now),
  ]);
  const turns = await mapCooperatively(workflows, (workflow) => {
    const { uuid } = workflow;
    const [runs, isNow] = [continued(workflow, since), isFailing(workflow)];
    const request = { deployments: deployments.data?.get(uuid) ?? [], asOf: since.provenance.asOf };
    const streak = runs && isNow ? { ...streakOf(workflow, runs, now), ...explain(runs, request) } : null;
    const recovery = runs && !isNow ? recoveryOf(workflow, runs, now) : null;
    return { workflow, streak, recovery, intermittent: unstable.data?.get(uuid) ?? null };
  });
  const usual = turns.flatMap(({ workflow, streak }) => (isExplained && streak?.isUsual ? [workflow] : []));
  const others = await queryIntermittent(ask, usual, now);
  const data = turns.map(({ workflow: { uuid }, intermittent, ...turn }) => {
    return [uuid, { ...turn, intermittent: others.data?.get(uuid) ?? intermittent }] as const;
  });
  const answers = [deployments, unstable, others].map(({ provenance }) => provenance);
  return { data: new Map(data), provenance: combinedProvenance(since.provenance, ...answers) };
}

function isFailing({ newest }: ReadWorkflow): boolean {
  return failuresInARow(newest) >= failingMin;
}

/** Some executions in the window failed, and it does not fail now. */
function isUnstable(workflow: ReadWorkflow): boolean {
  const { failure = 0, success = 0 } = workflow.window?.counts ?? {};
  return failure > 0 && success > 0 && !isFailing(workflow);
}

/** Of more workflows, those with the fewest failures, it is not known. Two documents hold the failures of so many. */
const unstableMax = 10;
const minuteMs = 60_000;
/** Failures in a row come one interval after the other, with some tolerance. */
const inARowMax = 1.5;

/** The cause of most failures in the window, by workflow. */
async function queryIntermittent(
  ask: QueryClient,
  workflows: readonly ReadWorkflow[],
  now: number,
): Promise<Answered<ReadonlyMap<string, Turn['intermittent']> | null>> {
  if (workflows.length === 0) return notNeeded(now);
  const failuresOf = ({ window }: ReadWorkflow) => window?.counts.failure ?? 0;
  const looked = workflows.toSorted((one, other) => failuresOf(other) - failuresOf(one)).slice(0, unstableMax);
  // Whole minutes, so that the cache can answer a repeated request.
  const before = Math.ceil(now / minuteMs) * minuteMs;
  const asked = ask.earlierFailuresOf(looked.map(({ uuid }) => ({ uuid, before })));
  const { data, provenance } = await nullOnFailure(asked, 'why unstable workflows fail');
  const explained = looked.map(async ({ uuid, window }): Promise<readonly [string, Turn['intermittent']]> => {
    if (window === null) return [uuid, null];
    const { counts, from } = window;
    const { failures, oldestAt } = data?.get(uuid) ?? { failures: [], oldestAt: null };
    const known = await causesOf(failures);
    const lately = known.filter(({ startedAt }) => Date.parse(startedAt) >= from);
    const [main] = groupByCause(lately);
    if (main === undefined || 2 * main.count <= lately.length) return [uuid, { counts, main: null }];
    const { cause, count, first, last, sample } = main;
    const earlier = earlierCauses(known, { isCut: known.length >= earlierFailuresMax, oldestAt });
    const age = ageOf(main, cause.fingerprint, earlier, null);
    const inARowMs = (inARowMax * (count - 1) * (now - from)) / counts.total;
    const isRepeated = age.recurrence === 'recurring' || (count > 2 && last - first > inARowMs);
    return [uuid, { counts, main: { failure: { cause, errors: sample.errors ?? [] }, age, isRepeated } }];
  });
  return { data: new Map(await Promise.all(explained)), provenance };
}

/**
 * The cause of the newest failure, the deployment between the last success and the first failure, and the one that an investigation
 * would blame. Memoized, because one answer is read again and again during an incident.
 */
const explain = memoizeLatest(
  (request: { readonly deployments: readonly CountedDeployment[]; readonly asOf: number }) => JSON.stringify(request),
  (runs: RunsSince, { deployments, asOf }) => {
    const { otherAt, firstAt, newestFailure = null } = runs;
    const failure = newestFailure && withCause({ ...newestFailure, errors: newestFailure.errors ?? [] });
    if (otherAt === null) return { deployedAt: null, blamed: null, failure };
    const times = deployments.filter(tookEffect).map(({ deployedAt }) => Date.parse(deployedAt));
    const between = times.filter((at) => at > otherAt && at <= firstAt);
    const deployedAt = between.length === 0 ? null : Math.max(...between);
    return { deployedAt, blamed: blamedFor({ ...runs, otherAt }, deployments, asOf), failure };
  },
);

/** Nothing about a workflow that neither fails now nor may have recovered. */
function wantedOf(workflow: ReadWorkflow, now: number): readonly WantedRuns[] {
  const { uuid, newest, window } = workflow;
  const ended = newest.filter(hasEnded);
  // A run that ends after a newer one is one more.
  const known = { uuid, newest: `${ended.length} until ${ended[0]?.startedAt}`, failedSince: null };
  if (isFailing(workflow)) return [{ ...known, result: 'FAILURE' }];
  if (window === null || !isUnstable(workflow) || failuresInARow(newest) > 0) return [];
  const failedSince = { at: window.from, minutes: Math.round((now - window.from) / 60_000) };
  return [{ ...known, result: 'SUCCESS', failedSince }];
}

/** An answer of an earlier time holds if the newest runs reach back to it and all of them since have the same result. */
function continued(
  { uuid, newest }: ReadWorkflow,
  { data, provenance }: Answered<ReadonlyMap<string, RunsSince> | null>,
): RunsSince | undefined {
  const runs = data?.get(uuid);
  if (runs === undefined || provenance.source !== 'stale') return runs;
  const results = newest.filter(hasEnded).map(({ status, startedAt }) => ({ status, at: Date.parse(startedAt) }));
  const since = new Set(results.filter(({ at }) => at >= runs.firstAt).map(({ status }) => status));
  return since.size === 1 && results.some(({ at }) => at <= provenance.asOf) ? runs : undefined;
}

/** A run that failed after the window was read is left out: the numbers of one answer agree. */
function streakOf({ window }: ReadWorkflow, { otherAt, count, firstAt, usual }: RunsSince, now: number) {
  const failed = window !== null && firstAt >= window.from ? Math.min(count, window.counts.failure) : count;
  const [failures = count, successes = Number.POSITIVE_INFINITY] = usual;
  const before = { failed: failures - count, total: failures - count + successes };
  const hasSucceeded = (otherAt ?? 0) > now - dayMs;
  return { failed, since: firstAt, isWhole: otherAt !== null, isUsual: hasSucceeded && isUsual(failed, before) };
}

function recoveryOf(
  { window }: ReadWorkflow,
  { otherAt: lastFailedAt, count: good, firstFailedAt, failedBefore }: RunsSince,
  now: number,
): Turn['recovery'] {
  if (lastFailedAt === null || window === null) return null;
  const windowMs = now - window.from;
  const usualFailures = failedBefore === null ? null : (failedBefore * windowMs) / usualMs;
  if (firstFailedAt === undefined || firstFailedAt > lastFailedAt)
    return { lastFailedAt, good, failedShare: 1, usualFailures };
  // Each run stands for the time until the next one.
  const failedMs = lastFailedAt - firstFailedAt + windowMs / window.counts.total;
  return { lastFailedAt, good, failedShare: Math.min(1, failedMs / windowMs), usualFailures };
}

/** From the runs of each deployment until the next, and the two runs between which the failures began. @param deployments newest first */
function blamedFor(
  { otherAt, firstAt, count }: RunsSince & { readonly otherAt: number },
  deployments: readonly CountedDeployment[],
  asOf: number,
): Blamed | null {
  let [good, failed] = [0, 0];
  const points = deployments.map(({ deployedAt, executionCountByStatus: runs }) => {
    [good, failed] = [good + (runs?.success ?? 0), failed + (runs?.failure ?? 0)];
    return { at: Date.parse(deployedAt), good, failed };
  });
  const anchor = Math.max(asOf, firstAt + 2);
  const last = [
    { at: otherAt, good: 1, failed: count },
    { at: firstAt + 1, good: 0, failed: count - 1 },
    { at: anchor, good: 0, failed: 0 },
  ];
  const starts = [
    { at: otherAt, hasFailed: false },
    { at: firstAt, hasFailed: true },
  ];
  const executions = { from: otherAt, to: firstAt + 1, starts };
  const profile = { anchor, points: [...points.filter(({ at }) => at < otherAt).toReversed(), ...last], executions };
  const finding = findBlame({ profile, deployments, isCut: deployments.length >= deploymentsMax, hasSucceeded: true });
  return finding.kind === 'blamed' ? finding : null;
}
