/** Reads the failures of two neighbouring windows page by page, back to the oldest start that may still end in one of them. */

import { createYielder } from '../../shared/time/cooperative.ts';
import type { ChosenWorkflows } from '../domain/subscription.ts';
import { createTally, type EndedFailure, type FailureTally } from '../insight/digest/tally.ts';
import { countWithErrors, isCompletedWithErrors, type SuccessesWithErrors } from '../insight/executions/result.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Execution } from '../query/results.ts';
import type { DigestFrame } from '../views/digest/facts.ts';
import { filtersOf, isAbout, type MaybeFact, orMissing, orMissingRead, type TimeSpan, windowOf } from './queries.ts';

export type ReadFailures = {
  readonly tally: FailureTally;
  /** Rows that could not be read. */
  readonly unreadable: number;
  /** Oldest start that was looked at, epoch milliseconds. An execution that started before it is not counted. */
  readonly readFrom: number;
};

export type FailuresOfWindows = {
  readonly failures: ReadFailures;
  readonly before: MaybeFact<ReadFailures>;
  readonly missing: readonly string[];
};

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
/** A service filters executions by their start. The starts of this long before a window are read with it. */
const alwaysMs = 10 * minuteMs;
/** The starts of a day are looked at, and twice the longest execution that was seen, up to a week. */
const lookBackMaxMs = 7 * dayMs;
const longestFactor = 2;
/** The look-back reads at most this many. */
const failuresMax = 5000;

type Part = { readonly rows: number; readonly unreadable: number; readonly readFrom: number };
type ReadStarts = (span: TimeSpan, rowsMax?: number) => Promise<Part>;

/**
 * Counts the failures that ended in the window and in the one before. Keeps no page.
 * @throws AppError if a page of the window cannot be read: some of its failures would look like all of them
 */
export async function readFailures(
  ask: QueryClient,
  { about, zone }: DigestFrame,
  [window, before]: readonly [TimeSpan, TimeSpan],
  signal: AbortSignal,
): Promise<FailuresOfWindows> {
  const [tally, tallyBefore] = [createTally({ ...window, zone }), createTally({ ...before, zone })];
  let longestMs = 0;
  const read = startsReader(ask, about, signal, (failure) => {
    const endedAt = Date.parse(failure.finishedAt ?? failure.startedAt);
    longestMs = Math.max(longestMs, endedAt - Date.parse(failure.startedAt));
    tally.add(failure);
    tallyBefore.add(failure);
  });
  const boundary = window.from - alwaysMs;
  const olderFrom = before.from - alwaysMs;
  const readStartsFrom = (spanMs: number, soFar: EarlierStarts) =>
    lookBack(read, before.from - Math.min(lookBackMaxMs, spanMs), soFar);
  const [own, older, unfinished, day] = await Promise.all([
    read({ from: boundary, to: window.to }),
    orMissingRead(read({ from: olderFrom, to: boundary }), 'the failures of the previous window'),
    longestUnfinished(ask, { from: before.from - lookBackMaxMs, to: window.to }),
    readStartsFrom(dayMs, { readFrom: olderFrom, unreadable: 0, rowsLeft: failuresMax, missing: [] }),
  ]);
  let back = day;
  for (let seenMs = 0; seenMs < Math.max(longestMs, unfinished.data ?? 0); ) {
    seenMs = Math.max(longestMs, unfinished.data ?? 0);
    back = await readStartsFrom(longestFactor * seenMs, back);
  }
  const unreadable = (older.data?.unreadable ?? 0) + back.unreadable;
  return {
    failures: {
      tally: tally.result(),
      unreadable: own.unreadable,
      readFrom: older.data === null ? boundary : back.readFrom,
    },
    before: {
      data: older.data && { tally: tallyBefore.result(), unreadable, readFrom: back.readFrom },
      missing: older.missing,
    },
    missing: [...unfinished.missing, ...back.missing],
  };
}

type EarlierStarts = {
  readonly readFrom: number;
  readonly unreadable: number;
  readonly rowsLeft: number;
  readonly missing: readonly string[];
};

/** Reads the starts from `from` on that are not read yet, up to the limit. */
async function lookBack(read: ReadStarts, from: number, soFar: EarlierStarts): Promise<EarlierStarts> {
  if (from >= soFar.readFrom || soFar.rowsLeft <= 0 || soFar.missing.length > 0) return soFar;
  const name = 'the failures of runs that started long before';
  const { data, missing } = await orMissingRead(read({ from, to: soFar.readFrom }, soFar.rowsLeft), name);
  if (data === null) return { ...soFar, missing };
  const { rows, unreadable, readFrom } = data;
  const rowsLeft = readFrom > from ? 0 : soFar.rowsLeft - rows;
  return { readFrom, unreadable: soFar.unreadable + unreadable, rowsLeft, missing };
}

function startsReader(
  ask: QueryClient,
  about: ChosenWorkflows,
  signal: AbortSignal,
  add: (failure: EndedFailure) => void,
): ReadStarts {
  const filters = filtersOf(about);
  const pause = createYielder();
  return async (span, max = Number.POSITIVE_INFINITY) => {
    let [rows, unreadable] = [0, 0];
    for (const filter of filters) {
      let [oldest, isInOrder] = [span.to, filters.length === 1];
      const failed = { ...filter, statuses: ['FAILURE'], window: windowOf(span) };
      for await (const page of ask.eachExecution(failed, signal)) {
        // If the list is cut, only the starts that came in order have been looked at.
        if (rows >= max) return { rows, unreadable, readFrom: isInOrder ? oldest : span.to };
        rows += page.executions.length + page.unreadable;
        unreadable += page.unreadable;
        for (const execution of page.executions) {
          const startedAt = Date.parse(execution.startedAt);
          isInOrder &&= startedAt <= oldest;
          oldest = Math.min(oldest, startedAt);
          if (isAbout(about, execution.workflowName)) add(execution);
          await pause();
        }
      }
    }
    return { rows, unreadable, readFrom: span.from };
  };
}

/** Age of the oldest of the newest 100 executions that still run, milliseconds: others may take as long. */
async function longestUnfinished(ask: QueryClient, span: TimeSpan): Promise<MaybeFact<number>> {
  const filter = { statuses: ['TRIGGERED', 'IN_PROGRESS'], window: windowOf(span), page: 0, size: 100 };
  const { data, missing } = await orMissing(ask.executions(filter), 'which runs are unfinished');
  const ages = data?.executions.map(({ startedAt }) => span.to - Date.parse(startedAt)) ?? [];
  return { data: Math.max(0, ...ages), missing };
}

/** Workflows that completed with errors, by name, with the number of such runs. */
export type DigestWithErrors = SuccessesWithErrors & { readonly workflows: ReadonlyMap<string, number> };

/** The service filters executions by their start. Those that started earlier are not looked at. */
const longestExecutionMs = 10 * 60_000;
/** Ten pages hold the successes of a day of three workflows that run every five minutes. */
const pagesMax = 10;
const pageSize = 100;
const missingName = 'which runs completed with errors';

/** @returns null without a missing part if the service does not say which runs had errors */
export async function queryWithErrors(
  ask: QueryClient,
  about: ChosenWorkflows,
  span: TimeSpan,
): Promise<MaybeFact<DigestWithErrors>> {
  const window = windowOf({ from: span.from - longestExecutionMs, to: span.to });
  const found: Execution[] = [];
  const missing = new Set<string>();
  let pagesLeft = pagesMax;
  let isRead = true;
  for (const filter of filtersOf(about)) {
    let hasMore = true;
    for (let page = 0; hasMore && pagesLeft > 0; page += 1, pagesLeft -= 1) {
      const succeeded = { ...filter, statuses: ['SUCCESS'], window, page, size: pageSize };
      const { data, missing: lacking } = await orMissing(ask.executions(succeeded), missingName);
      for (const name of lacking) missing.add(name);
      if (data === null) return { data: countOf(about, span, found, false), missing: [...missing] };
      found.push(...data.executions);
      // A service that lacks the field needs no further question.
      if (found.length > 0 && countWithErrors(found, false) === null) return { data: null, missing: [] };
      hasMore = data.hasMore;
    }
    isRead &&= !hasMore;
  }
  return { data: countOf(about, span, found, isRead && missing.size === 0), missing: [...missing] };
}

function countOf(
  about: ChosenWorkflows,
  { from, to }: TimeSpan,
  found: readonly Execution[],
  isRead: boolean,
): DigestWithErrors | null {
  const executions = [...new Map(found.map((execution) => [execution.uuid, execution])).values()].filter(
    (execution) => {
      const endedAt = Date.parse(execution.finishedAt ?? execution.startedAt);
      return isAbout(about, execution.workflowName) && endedAt >= from && endedAt < to;
    },
  );
  const counts = countWithErrors(executions, isRead);
  if (counts === null) return null;
  const flawed = executions.filter(isCompletedWithErrors);
  const workflows = [...Map.groupBy(flawed, ({ workflowName }) => workflowName)].map(
    ([name, own]) => [name, own.length] as const,
  );
  return { ...counts, workflows: new Map(workflows.sort(([, one], [, other]) => other - one)) };
}
