/** A failure among the others of its workflow: the streak, since when it fails more often, its recovery and its recurrence. */
import { combinedProvenance } from '../../domain/provenance.ts';
import { causesOf } from '../../health/causes.ts';
import type { Cause, WithCause } from '../../insight/causes/cause.ts';
import { ageOf, earlierCauses } from '../../insight/causes/recurrence.ts';
import { binsOf, gainMin, onsetIn, type Profile } from '../../insight/health/onset.ts';
import type { EarlierRuns } from '../../query/operations/workflow-batches.ts';
import type { QueryClient } from '../../query/query-client.ts';
import { type Answered, type Execution, type ExecutionHistory, notNeeded, nullOnFailure } from '../../query/results.ts';
import type { CauseRecurrence, FailureRise, FailureStreak, Recovery } from '../../views/execution/facts.ts';

/** With the causes of its failures. */
export type FailureHistory = ExecutionHistory<WithCause<Execution>>;

/** Page size of the service. */
const failuresKnownMax = 100;

/** The beginning of a streak that is longer than the known failures. */
export type LongStreak = {
  /** Start of its first failure, epoch milliseconds. */
  readonly since: number;
  /** The failures before it, the newest `earlierFailuresMax`. */
  readonly earlier: readonly WithCause<Execution>[];
};

/** @returns null if the known failures reach back beyond the streak, or it could not be read */
export async function queryLongStreak(
  history: FailureHistory | null,
  { uuid, startedAt }: { readonly uuid: string | null; readonly startedAt: number },
  ask: QueryClient,
): Promise<Answered<LongStreak | null>> {
  if (uuid === null || history === null || failuresInARow(history).length < failuresKnownMax) return notNeeded();
  const since = await nullOnFailure(
    ask.runsSinceOf([{ uuid, result: 'FAILURE', newest: `until ${startedAt}`, failedSince: null }]),
    'since when the workflow fails',
  );
  const runs = since.data?.get(uuid);
  // After a later success it is another streak.
  if (runs === undefined || (runs.otherAt ?? Number.NEGATIVE_INFINITY) !== lastGoodAt(history))
    return { ...since, data: null };
  const { firstAt } = runs;
  const earlier = await nullOnFailure(
    ask.earlierFailuresOf([{ uuid, before: firstAt }]),
    'the failures before this series',
  );
  const { failures } = earlier.data?.get(uuid) ?? {};
  const data = failures === undefined ? null : { since: firstAt, earlier: await causesOf(failures) };
  return { data, provenance: combinedProvenance(since.provenance, earlier.provenance) };
}

/** Since the last good execution before the one in question, up to it. */
function failuresInARow(history: FailureHistory): readonly WithCause<Execution>[] {
  const goodAt = lastGoodAt(history);
  return (history.failuresUntil ?? []).filter(({ startedAt }) => Date.parse(startedAt) > goodAt);
}

/** Consecutive failures since the last good execution, up to this one; counted by the service if the list is full. */
export function streakOf(
  cause: Cause,
  history: FailureHistory | null,
  profile: Profile | null,
  long: LongStreak | null,
): FailureStreak | null {
  if (history === null || history.failuresUntil === null) return null;
  const goodAt = lastGoodAt(history);
  const inARow = failuresInARow(history);
  const [newest, oldest] = [inARow[0], inARow.at(-1)];
  if (!newest || !oldest) return null;
  const isCut = inARow.length >= failuresKnownMax;
  const counted = isCut ? countedSince(profile, goodAt) : null;
  return {
    count: counted ?? inARow.length,
    isCut: isCut && counted === null,
    since: isCut ? (long?.since ?? null) : Date.parse(oldest.startedAt),
    sameCauseCount: ofCause(cause, inARow).length,
    comparedCount: inARow.length,
    hasLater: (history.failures ?? []).some((failure) => startOf(failure) > startOf(newest)),
  };
}

/** @returns null if the count is not known, or contradicts the last success */
function countedSince(profile: Profile | null, goodAt: number): number | null {
  const point = profile?.points.find(({ at }) => at === goodAt + 1);
  return point === undefined || point.good !== 0 ? null : point.failed;
}

/** Since when it fails more often; null if the rate is not known to have risen. */
export function riseOf(profile: Profile | null): FailureRise | null {
  if (profile === null) return null;
  const bins = binsOf(profile);
  const onset = onsetIn(profile, bins);
  if (onset === null || onset.gain < gainMin) return null;
  const { before, after, end } = onset;
  const first = bins.find(({ from }) => from === after.from);
  const isExact = first?.isExact === true && first.failed > 0;
  const isPrevailing = end === bins.length && 2 * after.failed >= after.total;
  return { since: after.from, isExact, before, after, isPrevailing, isOver: end < bins.length };
}

/** @returns null if it has not recovered, or the service could not say */
export function recoveryOf(history: FailureHistory | null): Recovery | null {
  if (history?.firstGoodAfter) return { at: Date.parse(history.firstGoodAfter.startedAt), isFirst: true };
  if (history?.latestGoodAfter) return { at: Date.parse(history.latestGoodAfter.startedAt), isFirst: false };
  return null;
}

/**
 * Without a known first success, later failures may belong to the same streak and are left out, and so are those of the same rise:
 * a workflow that fails in nine of ten runs is one problem, not a recurring one.
 */
export function recurrenceOf(
  { cause, startedAt }: Pick<WithCause<Execution>, 'cause' | 'startedAt'>,
  history: FailureHistory | null,
  { rise, streak }: { readonly rise: FailureRise | null; readonly streak: FailureStreak | null },
  long: LongStreak | null,
  kept: EarlierRuns | null,
): CauseRecurrence | null {
  if (history === null || history.failuresUntil === null || history.failures === null) return null;
  const goodAt = lastGoodAt(history);
  const recovery = recoveryOf(history);
  const againFrom = recovery?.isFirst ? recovery.at : Number.POSITIVE_INFINITY;
  const known = [...history.failuresUntil, ...history.failures, ...(long?.earlier ?? [])];
  const apart = known.filter((failure) => {
    const at = startOf(failure);
    if (rise?.isPrevailing === true && at >= rise.since) return false;
    return at < goodAt || at > againFrom;
  });
  const alike = [...new Map(ofCause(cause, apart).map((failure) => [failure.uuid, startOf(failure)])).values()];
  const earlier = [...history.failuresUntil, ...(long?.earlier ?? [])];
  const isCut = (long?.earlier ?? history.failuresUntil).length >= failuresKnownMax;
  const at = Date.parse(startedAt);
  // A streak that is longer than the known failures counts as the cause's from its beginning.
  const seen = { first: long?.since ?? at, last: Math.max(at, ...ofCause(cause, history.failures).map(startOf)) };
  const before = earlierCauses(earlier, { isCut: isCut || kept === null, oldestAt: kept?.oldestAt ?? null });
  return {
    age: ageOf(seen, cause.fingerprint, before, recovery === null ? (streak?.since ?? null) : null),
    others: alike.length,
    isCut: isCut || (long === null && history.failures.length >= failuresKnownMax),
    first: Math.min(...alike),
    last: Math.max(...alike),
  };
}

function startOf({ startedAt }: { readonly startedAt: string }): number {
  return Date.parse(startedAt);
}

function lastGoodAt({ goodBefore }: FailureHistory): number {
  const [lastGood] = goodBefore ?? [];
  return lastGood ? Date.parse(lastGood.startedAt) : Number.NEGATIVE_INFINITY;
}

function ofCause({ fingerprint }: Cause, failures: readonly WithCause<Execution>[]): readonly Execution[] {
  return failures.filter(({ cause }) => cause.fingerprint === fingerprint);
}
