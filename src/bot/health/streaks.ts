/** Since when workflows fail in every run, with the deployment before the first of these failures; and since when they succeed again. */
import { memoizeLatest } from '../../shared/cache/memoize.ts';
import { mapCooperatively } from '../../shared/time/cooperative.ts';
import { combinedProvenance } from '../domain/provenance.ts';
import { withCause } from '../insight/causes/cause.ts';
import { hasEnded } from '../insight/executions/result.ts';
import { type Blamed, findBlame } from '../insight/health/deployment-blame.ts';
import { tookEffect } from '../insight/health/deployment-states.ts';
import { failuresInARow, isUnstable, type Recovery, type Streak } from '../insight/health/health.ts';
import { type RunsSince, usualMs, type WantedRuns } from '../query/operations/workflow-batches.ts';
import type { QueryClient } from '../query/query-client.ts';
import {
  type Answered,
  type CountedDeployment,
  type ExecutionResult,
  notNeeded,
  nullOnFailure,
} from '../query/results.ts';

/** One failure may be an accident. */
const failuresMin = 2;
const deploymentsMax = 20;

export type ReadWorkflow = {
  readonly uuid: string;
  /** Newest first, as many as are read. */
  readonly newest: readonly { readonly status: ExecutionResult['status']; readonly startedAt: string }[];
  /** The counts of a window that goes on, read before, and its start in epoch milliseconds; null if not known. */
  readonly window: {
    readonly counts: { readonly total: number; readonly success: number; readonly failure: number };
    readonly from: number;
  } | null;
};

export type Turn = { readonly streak: Streak | null; readonly recovery: Recovery | null };

/**
 * @param now epoch milliseconds; the time of the answer where nothing is asked
 * @returns by uuid, without the workflows of which it is not known. Two round trips at most, none if nothing failed
 */
export async function queryTurns(
  ask: QueryClient,
  workflows: readonly ReadWorkflow[],
  now: number,
): Promise<Answered<ReadonlyMap<string, Turn>>> {
  const wanted = workflows.flatMap((workflow) => wantedOf(workflow, now));
  const failingUuids = workflows.filter(isFailing).map(({ uuid }) => uuid);
  const [since, deployments] = await Promise.all([
    wanted.length === 0 ? notNeeded(now) : nullOnFailure(ask.runsSinceOf(wanted), 'since when they fail or succeed'),
    failingUuids.length === 0
      ? notNeeded(now)
      : nullOnFailure(ask.deploymentsOf(failingUuids, deploymentsMax), 'the deployments before the failures'),
  ]);
  const data = await mapCooperatively(workflows, (workflow): readonly (readonly [string, Turn])[] => {
    const { uuid } = workflow;
    const runs = continued(workflow, since);
    if (runs === undefined) return [];
    if (!isFailing(workflow)) return [[uuid, { streak: null, recovery: recoveryOf(workflow, runs, now) }]];
    const request = { deployments: deployments.data?.get(uuid) ?? [], asOf: since.provenance.asOf };
    return [[uuid, { streak: { ...streakOf(workflow, runs), ...explain(runs, request) }, recovery: null }]];
  });
  return { data: new Map(data.flat()), provenance: combinedProvenance(since.provenance, deployments.provenance) };
}

function isFailing({ newest }: ReadWorkflow): boolean {
  return failuresInARow(newest) >= failuresMin;
}

/**
 * The cause of the newest failure, the deployment between the last success and the first failure, and the one that an investigation
 * would blame. Memoized, because one answer is read again and again during an incident.
 */
const explain = memoizeLatest(
  (request: { readonly deployments: readonly CountedDeployment[]; readonly asOf: number }) => JSON.stringify(request),
  (runs: RunsSince, { deployments, asOf }): Pick<Streak, 'deployedAt' | 'blamed' | 'failure'> => {
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
  if (window === null || !isUnstable(window.counts, newest)) return [];
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
function streakOf({ window }: ReadWorkflow, { otherAt, count, firstAt }: RunsSince) {
  const failed = window !== null && firstAt >= window.from ? Math.min(count, window.counts.failure) : count;
  return { failed, since: firstAt, isWhole: otherAt !== null };
}

function recoveryOf(
  { window }: ReadWorkflow,
  { otherAt: lastFailedAt, count: good, firstFailedAt, failedBefore }: RunsSince,
  now: number,
): Recovery | null {
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
