/** The query service as the bot sees it: one long-lived object with connections and memory, and a light Asking per request. */
import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createEndpoints, readOrigins } from '../../shared/allowed-endpoint.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { onlyOnce } from '../../shared/time/waiting.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import type { Answered, Asking } from './asking.ts';
import { type Answers, createAnswers, type Question, type Workspace } from './cache/answers.ts';
import { createAnswerStore } from './cache/store.ts';
import { createStreams, type Streams } from './cache/streams.ts';
import { createWorkspaces, type WorkspaceHealth } from './cache/workspaces.ts';
import { createClient } from './client/client.ts';
import type { Wait } from './client/deadline.ts';
import { createPool, type ProxySettings } from './client/pool.ts';
import { activitiesQuestion, activityQuestion } from './operations/activity.ts';
import { deploymentQuestion, deploymentsQuestion } from './operations/deployments.ts';
import { eventsOfQuestion } from './operations/events-of.ts';
import { executionEventsQuestion, executionLogsQuestion, executionQuestion } from './operations/execution.ts';
import { eachExecutionStream, executionsQuestion, failuresQuestion } from './operations/executions.ts';
import { findExecutionQuestion } from './operations/find-execution.ts';
import { countsAroundQuestion, historyQuestion } from './operations/history.ts';
import { countsOfQuestion, deploymentsOfQuestion, newestStartsQuestion } from './operations/of-workflows.ts';
import { accountQuestion, organizationQuestion } from './operations/organization.ts';
import { workflowStatusQuestion } from './operations/workflow-status.ts';
import {
  allWorkflowsQuestion,
  everyWorkflowQuestion,
  workflowNamesQuestion,
  workflowsQuestion,
} from './operations/workflows.ts';
import type { AskingOptions } from './questions.ts';

export type QueryServiceDeps = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure?: Measure;
  /** The only origins that are ever contacted, as the operator wrote them (`readOrigins`). */
  readonly origins: readonly string[];
  readonly proxy?: ProxySettings;
  /** How the names of origins become addresses; the machine's own way where left out. */
  readonly lookup?: LookupFunction;
  /** For one question, repeats and pauses included; 8 s where left out. */
  readonly deadlineMs?: number;
  /** How many answers are kept in memory; 2,000 where left out. */
  readonly answersMax?: number;
  /** Passes the time before a question is repeated; a timer where left out. */
  readonly wait?: Wait;
};

/** How one workspace reaches its query service. */
export type Credential = {
  readonly teamId: string;
  /** Names the key without telling it; another key has another id, so that no answer outlives its key. */
  readonly keyId: string;
  readonly endpoint: string;
  /** The key, or better a function that decrypts it: it is called just before each request. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Since when the service has been known to refuse the key, epoch milliseconds. */
  readonly refusedSince?: number | null;
  /** Told whenever the service takes or refuses the key. Never throws. */
  readonly onVerdict?: (isAccepted: boolean) => void;
};

export type QueryService = {
  /**
   * @param credential or how it is found out, once and not before the first question
   * @throws AppError `forbidden` for an endpoint outside the operator's origins; one that has to be found out is refused
   *   when something is asked
   */
  forWorkspace(credential: Credential | (() => Promise<Credential>), options: AskingOptions): Asking;
  /** Ends what is under way and lets go of every connection. */
  close(): Promise<void>;
};

const deadlineDefaultMs = 8000;
const answersDefaultMax = 2000;

export function createQueryService(deps: QueryServiceDeps): QueryService {
  const { clock, log, measure = measureNothing, proxy = {}, deadlineMs = deadlineDefaultMs } = deps;
  const origins = readOrigins(deps.origins);
  const endpointOf = createEndpoints(origins);
  const closing = new AbortController();
  const wait = deps.wait ?? ((ms) => setTimeout(ms, undefined, { signal: closing.signal }).catch(() => undefined));
  const pool = createPool({ proxy, origins, lookup: deps.lookup });
  const store = createAnswerStore(deps.answersMax ?? answersDefaultMax);
  const workspaces = createWorkspaces(clock);
  const client = createClient({ pool, clock });
  const answers = createAnswers({ clock, log, measure, client, store, deadlineMs, wait });
  const streams = createStreams({ clock, log, client, deadlineMs, wait });
  const workspaceOf = (credential: Credential): Workspace => {
    const { teamId, keyId, endpoint, apiKey } = credential;
    const url = endpointOf(endpoint);
    const identity = [teamId, keyId, url.href];
    const health = workspaces.get(JSON.stringify(identity));
    const access = { url, apiKey: typeof apiKey === 'string' ? () => apiKey : apiKey, adaptation: health.adaptation };
    return { teamId, identity, health: tellingVerdicts(health, credential), access };
  };
  return {
    forWorkspace: (credential, options) => {
      const workspace = typeof credential === 'function' ? later(credential, workspaceOf) : workspaceOf(credential);
      return askingOf({ answers, streams, clock, workspace, options });
    },
    close: async () => {
      store.close();
      closing.abort();
      await pool.close();
    },
  };
}

/** Found out once, by the first who asks. */
function later(credential: () => Promise<Credential>, workspaceOf: (credential: Credential) => Workspace) {
  let workspace: Promise<Workspace> | undefined;
  return () => {
    workspace ??= credential().then(workspaceOf);
    return workspace;
  };
}

function tellingVerdicts(health: WorkspaceHealth, { refusedSince, onVerdict }: Credential): WorkspaceHealth {
  return {
    ...health,
    succeeded: () => {
      health.succeeded();
      onVerdict?.(true);
    },
    failed: (fault) => {
      const since = health.failed(fault);
      if (fault.kind !== 'unauthorized') return since;
      onVerdict?.(false);
      return Math.min(since, refusedSince ?? since);
    },
  };
}

type AskingDeps = {
  readonly answers: Answers;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly workspace: Workspace | (() => Promise<Workspace>);
  readonly options: AskingOptions;
};

/** One line for each question: its document, its key and how to read the answer stand in a file of their own. */
function askingOf({ answers, streams, clock, workspace, options }: AskingDeps): Asking {
  const once = { ...options, onWait: onlyOnce(options.onWait) };
  const ask = async <Data>(question: Question<Data>) => {
    const known = typeof workspace === 'function' ? await workspace() : workspace;
    return answers.answer(known, question, once);
  };
  return {
    organization: () => ask(organizationQuestion),
    account: () => ask(accountQuestion),
    workflows: (filter) => ask(workflowsQuestion(filter)),
    workflowNames: (search) => ask(workflowNamesQuestion(search)),
    allWorkflows: () => ask(allWorkflowsQuestion),
    workflowStatus: (question) => ask(workflowStatusQuestion(question)),
    executions: (filter) => ask(executionsQuestion(filter)),
    failures: (filter) => ask(failuresQuestion(filter)),
    execution: (uuid) => ask(executionQuestion(uuid)),
    executionEvents: (uuid) => ask(executionEventsQuestion(uuid)),
    executionLogs: (uuid) => ask(executionLogsQuestion(uuid)),
    findExecution: (hash) => ask(findExecutionQuestion(hash)),
    history: (question) => ask(historyQuestion(question)),
    countsAround: (question) => ask(countsAroundQuestion(question, clock())),
    eventsOf: async (uuids) => byKey(await ask(eventsOfQuestion(uuids))),
    deployments: (question) => ask(deploymentsQuestion(question)),
    deployment: (uuid) => ask(deploymentQuestion(uuid)),
    activity: (filter) => ask(activityQuestion(filter)),
    activities: (filters) => ask(activitiesQuestion(filters)),
    everyWorkflow: () => ask(everyWorkflowQuestion),
    deploymentsOf: async (uuids) => byKey(await ask(deploymentsOfQuestion(uuids))),
    newestStartsOf: async (uuids) => byKey(await ask(newestStartsQuestion(uuids))),
    countsOf: async (uuids, window) => byKey(await ask(countsOfQuestion(uuids, window))),
    eachExecution: async function* (filter, signal) {
      once.onWait();
      const known = typeof workspace === 'function' ? await workspace() : workspace;
      yield* streams.read(known, eachExecutionStream(filter), { signal, onPause: options.onPause });
    },
  };
}

function byKey<Data>({
  data,
  provenance,
}: Answered<readonly (readonly [string, Data])[]>): Answered<ReadonlyMap<string, Data>> {
  return { data: new Map(data), provenance };
}
