/** Since when workflows fail in every run, with the deployment before the first of these failures; and since when they succeed again. */
import { combinedProvenance } from '../domain/provenance.ts';
import { hasEnded } from '../insight/executions/result.ts';
import { tookEffect } from '../insight/health/deployment-states.ts';
import { failuresInARow, isUnstable, type Recovery, type Streak } from '../insight/health/health.ts';
import { notNeeded, nullOnFailure } from '../query/null-on-failure.ts';
import type { RunsSince, WantedRuns } from '../query/operations/workflow-batches.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Answered, ExecutionResult } from '../query/results.ts';

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
  const failing = workflows.filter(({ newest }) => failuresInARow(newest) >= failuresMin);
  const wanted = workflows.flatMap((workflow) => wantedOf(workflow, now));
  const failingUuids = failing.map(({ uuid }) => uuid);
  const [since, deployments] = await Promise.all([
    wanted.length === 0 ? notNeeded(now) : nullOnFailure(ask.runsSinceOf(wanted), 'since when they fail or succeed'),
    failingUuids.length === 0
      ? notNeeded(now)
      : nullOnFailure(ask.deploymentsOf(failingUuids, deploymentsMax), 'the deployments before the failures'),
  ]);
  const data = workflows.flatMap((workflow): (readonly [string, Turn])[] => {
    const { uuid } = workflow;
    const isFailing = failing.includes(workflow);
    const runs = (isFailing ? amongNewest(workflow) : undefined) ?? continued(workflow, since);
    if (runs === undefined) return [];
    if (!isFailing) return [[uuid, { streak: null, recovery: recoveryOf(workflow, runs, now) }]];
    const deployedAt = deploymentBetween(runs, deployments.data?.get(uuid) ?? []);
    return [[uuid, { streak: streakOf(workflow, runs, deployedAt), recovery: null }]];
  });
  return { data: new Map(data), provenance: combinedProvenance(since.provenance, deployments.provenance) };
}

/** The questions that the newest runs leave open. */
function wantedOf({ uuid, newest, window }: ReadWorkflow, now: number): readonly WantedRuns[] {
  const ended = newest.filter(hasEnded);
  // A run that ends after a newer one is one more.
  const known = { uuid, newest: `${ended.length} until ${ended[0]?.startedAt}`, failedSince: null };
  const hasSuccess = newest.some(({ status }) => status === 'SUCCESS');
  if (failuresInARow(newest) >= failuresMin) return hasSuccess ? [] : [{ ...known, result: 'FAILURE' }];
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

/** @returns undefined if the last success is not among the newest runs */
function amongNewest({ newest }: ReadWorkflow): RunsSince | undefined {
  const good = newest.find(({ status }) => status === 'SUCCESS');
  const count = failuresInARow(newest);
  const first = newest.filter(({ status }) => status === 'FAILURE')[count - 1];
  if (good === undefined || first === undefined) return undefined;
  const firstAt = Date.parse(first.startedAt);
  return { otherAt: Date.parse(good.startedAt), count, firstAt, firstFailedAt: undefined };
}

/** A run that failed after the window was read is left out: the numbers of one answer agree. */
function streakOf({ window }: ReadWorkflow, { otherAt, count, firstAt }: RunsSince, deployedAt: number | null): Streak {
  const failed = window !== null && firstAt >= window.from ? Math.min(count, window.counts.failure) : count;
  return { failed, since: firstAt, isWhole: otherAt !== null, deployedAt };
}

function recoveryOf(
  { window }: ReadWorkflow,
  { otherAt: lastFailedAt, count: good, firstFailedAt }: RunsSince,
  now: number,
): Recovery | null {
  if (lastFailedAt === null) return null;
  if (window === null || firstFailedAt === undefined || firstFailedAt > lastFailedAt)
    return { lastFailedAt, good, failedShare: 1 };
  const windowMs = now - window.from;
  // Each run stands for the time until the next one.
  const failedMs = lastFailedAt - firstFailedAt + windowMs / window.counts.total;
  return { lastFailedAt, good, failedShare: Math.min(1, failedMs / windowMs) };
}

type DeploymentLike = { readonly status: string; readonly deployedAt: string };

function deploymentBetween({ otherAt, firstAt }: RunsSince, deployments: readonly DeploymentLike[]): number | null {
  if (otherAt === null) return null;
  const times = deployments.filter(tookEffect).map(({ deployedAt }) => Date.parse(deployedAt));
  const between = times.filter((at) => at > otherAt && at <= firstAt);
  return between.length === 0 ? null : Math.max(...between);
}
