/** The query client of one workspace: every operation of the bot, each with the age and source of its answer. */

import type { Clock } from '../../shared/time/clock.ts';
import { onlyOnce } from '../../shared/time/timeout.ts';
import type { Window } from '../domain/window.ts';
import type { Answers, Operation, QueryWorkspace } from './cache/answers.ts';
import type { Streams } from './cache/streams.ts';
import { activitiesOperation, activityOperation } from './operations/activity.ts';
import { deploymentOperation, deploymentsOperation } from './operations/deployments.ts';
import { executionEventsOperation, executionLogsOperation, executionOperation } from './operations/execution.ts';
import { eventsOfOperation } from './operations/execution-events.ts';
import {
  type ExecutionsPageFilter,
  eachExecutionStream,
  executionsOperation,
  type FailuresFilter,
  failuresOperation,
} from './operations/executions.ts';
import { findExecutionOperation } from './operations/find-execution.ts';
import { countsAroundOperation, type HistoryParameters, historyOperation } from './operations/history.ts';
import { accountOperation, organizationOperation } from './operations/organization.ts';
import { countsOfOperation, deploymentsOfOperation, newestStartsOperation } from './operations/workflow-batches.ts';
import { workflowStatusOperation } from './operations/workflow-status.ts';
import {
  allWorkflowsOperation,
  everyWorkflowOperation,
  workflowNamesOperation,
  workflowsOperation,
} from './operations/workflows.ts';
import type {
  ActivityFilter,
  CountsAroundParameters,
  DeploymentsParameters,
  ExecutionsFilter,
  QueryOptions,
  WorkflowStatusParameters,
  WorkflowsFilter,
} from './parameters.ts';
import type { Answered, ExecutionRows } from './results.ts';

export type QueryClientDeps = {
  readonly answers: Answers;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly workspace: QueryWorkspace | (() => Promise<QueryWorkspace>);
  readonly options: QueryOptions;
};

/**
 * Every method rejects with AppError (`unauthorized`, `rate_limited`, `unavailable`, `internal`) when there is no answer.
 * A cached answer settles in microtasks, without any I/O; every other calls `onWait` first.
 */
export type QueryClient = ReturnType<typeof createQueryClient>;

export function createQueryClient({ answers, streams, clock, workspace, options }: QueryClientDeps) {
  const once = { ...options, onWait: onlyOnce(options.onWait) };
  const resolveWorkspace = async () => (typeof workspace === 'function' ? await workspace() : workspace);
  const run: Run = async (operation) => answers.answer(await resolveWorkspace(), operation, once);
  return {
    ...workflowMethods(run),
    ...executionMethods(run),
    ...batchMethods(run),
    /** The execution counts before and after an instant. One round trip. */
    countsAround: (parameters: CountsAroundParameters) => run(countsAroundOperation(parameters, clock())),
    /**
     * Every execution, page by page, newest first and none twice. Holds two pages at most, waits as long as a busy
     * service asks, and caches nothing. Throws the signal's reason when it is aborted.
     */
    eachExecution: async function* (filter: ExecutionsFilter, signal?: AbortSignal): AsyncIterable<ExecutionRows> {
      once.onWait();
      yield* streams.read(await resolveWorkspace(), eachExecutionStream(filter), { signal, onPause: options.onPause });
    },
  };
}

type Run = <Data>(operation: Operation<Data>) => Promise<Answered<Data>>;

function workflowMethods(run: Run) {
  return {
    organization: () => run(organizationOperation),
    /** One round trip. */
    account: () => run(accountOperation),
    workflows: (filter: WorkflowsFilter) => run(workflowsOperation(filter)),
    /** The workflows whose names the service matches with this text, at most 100; cached for minutes, unlike a list's rows. */
    workflowNames: (search: string) => run(workflowNamesOperation(search)),
    /** Every workflow, read page by page; for mistyped names and pasted ids. */
    allWorkflows: () => run(allWorkflowsOperation),
    /** Every workflow with its last start, read page by page. */
    everyWorkflow: () => run(everyWorkflowOperation),
    /** One round trip. */
    workflowStatus: (parameters: WorkflowStatusParameters) => run(workflowStatusOperation(parameters)),
    /** The page counts from 0, its size is 1 to 100; newest first. One round trip. */
    deployments: (parameters: DeploymentsParameters) => run(deploymentsOperation(parameters)),
    /** Null when no deployment has this uuid. */
    deployment: (uuid: string) => run(deploymentOperation(uuid)),
    /** Whole UTC days in order, the first and the last cut to the window; of all workflows where none is named. */
    activity: (filter: ActivityFilter) => run(activityOperation(filter)),
  };
}

function executionMethods(run: Run) {
  return {
    /** @param filter with the page, counted from 0, and its size, 1 to 100. One round trip. */
    executions: (filter: ExecutionsPageFilter) => run(executionsOperation(filter)),
    /** Reads page by page until one comes back short. @param filter `max`: the most failures returned, 2,000 by default */
    failures: (filter: FailuresFilter) => run(failuresOperation(filter)),
    /** With events and log, in one round trip; null when no execution has this uuid, as in the two that follow. */
    execution: (uuid: string) => run(executionOperation(uuid)),
    /** The execution and its events; `logs` is null. One round trip. */
    executionEvents: (uuid: string) => run(executionEventsOperation(uuid)),
    /** The execution and its log; `events` is null. One round trip. */
    executionLogs: (uuid: string) => run(executionLogsOperation(uuid)),
    /** The uuid of the execution with this 64-hex id, with or without `0x`; null when there is none. */
    findExecution: (hash: string) => run(findExecutionOperation(hash)),
    /** @param parameters `before`: start of the execution under investigation, epoch milliseconds. One round trip. */
    history: (parameters: HistoryParameters) => run(historyOperation(parameters)),
  };
}

/** Each sends one document for several executions or workflows. */
function batchMethods(run: Run) {
  return {
    /** The events of several executions by uuid, without those the service could not return. One round trip for up to six. */
    eventsOf: async (uuids: readonly string[]) => byKey(await run(eventsOfOperation(uuids))),
    /** As `activity`, up to 15 in one round trip; null where one could not be read whole. */
    activities: (filters: readonly ActivityFilter[]) => run(activitiesOperation(filters)),
    /** The newest deployments by workflow uuid, at most 20 each, newest first. One round trip for up to 15 workflows. */
    deploymentsOf: async (uuids: readonly string[]) => byKey(await run(deploymentsOfOperation(uuids))),
    /** The starts of the newest executions by workflow uuid, at most 10 each, newest first, epoch milliseconds. One round trip for up to 15. */
    newestStartsOf: async (uuids: readonly string[]) => byKey(await run(newestStartsOperation(uuids))),
    /** The counts in the window by workflow uuid. One round trip for up to 7 workflows. */
    countsOf: async (uuids: readonly string[], window: Window) => byKey(await run(countsOfOperation(uuids, window))),
  };
}

function byKey<Data>({
  data,
  provenance,
}: Answered<readonly (readonly [string, Data])[]>): Answered<ReadonlyMap<string, Data>> {
  return { data: new Map(data), provenance };
}
