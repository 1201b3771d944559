/** Query clients: one for each request of a workspace, over connections and a cache that all workspaces share. */

import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { allowedEndpoint, readOrigins } from '../../shared/allowed-endpoint.ts';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import type { Window } from '../domain/window.ts';
import { AnswerStore } from './cache/answer-store.ts';
import { Answers, type Operation, type QueryRuntime, type QueryWorkspace } from './cache/answers.ts';
import { readStream } from './cache/streams.ts';
import { type KeyChecks, WorkspaceHealth } from './cache/workspace-health.ts';
import { deadlineDefaultMs, type Wait } from './client/deadline.ts';
import { createPool, type ProxySettings } from './client/pool.ts';
import * as activity from './operations/activity.ts';
import * as deployments from './operations/deployments.ts';
import * as execution from './operations/execution.ts';
import * as executions from './operations/executions.ts';
import { executionsByPrefixOperation } from './operations/find-execution.ts';
import * as history from './operations/history.ts';
import { accountOperation, organizationOperation } from './operations/organization.ts';
import * as batches from './operations/workflow-batches.ts';
import { workflowStatusOperation } from './operations/workflow-status.ts';
import * as workflows from './operations/workflows.ts';
import type {
  ActivityFilter,
  DeploymentsParameters,
  ExecutionsFilter,
  QueryOptions,
  WorkflowStatusParameters,
  WorkflowsFilter,
  WorkflowsSelection,
} from './parameters.ts';
import type { Answered, ExecutionRows } from './results.ts';

export type QueryServiceDeps = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure?: Measure;
  /** The only origins that are contacted, as they are configured (`readOrigins`). */
  readonly origins: readonly string[];
  readonly proxy?: ProxySettings;
  /** Resolves names to addresses; the system's resolver if left out. */
  readonly lookup?: LookupFunction;
  /** For one operation, retries and pauses included; 8 s if left out. */
  readonly deadlineMs?: number;
  /** Number of cached answers, and of parts of them; 20,000 if left out. */
  readonly answersMax?: number;
  /** Waits before a retry; a timer if left out. */
  readonly wait?: Wait;
};

/** The address and the key of one workspace's query service. */
export type QueryCredential = KeyChecks & {
  readonly teamId: string;
  /** Identifies the key without revealing it. Another key has another id, so that no answer outlives its key. */
  readonly keyId: string;
  readonly endpoint: string;
  /** The key, or a function that decrypts it just before each request. */
  readonly apiKey: string | (() => string | Promise<string>);
};

export type QueryService = {
  /**
   * @param credential or a function that finds it, called once, before the first operation
   * @throws AppError `forbidden` for an endpoint outside the configured origins; with a function, the first operation rejects
   */
  forWorkspace(credential: QueryCredential | (() => Promise<QueryCredential>), options: QueryOptions): QueryClient;
  /** Aborts requests in flight and closes every connection. */
  close(): Promise<void>;
};

const answersDefaultMax = 20_000;
const workspacesMax = 10_000;

export function createQueryService(deps: QueryServiceDeps): QueryService {
  const { clock, log, measure = measureNothing, proxy = {}, deadlineMs = deadlineDefaultMs } = deps;
  const origins = readOrigins(deps.origins);
  const closing = new AbortController();
  const wait = deps.wait ?? ((ms) => setTimeout(ms, undefined, { signal: closing.signal }).catch(() => undefined));
  const pool = createPool({ proxy, origins, lookup: deps.lookup });
  const store = new AnswerStore(deps.answersMax ?? answersDefaultMax);
  const healths = createLruCache<WorkspaceHealth>({ entriesMax: workspacesMax });
  const runtime: QueryRuntime = { clock, log, measure, pool, deadlineMs, wait };
  const answers = new Answers(runtime, store);
  const workspaceOf = (credential: QueryCredential): QueryWorkspace => {
    const { teamId, keyId, endpoint, apiKey, ...checks } = credential;
    const url = allowedEndpoint(endpoint, origins);
    const identity = [teamId, keyId, url.href];
    const key = JSON.stringify(identity);
    const health = healths.get(key) ?? new WorkspaceHealth(clock);
    health.keyChecks = checks;
    healths.set(key, health);
    const access = { url, apiKey: typeof apiKey === 'string' ? () => apiKey : apiKey, documents: health.documents };
    return { teamId, identity, health, access };
  };
  return {
    forWorkspace: (credential, options) => {
      const known = typeof credential === 'function' ? undefined : workspaceOf(credential);
      const find = async () => known ?? workspaceOf(typeof credential === 'function' ? await credential() : credential);
      let workspace: Promise<QueryWorkspace> | undefined;
      const resolveWorkspace = () => {
        workspace ??= find();
        return workspace;
      };
      return createQueryClient(runtime, answers, resolveWorkspace, options);
    },
    close: async () => {
      store.close();
      closing.abort();
      await pool.close();
    },
  };
}

/**
 * Every operation of the bot; each answer has its age and source. A method rejects with AppError (`unauthorized`,
 * `rate_limited`, `unavailable`, `internal`) if there is no answer. A cached answer settles in microtasks, without I/O.
 */
export type QueryClient = ReturnType<typeof createQueryClient>;

function createQueryClient(
  runtime: QueryRuntime,
  answers: Answers,
  resolveWorkspace: () => Promise<QueryWorkspace>,
  options: QueryOptions,
) {
  const run: Run = async (operation) => answers.answer(await resolveWorkspace(), operation, options);
  return {
    ...workflowMethods(run),
    ...executionMethods(run),
    ...batchMethods(run),
    /**
     * Every execution, page by page, newest first, without duplicates. Has at most two pages in memory, waits as long as a
     * busy service asks, and caches nothing. Throws the signal's reason if it is aborted.
     */
    eachExecution: async function* (filter: ExecutionsFilter, signal?: AbortSignal): AsyncIterable<ExecutionRows> {
      const reading = { signal, onPause: options.onPause };
      yield* readStream(runtime, await resolveWorkspace(), executions.eachExecutionStream(filter), reading);
    },
  };
}

type Run = <Data>(operation: Operation<Data>) => Promise<Answered<Data>>;

function workflowMethods(run: Run) {
  return {
    organization: () => run(organizationOperation),
    /** One round trip. */
    account: () => run(accountOperation),
    workflows: (filter: WorkflowsFilter) => run(workflows.workflowsOperation(filter)),
    /** The workflows whose names the service matches with this text, at most 100; cached for minutes, unlike the rows of a list. */
    workflowNames: (search: string) => run(workflows.workflowNamesOperation(search)),
    /** Every workflow, read page by page; for mistyped names and pasted ids. */
    allWorkflows: () => run(workflows.allWorkflowsOperation),
    /** Every workflow of a selection with its last start, read page by page. */
    everyWorkflow: (selection: WorkflowsSelection = {}) => run(workflows.everyWorkflowOperation(selection)),
    /** Null if no workflow has this uuid. One round trip. */
    workflowStatus: (parameters: WorkflowStatusParameters) => run(workflowStatusOperation(parameters)),
    /** The page counts from 0, its size is 1 to 100; newest first. One round trip. */
    deployments: (parameters: DeploymentsParameters) => run(deployments.deploymentsOperation(parameters)),
    /** Null if no deployment has this uuid. */
    deployment: (uuid: string) => run(deployments.deploymentOperation(uuid)),
    /** Whole UTC days in order, the first and the last cut to the window; of all workflows if none is named. */
    activity: (filter: ActivityFilter) => run(activity.activityOperation(filter)),
    /** Hours for at most 30 of them, days of the zone for at most 40, otherwise UTC days. */
    activitySeries: (filter: ActivityFilter, zone: string) => run(activity.activitySeriesOperation(filter, zone)),
  };
}

function executionMethods(run: Run) {
  return {
    /** @param filter with the page, counted from 0, and its size, 1 to 100. One round trip. */
    executions: (filter: executions.ExecutionsPageFilter) => run(executions.executionsOperation(filter)),
    /** Reads page by page until one is short. @param filter `max`: the most failures returned, 2,000 by default */
    failures: (filter: executions.FailuresFilter) => run(executions.failuresOperation(filter)),
    /** With events and log, in one round trip; null if no execution has this uuid, as in the next two. */
    execution: (uuid: string) => run(execution.executionOperation(uuid)),
    /** The execution and its events; `logs` is null. One round trip. */
    executionEvents: (uuid: string) => run(execution.executionEventsOperation(uuid)),
    /** The execution and its log; `events` is null. One round trip. */
    executionLogs: (uuid: string) => run(execution.executionLogsOperation(uuid)),
    /** The executions whose id or uuid begins with the prefix, of 8 characters or more; newest first. */
    executionsByPrefix: (prefix: string) => run(executionsByPrefixOperation(prefix)),
    /** @param parameters `before`: start of the execution under investigation, epoch milliseconds. One round trip. */
    history: (parameters: history.HistoryParameters) => run(history.historyOperation(parameters)),
    /** The workflow's executions from each instant until now; null for a count that could not be read. */
    countsSince: (parameters: history.CountsSinceParameters) => run(history.countsSinceOperation(parameters)),
  };
}

/** Each sends documents for several executions or workflows, of at most 15 aliases. */
function batchMethods(run: Run) {
  return {
    /** The events of several executions by uuid, without those the service could not return. */
    eventsOf: async (uuids: readonly string[]) => byKey(await run(execution.eventsOfOperation(uuids))),
    /** As `activity`; null where one could not be read whole. */
    activities: (filters: readonly ActivityFilter[]) => run(activity.activitiesOperation(filters)),
    /** The newest deployments by workflow uuid, at most `rowsMax` each, `deploymentsMax` if left out, newest first. */
    deploymentsOf: async (uuids: readonly string[], rowsMax = batches.deploymentsMax) =>
      byKey(await run(batches.deploymentsOfOperation(uuids, rowsMax))),
    /** The newest results by workflow uuid, newest first; enough to say how each is doing now. */
    newestResultsOf: async (uuids: readonly string[]) => byKey(await run(batches.newestResultsOperation(uuids))),
    /** The runs with the result since the last run with the other one, by workflow uuid, as far as known. Two round trips. */
    runsSinceOf: async (wanted: readonly batches.WantedRuns[]) => byKey(await run(batches.runsSinceOperation(wanted))),
    /** The failures before an instant, at most 100, newest first, by workflow uuid, as far as known. */
    earlierFailuresOf: async (wanted: readonly batches.BeforeInstant[]) =>
      byKey(await run(batches.earlierFailuresOperation(wanted))),
    /**
     * The starts of the newest executions by workflow uuid, at most 60 each, newest first, epoch milliseconds; none after `until`,
     * if it is given.
     */
    newestStartsOf: async (uuids: readonly string[], until: number | null = null) =>
      byKey(await run(batches.newestStartsOperation(uuids, until))),
    /** The first starts in each period, at most 25; null where they could not be read. */
    startsIn: (periods: readonly batches.PeriodOfWorkflow[]) => run(batches.startsInPeriodsOperation(periods)),
    /** The counts in the window by workflow uuid. */
    countsOf: async (uuids: readonly string[], window: Window) =>
      byKey(await run(batches.countsOfOperation(uuids, window))),
  };
}

function byKey<Data>({
  data,
  provenance,
}: Answered<readonly (readonly [string, Data])[]>): Answered<ReadonlyMap<string, Data>> {
  return { data: new Map(data), provenance };
}
