/** Reads the history around a failure: its streak, its recovery, and the same cause at other times. */
import { causeOf } from '../../insight/causes/cause.ts';
import type { Execution, ExecutionHistory } from '../../query/results.ts';
import type { CauseRecurrence, FailureStreak, Recovery } from '../../views/execution/facts.ts';

type Failed = Pick<Execution, 'errors' | 'classifiedStatus'>;

/** Page size of the service. */
const failuresKnownMax = 100;

/** Consecutive failures since the last good execution, up to this one. */
export function streakOf(execution: Failed, history: ExecutionHistory | null): FailureStreak | null {
  if (history === null || history.failuresUntil === null) return null;
  const goodAt = lastGoodAt(history);
  const inARow = history.failuresUntil.filter(({ startedAt }) => Date.parse(startedAt) > goodAt);
  const oldest = inARow.at(-1);
  if (!oldest) return null;
  return {
    count: inARow.length,
    isCut: inARow.length >= failuresKnownMax,
    since: Date.parse(oldest.startedAt),
    sameCauseCount: ofCause(execution, inARow).length,
  };
}

/** @returns null if it has not recovered, or the service could not say */
export function recoveryOf(history: ExecutionHistory | null): Recovery | null {
  if (history?.firstGoodAfter) return { at: Date.parse(history.firstGoodAfter.startedAt), isFirst: true };
  if (history?.latestGoodAfter) return { at: Date.parse(history.latestGoodAfter.startedAt), isFirst: false };
  return null;
}

/** Without a known first success, later failures may belong to the same streak and are left out. */
export function recurrenceOf(execution: Failed, history: ExecutionHistory | null): CauseRecurrence | null {
  if (history === null || history.failuresUntil === null || history.failures === null) return null;
  const goodAt = lastGoodAt(history);
  const recovery = recoveryOf(history);
  const againFrom = recovery?.isFirst ? recovery.at : Number.POSITIVE_INFINITY;
  const apart = [...history.failuresUntil, ...history.failures].filter(({ startedAt }) => {
    const at = Date.parse(startedAt);
    return at < goodAt || at > againFrom;
  });
  const alike = [
    ...new Map(ofCause(execution, apart).map(({ uuid, startedAt }) => [uuid, Date.parse(startedAt)])).values(),
  ];
  return {
    others: alike.length,
    isCut: [history.failuresUntil, history.failures].some(({ length }) => length >= failuresKnownMax),
    first: Math.min(...alike),
    last: Math.max(...alike),
  };
}

function lastGoodAt({ goodBefore }: ExecutionHistory): number {
  const [lastGood] = goodBefore ?? [];
  return lastGood ? Date.parse(lastGood.startedAt) : Number.NEGATIVE_INFINITY;
}

function ofCause<Failure extends Failed>(execution: Failed, failures: readonly Failure[]): readonly Failure[] {
  const { fingerprint } = causeOf(execution);
  return failures.filter((failure) => causeOf(failure).fingerprint === fingerprint);
}
