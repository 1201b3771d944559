/** Batches for digests: facts about many workflows by uuid; what could not be read is named as missing. */
import type { Window } from '../../domain/window.ts';
import { type AliasedReply, aliasesMax, batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import type { Outcome } from '../client/fault.ts';
import { creditsBetween } from '../decimal.ts';
import { ExecutionIdsDocument, WorkflowCountsDocument, WorkflowDeploymentsDocument } from '../generated/operations.ts';
import { newestStartFirst } from '../pages.ts';
import type { DeploymentDetail, WindowCounts } from '../results.ts';
import { differenceOf, readCounts, rowTypes } from '../rows.ts';
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
  readonly ask: (ask: Ask, uuids: readonly string[]) => Promise<Outcome<readonly AliasedReply[]>>;
  /** How many places each workflow has. */
  readonly places: number;
  /** @returns undefined for what could not be read */
  readonly read: (places: readonly AliasedReply[]) => Data | undefined;
};

function workflowBatch<Data>({
  what,
  parameters = [],
  places,
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
        const found = batch.read(outcome.value.slice(index * places, (index + 1) * places));
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
    places: 1,
    ask: (ask, all) =>
      askDeployments(
        ask,
        all.map((uuid) => ({ workflowUUID: uuid, page: { number: 0, size: deploymentsMax } })),
      ),
    read: ([place]) => {
      const rows = place && rowsOf(rowTypes.deploymentDetail, place.reply, place.name);
      return rows && newestDeployedFirst(rows.rows).slice(0, deploymentsMax);
    },
  });
}

const askStarts = batchByAlias(ExecutionIdsDocument, 'workflowExecutions');

/** When the newest executions of each started, newest first, epoch milliseconds. */
export function newestStartsOperation(uuids: readonly string[]): Operation<ByUuid<readonly number[]>> {
  return workflowBatch<readonly number[]>({
    what: 'newest runs',
    uuids,
    places: 1,
    ask: (ask, all) =>
      askStarts(
        ask,
        all.map((workflowUuid) => ({
          workflowUuid,
          orderBy: newestStartFirst,
          page: { number: 0, size: startsMax },
        })),
      ),
    read: ([place]) => {
      const rows = place && rowsOf(rowTypes.executionId, place.reply, place.name);
      const starts = rows?.rows.map(({ startedAt }) => Date.parse(startedAt));
      return starts?.sort((one, other) => other - one).slice(0, startsMax);
    },
  });
}

/** A workflow has two: they stay in one document, so that nothing runs between them. */
const askCounts = batchByAlias(WorkflowCountsDocument, 'workflow', aliasesMax - (aliasesMax % 2));

/** The service counts from an instant until now, so a window is a difference. */
export function countsOfOperation(uuids: readonly string[], window: Window): Operation<ByUuid<WindowCounts>> {
  return workflowBatch({
    what: 'number of runs',
    uuids,
    parameters: windowKey(window),
    places: 2,
    ask: (ask, all) =>
      askCounts(
        ask,
        all.flatMap((uuid) => [window.from, window.to].map((from) => ({ uuid, from: instant(from) }))),
      ),
    read: (places) => {
      const [from, to] = places.map(({ reply, name }) => reply.part(name)?.['data']);
      const counts = differenceOf(readCounts(from), readCounts(to));
      return counts === null ? undefined : { ...counts, creditUsed: creditsBetween(from, to) };
    },
  });
}
