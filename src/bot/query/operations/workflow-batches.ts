/** Facts about several workflows by uuid, in documents of a few aliases each. A workflow of which they are unreadable is left out and counted as missing. */
import type { Window } from '../../domain/window.ts';
import { type AliasedReply, type AskMany, batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { outcomeOf } from '../client/fault.ts';
import {
  ExecutionIdsDocument,
  ExecutionResultsDocument,
  WorkflowCountsDocument,
  WorkflowDeploymentsDocument,
  WorkflowExecutionsDocument,
} from '../generated/operations.ts';
import type { CountedDeployment, Execution, ExecutionResult, WindowCounts } from '../results.ts';
import { countsInWindow, isOwnPageSize, newestFirst, newestStartFirst, readRows, rowTypes } from '../rows.ts';
import { instant, windowKey } from '../spans.ts';
import { newestDeployedFirst } from './deployments.ts';

const freshMs = 25_000;
/** For each workflow: two days of hourly deployments. */
export const deploymentsMax = 50;
/** More than decide the health, since a service may ignore the order. */
const newestResultsMax = 10;
/** Fifteen workflows fit one document: some services allow 1,000 rows in one. */
const newestStartsMax = 60;
/** For each period. */
const periodStartsMax = 25;
/** As many as an investigation looks back. */
export const earlierFailuresMax = 100;

const oldestStartFirst = { field: 'STARTED_AT', order: 'ASC' } as const;

type ByUuid<Data> = readonly (readonly [uuid: string, data: Data])[];

/** A workflow, with what is asked about it. `before`: an instant that moves with the clock. */
type Item = { readonly uuid: string; readonly before?: number };

type Words = {
  readonly name: string;
  readonly subject: string;
  /** @param share of the workflows, such as `2 of 15` */
  readonly missing: (share: string) => string;
};

/** @param what the facts, in the plural */
function wordsOf(what: string): Words {
  return {
    name: `${what} of workflows`,
    subject: `the ${what} of these workflows`,
    missing: (share) => `the ${what} of ${share} workflows`,
  };
}

/** @param items each workflow once @param parameters that the items do not have */
function workflowBatch<Data>(
  { name, subject, missing }: Words,
  items: readonly Item[],
  parameters: Operation<unknown>['parameters'],
  read: (ask: Ask) => Promise<ByUuid<Data>>,
): Operation<ByUuid<Data>> {
  const foundIn = (data: ByUuid<Data>) => {
    const lost = items.length - data.length;
    return { data, missing: lost > 0 ? [missing(`${lost} of ${items.length}`)] : [] };
  };
  return {
    name,
    parameters: [...parameters, ...items.flatMap((item): readonly (string | number)[] => Object.values(item))],
    subject,
    freshMs: () => freshMs,
    parts: {
      keys: items.map(({ before: at = 0, ...own }) => ({ key: [...parameters, ...Object.values(own)].join(' '), at })),
      split: (data) => items.map(({ uuid }) => data.find(([own]) => own === uuid) ?? null),
      join: (parts) => foundIn(parts.filter((part) => part !== null)),
    },
    read: async (ask) => foundIn(await read(ask)),
  };
}

function itemsOf(uuids: readonly string[]): readonly Item[] {
  return [...new Set(uuids)].toSorted().map((uuid) => ({ uuid }));
}

/**
 * @param inputsOf the inputs of one workflow
 * @param read gets their replies @returns undefined if they are unreadable
 */
async function readEach<One extends Item, Input, Data>(
  ask: Ask,
  askMany: AskMany<Input>,
  items: readonly One[],
  inputsOf: (item: One) => readonly Input[],
  read: (replies: readonly AliasedReply[], item: One) => Data | undefined,
): Promise<ByUuid<Data>> {
  const inputs = items.map(inputsOf);
  const replies = [...(await askMany(ask, inputs.flat()))];
  return items.flatMap((item, index) => {
    const data = read(replies.splice(0, inputs[index]?.length), item);
    return data === undefined ? [] : [[item.uuid, data] as const];
  });
}

function rowsIn<Row>(
  schema: Parameters<typeof readRows<Row>>[0],
  reply: AliasedReply | undefined,
): readonly Row[] | undefined {
  return readRows(schema, reply?.list)?.rows;
}

function startOf({ startedAt }: { readonly startedAt: string }): number {
  return Date.parse(startedAt);
}

const askDeployments = batchByAlias(WorkflowDeploymentsDocument, 'workflowDeployments');

export function deploymentsOfOperation(
  uuids: readonly string[],
  rowsMax: number,
): Operation<ByUuid<readonly CountedDeployment[]>> {
  const items = itemsOf(uuids);
  const inputsOf = ({ uuid }: Item) => [{ workflowUUID: uuid, page: { number: 0, size: rowsMax } }];
  return workflowBatch<readonly CountedDeployment[]>(wordsOf('deployments'), items, [rowsMax], (ask) =>
    readEach(ask, askDeployments, items, inputsOf, ([reply]) => {
      const rows = rowsIn(rowTypes.countedDeployment, reply);
      return rows && newestDeployedFirst(rows).slice(0, rowsMax);
    }),
  );
}

const askResults = batchByAlias(ExecutionResultsDocument, 'workflowExecutions');

export function newestResultsOperation(uuids: readonly string[]): Operation<ByUuid<readonly ExecutionResult[]>> {
  const items = itemsOf(uuids);
  const page = { number: 0, size: newestResultsMax };
  const inputsOf = ({ uuid }: Item) => [{ workflowUuid: uuid, orderBy: newestStartFirst, page }];
  return workflowBatch<readonly ExecutionResult[]>(wordsOf('newest results'), items, [], (ask) =>
    readEach(ask, askResults, items, inputsOf, ([reply]) => {
      const rows = rowsIn(rowTypes.executionResult, reply);
      return rows && newestFirst(rows).slice(0, newestResultsMax);
    }),
  );
}

/** An even number: a workflow has two counts, in one document, so that no execution starts between them. */
const countsMax = 14;
const askCounts = batchByAlias(WorkflowCountsDocument, 'workflow', countsMax);

export function countsOfOperation(uuids: readonly string[], window: Window): Operation<ByUuid<WindowCounts>> {
  const items = itemsOf(uuids);
  const instants = window.isMoving ? [window.from] : [window.from, window.to];
  const inputsOf = ({ uuid }: Item) => instants.map((from) => ({ uuid, from: instant(from) }));
  return workflowBatch(wordsOf('number of runs'), items, windowKey(window), (ask) =>
    readEach(ask, askCounts, items, inputsOf, (replies) => {
      const [from, to] = replies.map(({ part }) => part?.['data']);
      const { counts, creditUsed } = countsInWindow(from, to, window.isMoving);
      return counts === null ? undefined : { ...counts, creditUsed };
    }),
  );
}

export type BeforeInstant = Item & {
  /** Epoch milliseconds; excluded. */
  readonly before: number;
};

export type EarlierRuns = {
  /** The newest, newest first, at most `earlierFailuresMax`. */
  readonly failures: readonly Execution[];
  /** Start of the oldest run that the service keeps, epoch milliseconds; null for none. */
  readonly oldestAt: number | null;
};

/** Two lists for each workflow. */
const earlierListsMax = 10;
const askEarlier = batchByAlias(WorkflowExecutionsDocument, 'workflowExecutions', earlierListsMax);

/** The failures of workflows before an instant, and since when the service keeps their runs. @param wanted each workflow once */
export function earlierFailuresOperation(wanted: readonly BeforeInstant[]): Operation<ByUuid<EarlierRuns>> {
  const words = { ...wordsOf('earlier failures'), name: 'failures of workflows before' };
  const inputsOf = ({ uuid: workflowUuid, before }: BeforeInstant) => {
    const page = { number: 0, size: earlierFailuresMax };
    const failed = { status: ['FAILURE'], to: instant(before - 1), orderBy: newestStartFirst, page };
    return [
      { workflowUuid, ...failed },
      { workflowUuid, orderBy: oldestStartFirst, page: { number: 0, size: 1 } },
    ];
  };
  return workflowBatch<EarlierRuns>(words, wanted, [], (ask) =>
    readEach(ask, askEarlier, wanted, inputsOf, (replies, { before }) => {
      const [failed, oldest] = replies.map((reply) => rowsIn(rowTypes.execution, reply));
      if (failed === undefined || oldest === undefined) return undefined;
      // Filters again: a service may ignore the status or the end.
      const earlier = failed.filter((row) => row.status === 'FAILURE' && startOf(row) < before);
      const starts = [...failed, ...oldest].map(startOf);
      const oldestAt = starts.length === 0 ? null : Math.min(...starts);
      return { failures: newestFirst(earlier).slice(0, earlierFailuresMax), oldestAt };
    }),
  );
}

const askIds = batchByAlias(ExecutionIdsDocument, 'workflowExecutions');
const askFirst = batchByAlias(WorkflowExecutionsDocument, 'workflowExecutions');

type Result = 'SUCCESS' | 'FAILURE';
const otherThan = { SUCCESS: 'FAILURE', FAILURE: 'SUCCESS' } as const;

export type WantedRuns = Item & {
  readonly result: Result;
  /** Tells its newest runs from earlier ones: an answer from before them is used only while the service does not answer. */
  readonly newest: string;
  /** With `SUCCESS`: the first failure since then is asked for, too, so many minutes ago, and the failures before; epoch milliseconds. */
  readonly failedSince: { readonly at: number; readonly minutes: number } | null;
};

/** Times are starts, in epoch milliseconds. */
export type RunsSince = {
  /** Start of the last run with the other result; null if the service keeps none. */
  readonly otherAt: number | null;
  /** Runs with the result since, and the first of them. */
  readonly count: number;
  readonly firstAt: number;
  /** The first failure in that time; undefined if it was not asked for, or there is none. */
  readonly firstFailedAt: number | undefined;
  /** Failures within `usualMs` before that time; null if not asked for, not answered, or if no run of its first week is kept. */
  readonly failedBefore: number | null;
  /** With `FAILURE`: the failures, and the successes, since `usualMs` before the last success; undefined if not known. */
  readonly usual: readonly (number | undefined)[];
  /** The newest run with the result `FAILURE`; undefined for successes, or if it could not be read. */
  readonly newestFailure: Execution | undefined;
};

const sinceWords: Words = {
  name: 'runs since the last other result of workflows',
  subject: 'the runs with the newest result of these workflows',
  missing: (share) => `since when ${share} workflows fail or succeed`,
};

/** How long the newest results of workflows have been alike. Two round trips for all. @param wanted each workflow once */
export function runsSinceOperation(wanted: readonly WantedRuns[]): Operation<ByUuid<RunsSince>> {
  const page = { number: 0, size: 1 };
  const oldest = { page, orderBy: oldestStartFirst };
  const sorted = wanted.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  const items = sorted.map(({ uuid, result, failedSince }) => ({ uuid, result, minutes: failedSince?.minutes ?? 0 }));
  const version = sorted.map(({ newest }) => newest).join(' ');
  const operation = workflowBatch(sinceWords, items, [], async (ask): Promise<ByUuid<RunsSince>> => {
    const lastOther = ({ uuid: workflowUuid, result, failedSince }: WantedRuns) => [
      { workflowUuid, status: [otherThan[result]], page, orderBy: newestStartFirst },
      ...(failedSince === null ? [] : failuresAround(failedSince.at, { ...oldest, workflowUuid })),
    ];
    const ends = await readEach(
      ask,
      askIds,
      sorted,
      lastOther,
      ([reply, failed, ...before], { result, failedSince }) => {
        const starts = startsWith(reply, otherThan[result]);
        const otherAt = starts?.length ? Math.max(...starts) : null;
        const failedBefore = failedSince && usualFailuresBefore(failedSince.at, before);
        return starts && { result, otherAt, firstFailedAt: startsWith(failed, 'FAILURE')?.[0], failedBefore };
      },
    );
    const known = ends.map(([uuid, end]) => ({ uuid, ...end }));
    const firstAlike = ({ uuid: workflowUuid, result, otherAt }: (typeof known)[number]) => {
      const [from, usualFrom] = otherAt === null ? [0, 0] : [otherAt + 1, otherAt - usualMs];
      const first = { workflowUuid, status: [result], from: instant(from), ...oldest };
      const newest = { ...first, from: instant(usualFrom), orderBy: newestStartFirst };
      return result === 'FAILURE' ? [first, newest, { ...newest, status: ['SUCCESS'] }] : [first];
    };
    return readEach(ask, askFirst, known, firstAlike, (replies, { result, otherAt, ...failed }) => {
      const [firstAt] = startsWith(replies[0], result) ?? [];
      const [count, ...usual] = replies.map(countIn);
      const newestFailure = rowsIn(rowTypes.execution, replies[1])?.find(({ status }) => status === 'FAILURE');
      const isRead = firstAt !== undefined && count !== undefined;
      return isRead ? { otherAt, count, firstAt, ...failed, usual, newestFailure } : undefined;
    });
  });
  return { ...operation, version };
}

/** The time before a window that shows how often a workflow usually fails. */
export const usualMs = 28 * 86_400_000;
const weekMs = 7 * 86_400_000;

/** Those since then, those of the usual time before, and the oldest run that is kept. */
function failuresAround<Oldest>(at: number, oldest: Oldest) {
  const failed = { ...oldest, status: ['FAILURE'] };
  return [{ ...failed, from: instant(at) }, { ...failed, from: instant(at - usualMs), to: instant(at - 1) }, oldest];
}

/** A workflow whose runs are kept for a few days only has no usual number of failures. */
function usualFailuresBefore(at: number, [failed, oldest]: readonly AliasedReply[]): number | null {
  const [keptSince = at] = rowsIn(rowTypes.executionId, oldest)?.map(startOf) ?? [];
  const count = countIn(failed);
  return count !== undefined && keptSince < at - usualMs + weekMs ? count : null;
}

function countIn(reply: AliasedReply | undefined): number | undefined {
  const count = reply?.part?.['count'];
  return typeof count === 'number' ? count : undefined;
}

/** A service may ignore the status. @returns undefined if unreadable */
function startsWith(reply: AliasedReply | undefined, result: Result): readonly number[] | undefined {
  const rows = rowsIn(rowTypes.executionId, reply);
  return rows?.filter(({ status }) => status === result).map(startOf);
}

/** Newest first, epoch milliseconds; `isWhole`: there are no older ones. */
export type NewestStarts = { readonly starts: readonly number[]; readonly isWhole: boolean };

/** @param until later starts are left out; null for none */
export function newestStartsOperation(uuids: readonly string[], until: number | null): Operation<ByUuid<NewestStarts>> {
  const items = itemsOf(uuids);
  return workflowBatch<NewestStarts>(wordsOf('newest runs'), items, [until ?? 'until now'], async (ask) => {
    const newest = await startsUntil(
      ask,
      items.map(({ uuid }) => ({ uuid, until })),
    );
    const short = newest.filter(([, starts]) => mayBeCut(starts));
    const older = await outcomeOf(
      startsUntil(
        ask,
        short.map(([uuid, starts]) => ({ uuid, until: starts.at(-1) ?? 0 })),
      ),
    );
    const olderOf = new Map('fault' in older ? [] : older.value);
    return newest.map(([uuid, starts]) => {
      const isWhole =
        starts.length < newestStartsMax && (!mayBeCut(starts) || isNothingOlder(starts, olderOf.get(uuid)));
      return [uuid, { starts: starts.slice(0, newestStartsMax), isWhole }] as const;
    });
  });
}

type UntilInstant = Item & { readonly until: number | null };

/** The newest starts up to an end, newest first. */
function startsUntil(ask: Ask, items: readonly UntilInstant[]): Promise<ByUuid<readonly number[]>> {
  const page = { number: 0, size: newestStartsMax };
  const inputsOf = ({ uuid: workflowUuid, until }: UntilInstant) => [
    { workflowUuid, ...(until !== null && { to: instant(until) }), orderBy: newestStartFirst, page },
  ];
  return readEach(ask, askIds, items, inputsOf, ([reply], { until }) => {
    const starts = rowsIn(rowTypes.executionId, reply)?.map(startOf);
    return starts?.filter((start) => until === null || start <= until).sort((one, other) => other - one);
  });
}

/** A service may have a smaller page size than the requested one. */
function mayBeCut({ length }: readonly number[]): boolean {
  return length < newestStartsMax && isOwnPageSize(length);
}

/** @param upToOldest the starts up to the oldest of `starts` */
function isNothingOlder(starts: readonly number[], upToOldest: readonly number[] | undefined): boolean {
  const oldest = starts.at(-1);
  return upToOldest !== undefined && upToOldest.length <= starts.filter((start) => start === oldest).length;
}

/** `to` is excluded; epoch milliseconds. */
export type PeriodOfWorkflow = Item & { readonly from: number; readonly to: number };

/** In order; `isCut`: there may be more in the period. */
export type StartsInPeriod = { readonly starts: readonly number[]; readonly isCut: boolean };

export function startsInPeriodsOperation(
  periods: readonly PeriodOfWorkflow[],
): Operation<readonly (StartsInPeriod | null)[]> {
  const page = { number: 0, size: periodStartsMax };
  const foundIn = (data: readonly (StartsInPeriod | null)[]) => {
    return { data, missing: data.includes(null) ? ['the runs of earlier weeks'] : [] };
  };
  return {
    name: 'runs in periods',
    parameters: periods.flatMap(({ uuid, from, to }) => [uuid, from, to]),
    subject: 'the runs of earlier weeks',
    freshMs: () => freshMs,
    parts: {
      keys: periods.map(({ uuid, from, to }) => ({ key: `${uuid} ${from}`, at: to })),
      split: (data) => data,
      join: foundIn,
    },
    read: async (ask) => {
      const inputs = periods.map(({ uuid: workflowUuid, from, to }) => {
        return { workflowUuid, from: instant(from), to: instant(to - 1), orderBy: oldestStartFirst, page };
      });
      const replies = await askIds(ask, inputs);
      return foundIn(periods.map((period, index) => startsInPeriod(replies[index], period)));
    },
  };
}

/** Orders and filters again: a service may ignore either. */
function startsInPeriod(reply: AliasedReply | undefined, { from, to }: PeriodOfWorkflow): StartsInPeriod | null {
  const read = rowsIn(rowTypes.executionId, reply)?.map(startOf);
  if (read === undefined) return null;
  const starts = read.filter((start) => start >= from && start < to).sort((one, other) => one - other);
  return { starts, isCut: read.length >= periodStartsMax };
}
