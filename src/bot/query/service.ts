/** The query service of every workspace: shared connections and cache, and a light `QueryClient` for each request. */
import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createEndpoints, readOrigins } from '../../shared/allowed-endpoint.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import { createAnswers, type QueryWorkspace } from './cache/answers.ts';
import { createAnswerStore } from './cache/store.ts';
import { createStreams } from './cache/streams.ts';
import { createWorkspaceHealths, type WorkspaceHealth } from './cache/workspaces.ts';
import { createClient } from './client/client.ts';
import type { Wait } from './client/deadline.ts';
import { createPool, type ProxySettings } from './client/pool.ts';
import type { QueryOptions } from './parameters.ts';
import { createQueryClient, type QueryClient } from './query-client.ts';

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
export type QueryCredential = {
  readonly teamId: string;
  /** Names the key without telling it; another key has another id, so that no answer outlives its key. */
  readonly keyId: string;
  readonly endpoint: string;
  /** The key, or better a function that decrypts it: it is called just before each request. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Since when the service has been known to refuse the key, epoch milliseconds. */
  readonly refusedSince?: number | null;
  /** Told whenever the service takes or refuses the key. Never throws. */
  readonly onKeyChecked?: (isAccepted: boolean) => void;
};

export type QueryService = {
  /**
   * @param credential or how it is found out, once and not before the first question
   * @throws AppError `forbidden` for an endpoint outside the operator's origins; one that has to be found out is refused
   *   when something is asked
   */
  forWorkspace(credential: QueryCredential | (() => Promise<QueryCredential>), options: QueryOptions): QueryClient;
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
  const workspaces = createWorkspaceHealths(clock);
  const client = createClient({ pool, clock });
  const answers = createAnswers({ clock, log, measure, client, store, deadlineMs, wait });
  const streams = createStreams({ clock, log, client, deadlineMs, wait });
  const workspaceOf = (credential: QueryCredential): QueryWorkspace => {
    const { teamId, keyId, endpoint, apiKey } = credential;
    const url = endpointOf(endpoint);
    const identity = [teamId, keyId, url.href];
    const health = workspaces.get(JSON.stringify(identity));
    const access = { url, apiKey: typeof apiKey === 'string' ? () => apiKey : apiKey, adaptation: health.adaptation };
    return { teamId, identity, health: reportingKeyChecks(health, credential), access };
  };
  return {
    forWorkspace: (credential, options) => {
      const workspace = typeof credential === 'function' ? later(credential, workspaceOf) : workspaceOf(credential);
      return createQueryClient({ answers, streams, clock, workspace, options });
    },
    close: async () => {
      store.close();
      closing.abort();
      await pool.close();
    },
  };
}

/** Found out once, by the first who asks. */
function later(
  credential: () => Promise<QueryCredential>,
  workspaceOf: (credential: QueryCredential) => QueryWorkspace,
) {
  let workspace: Promise<QueryWorkspace> | undefined;
  return () => {
    workspace ??= credential().then(workspaceOf);
    return workspace;
  };
}

function reportingKeyChecks(health: WorkspaceHealth, { refusedSince, onKeyChecked }: QueryCredential): WorkspaceHealth {
  return {
    ...health,
    succeeded: () => {
      health.succeeded();
      onKeyChecked?.(true);
    },
    failed: (fault) => {
      const since = health.failed(fault);
      if (fault.kind !== 'unauthorized') return since;
      onKeyChecked?.(false);
      return Math.min(since, refusedSince ?? since);
    },
  };
}
