/** Batches for digests: facts about many workflows by uuid; unreadable ones are named as missing. */
import type { Window } from '../../domain/window.ts';
import { type AliasedReply, batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import type { Outcome } from '../client/fault.ts';
import {
  ExecutionIdsDocument,
  ExecutionResultsDocument,
  WorkflowCountsDocument,
  WorkflowDeploymentsDocument,
} from '../generated/operations.ts';
import type { DeploymentDetail, ExecutionResult, WindowCounts } from '../results.ts';
import {
  creditsBetween,
  differenceOf,
  isOwnPageSize,
  newestFirst,
  newestStartFirst,
  readCounts,
  readCredits,
  rowTypes,
} from '../rows.ts';
import { instant, windowKey } from '../spans.ts';
import { newestDeployedFirst } from './deployments.ts';
import { rowsOf } from './execution.ts';

const freshMs = 25_000;
/** For each workflow: two days of hourly deployments. */
export const deploymentsMax = 50;
/** More than decide the health, since a service may ignore the order. */
const newestResultsMax = 10;
/** Fifteen workflows fit one document: some services allow 1,000 rows in one. */
const newestStartsMax = 60;
/** For each period. */
const periodStartsMax = 25;

type ByUuid<Data> = readonly (readonly [uuid: string, data: Data])[];

type WorkflowBatch<Data> = {
  /** The facts, in the plural; with `parameters` and uuids it identifies the operation. */
  readonly what: string;
  readonly uuids: readonly string[];
  readonly parameters?: readonly (string | number)[];
  readonly ask: (ask: Ask, uuids: readonly string[]) => Promise<Outcome<readonly AliasedReply[]>>;
  /** Number of replies for each workflow. */
  readonly repliesEach: number;
  /** @returns undefined if unreadable */
  readonly read: (replies: readonly AliasedReply[]) => Data | undefined;
};

function workflowBatch<Data>({
  what,
  parameters = [],
  repliesEach,
  ...batch
}: WorkflowBatch<Data>): Operation<ByUuid<Data>> {
  const uuids = [...new Set(batch.uuids)].toSorted();
  return {
    name: `${what} of workflows`,
    parameters: [...parameters, ...uuids],
    subject: `the ${what} of these workflows`,
    freshMs: () => freshMs,
    read: async (ask) => {
      const outcome = await batch.ask(ask, uuids);
      if ('fault' in outcome) return outcome;
      const data = uuids.flatMap((uuid, index) => {
        const found = batch.read(outcome.value.slice(index * repliesEach, (index + 1) * repliesEach));
        return found === undefined ? [] : [[uuid, found] as const];
      });
      return { value: { data, missing: missingOf(what, uuids.length - data.length, uuids.length) } };
    },
  };
}

const askDeployments = batchByAlias(WorkflowDeploymentsDocument, 'workflowDeployments');

/** The newest of each, newest first, at most `rowsMax`. */
export function deploymentsOfOperation(
  uuids: readonly string[],
  rowsMax: number,
): Operation<ByUuid<readonly DeploymentDetail[]>> {
  return workflowBatch<readonly DeploymentDetail[]>({
    what: 'deployments',
    uuids,
    parameters: [rowsMax],
    repliesEach: 1,
    ask: (ask, all) =>
      askDeployments(
        ask,
        all.map((uuid) => ({ workflowUUID: uuid, page: { number: 0, size: rowsMax } })),
      ),
    read: ([aliased]) => {
      const rows = aliased && rowsOf(rowTypes.deploymentDetail, aliased.reply, aliased.name);
      return rows && newestDeployedFirst(rows.rows).slice(0, rowsMax);
    },
  });
}

const askResults = batchByAlias(ExecutionResultsDocument, 'workflowExecutions');

/** The newest results of each, newest first, at most `newestResultsMax`. */
export function newestResultsOperation(uuids: readonly string[]): Operation<ByUuid<readonly ExecutionResult[]>> {
  return workflowBatch<readonly ExecutionResult[]>({
    what: 'newest results',
    uuids,
    repliesEach: 1,
    ask: (ask, all) =>
      askResults(
        ask,
        all.map((workflowUuid) => ({
          workflowUuid,
          orderBy: newestStartFirst,
          page: { number: 0, size: newestResultsMax },
        })),
      ),
    read: ([aliased]) => {
      const rows = aliased && rowsOf(rowTypes.executionResult, aliased.reply, aliased.name);
      return rows && newestFirst(rows.rows).slice(0, newestResultsMax);
    },
  });
}

const askStarts = batchByAlias(ExecutionIdsDocument, 'workflowExecutions');

/** Newest first, epoch milliseconds; `isWhole`: there are no older ones. */
export type NewestStarts = { readonly starts: readonly number[]; readonly isWhole: boolean };

/** @param until later starts are left out; null for none */
export function newestStartsOperation(uuids: readonly string[], until: number | null): Operation<ByUuid<NewestStarts>> {
  const all = [...new Set(uuids)].toSorted();
  return {
    name: 'newest runs of workflows',
    parameters: [until ?? 'until now', ...all],
    subject: 'the newest runs of these workflows',
    freshMs: () => freshMs,
    read: async (ask) => {
      const newest = await startsUntil(
        ask,
        all.map((uuid) => ({ uuid, until })),
      );
      if ('fault' in newest) return newest;
      const short = newest.value.filter(({ starts }) => mayBeCut(starts));
      const older = await startsUntil(
        ask,
        short.map(({ uuid, starts }) => ({ uuid, until: starts.at(-1) ?? 0 })),
      );
      const olderOf = new Map('fault' in older ? [] : older.value.map(({ uuid, starts }) => [uuid, starts]));
      const data = newest.value.map(({ uuid, starts }) => {
        const isWhole =
          starts.length < newestStartsMax && (!mayBeCut(starts) || isNothingOlder(starts, olderOf.get(uuid)));
        return [uuid, { starts: starts.slice(0, newestStartsMax), isWhole }] as const;
      });
      return { value: { data, missing: missingOf('newest runs', all.length - data.length, all.length) } };
    },
  };
}

type StartsOf = { readonly uuid: string; readonly starts: readonly number[] };

/** The newest starts up to an end, newest first; a workflow whose list is unreadable is left out. */
async function startsUntil(
  ask: Ask,
  ends: readonly { readonly uuid: string; readonly until: number | null }[],
): Promise<Outcome<readonly StartsOf[]>> {
  const inputs = ends.map(({ uuid: workflowUuid, until }) => ({
    workflowUuid,
    ...(until !== null && { to: instant(until) }),
    orderBy: newestStartFirst,
    page: { number: 0, size: newestStartsMax },
  }));
  const outcome = await askStarts(ask, inputs);
  if ('fault' in outcome) return outcome;
  const lists = ends.flatMap(({ uuid, until }, index) => {
    const aliased = outcome.value[index];
    const read = aliased && startsOf(aliased);
    const starts = read?.filter((start) => until === null || start <= until).sort((one, other) => other - one);
    return starts ? [{ uuid, starts }] : [];
  });
  return { value: lists };
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

function startsOf({ reply, name }: AliasedReply): number[] | undefined {
  return rowsOf(rowTypes.executionId, reply, name)?.rows.map(({ startedAt }) => Date.parse(startedAt));
}

function missingOf(what: string, lost: number, count: number): readonly string[] {
  return lost > 0 ? [`the ${what} of ${lost} of ${count} workflows`] : [];
}

/** `to` is excluded; epoch milliseconds. */
export type PeriodOfWorkflow = { readonly uuid: string; readonly from: number; readonly to: number };

/** In order; `isCut`: there may be more in the period. */
export type StartsInPeriod = { readonly starts: readonly number[]; readonly isCut: boolean };

/** The first starts in each period, in the order of the periods; null where they could not be read. */
export function startsInPeriodsOperation(
  periods: readonly PeriodOfWorkflow[],
): Operation<readonly (StartsInPeriod | null)[]> {
  return {
    name: 'runs in periods',
    parameters: periods.flatMap(({ uuid, from, to }) => [uuid, from, to]),
    subject: 'the runs of earlier weeks',
    freshMs: () => freshMs,
    read: async (ask) => {
      const inputs = periods.map(({ uuid: workflowUuid, from, to }) => ({
        workflowUuid,
        from: instant(from),
        to: instant(to - 1),
        orderBy: { field: 'STARTED_AT', order: 'ASC' } as const,
        page: { number: 0, size: periodStartsMax },
      }));
      const outcome = await askStarts(ask, inputs);
      if ('fault' in outcome) return outcome;
      const data = outcome.value.map((aliased, index) => startsInPeriod(startsOf(aliased), periods[index]));
      return { value: { data, missing: data.includes(null) ? ['the runs of earlier weeks'] : [] } };
    },
  };
}

/** Orders and filters again: a service may ignore either. */
function startsInPeriod(
  read: readonly number[] | undefined,
  period: PeriodOfWorkflow | undefined,
): StartsInPeriod | null {
  if (read === undefined || period === undefined) return null;
  const starts = read.filter((start) => start >= period.from && start < period.to).sort((one, other) => one - other);
  return { starts, isCut: read.length >= periodStartsMax };
}

/** An even number: a workflow has two counts, in one document, so that no execution starts between them. */
const countsMax = 14;
const askCounts = batchByAlias(WorkflowCountsDocument, 'workflow', countsMax);

/** The service counts from an instant until now, so a window is a difference; one that has not ended needs no end. */
export function countsOfOperation(uuids: readonly string[], window: Window): Operation<ByUuid<WindowCounts>> {
  const instants = window.isMoving ? [window.from] : [window.from, window.to];
  return workflowBatch({
    what: 'number of runs',
    uuids,
    parameters: windowKey(window),
    repliesEach: instants.length,
    ask: (ask, all) =>
      askCounts(
        ask,
        all.flatMap((uuid) => instants.map((from) => ({ uuid, from: instant(from) }))),
      ),
    read: (replies) => {
      const [from, to] = replies.map(({ reply, name }) => reply.part(name)?.['data']);
      const counts = window.isMoving ? readCounts(from) : differenceOf(readCounts(from), readCounts(to));
      if (counts === null) return undefined;
      return { ...counts, creditUsed: window.isMoving ? readCredits(from) : creditsBetween(from, to) };
    },
  });
}
