/** Batches for digests: facts about many workflows by uuid; unreadable ones are named as missing. */
import type { Window } from '../../domain/window.ts';
import { type AliasedReply, type BatchSizes, batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import type { Outcome } from '../client/fault.ts';
import { ExecutionIdsDocument, WorkflowCountsDocument, WorkflowDeploymentsDocument } from '../generated/operations.ts';
import type { DeploymentDetail, WindowCounts } from '../results.ts';
import { creditsBetween, differenceOf, newestStartFirst, readCounts, rowTypes } from '../rows.ts';
import { instant, windowKey } from '../spans.ts';
import { newestDeployedFirst } from './deployments.ts';
import { rowsOf } from './execution.ts';

const freshMs = 25_000;
/** Of each workflow. */
const deploymentsMax = 20;
const startsMax = 10;

type ByUuid<Data> = readonly (readonly [uuid: string, data: Data])[];

type WorkflowBatch<Data> = {
  /** The facts, in the plural; with `parameters` and uuids it identifies the operation. */
  readonly what: string;
  readonly uuids: readonly string[];
  readonly parameters?: readonly (string | number)[];
  readonly ask: (
    ask: Ask,
    uuids: readonly string[],
    batchSizes: BatchSizes,
  ) => Promise<Outcome<readonly AliasedReply[]>>;
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
    read: async (ask, batchSizes) => {
      const outcome = await batch.ask(ask, uuids, batchSizes);
      if ('fault' in outcome) return outcome;
      const data = uuids.flatMap((uuid, index) => {
        const found = batch.read(outcome.value.slice(index * repliesEach, (index + 1) * repliesEach));
        return found === undefined ? [] : [[uuid, found] as const];
      });
      const lost = uuids.length - data.length;
      return { value: { data, missing: lost > 0 ? [`the ${what} of ${lost} of ${uuids.length} workflows`] : [] } };
    },
  };
}

const askDeployments = batchByAlias(WorkflowDeploymentsDocument, 'workflowDeployments');

/** The newest of each, newest first. */
export function deploymentsOfOperation(uuids: readonly string[]): Operation<ByUuid<readonly DeploymentDetail[]>> {
  return workflowBatch<readonly DeploymentDetail[]>({
    what: 'deployments',
    uuids,
    repliesEach: 1,
    ask: (ask, all, batchSizes) =>
      askDeployments(
        ask,
        all.map((uuid) => ({ workflowUUID: uuid, page: { number: 0, size: deploymentsMax } })),
        batchSizes,
      ),
    read: ([aliased]) => {
      const rows = aliased && rowsOf(rowTypes.deploymentDetail, aliased.reply, aliased.name);
      return rows && newestDeployedFirst(rows.rows).slice(0, deploymentsMax);
    },
  });
}

const askStarts = batchByAlias(ExecutionIdsDocument, 'workflowExecutions');

/** The starts of the newest executions of each, newest first, epoch milliseconds. */
export function newestStartsOperation(uuids: readonly string[]): Operation<ByUuid<readonly number[]>> {
  return workflowBatch<readonly number[]>({
    what: 'newest runs',
    uuids,
    repliesEach: 1,
    ask: (ask, all, batchSizes) =>
      askStarts(
        ask,
        all.map((workflowUuid) => ({
          workflowUuid,
          orderBy: newestStartFirst,
          page: { number: 0, size: startsMax },
        })),
        batchSizes,
      ),
    read: ([aliased]) => {
      const rows = aliased && rowsOf(rowTypes.executionId, aliased.reply, aliased.name);
      const starts = rows?.rows.map(({ startedAt }) => Date.parse(startedAt));
      return starts?.sort((one, other) => other - one).slice(0, startsMax);
    },
  });
}

/** A workflow has two counts, in one document, so that no execution starts between them. */
const askCounts = batchByAlias(WorkflowCountsDocument, 'workflow', { together: 2 });

/** The service counts from an instant until now, so a window is a difference. */
export function countsOfOperation(uuids: readonly string[], window: Window): Operation<ByUuid<WindowCounts>> {
  return workflowBatch({
    what: 'number of runs',
    uuids,
    parameters: windowKey(window),
    repliesEach: 2,
    ask: (ask, all, batchSizes) =>
      askCounts(
        ask,
        all.flatMap((uuid) => [window.from, window.to].map((from) => ({ uuid, from: instant(from) }))),
        batchSizes,
      ),
    read: (replies) => {
      const [from, to] = replies.map(({ reply, name }) => reply.part(name)?.['data']);
      const counts = differenceOf(readCounts(from), readCounts(to));
      return counts === null ? undefined : { ...counts, creditUsed: creditsBetween(from, to) };
    },
  });
}
