/** Constructs a bot; with compose-*.ts the only place that wires its parts. */

import { randomBytes } from 'node:crypto';
import { EnvHttpProxyAgent } from 'undici';
import { type OperationsDeps, operationsRoutes } from '../shared/http/operations.ts';
import { createReadiness, onceASecond } from '../shared/http/readiness.ts';
import { createHttpServer, type HttpServer } from '../shared/http/server.ts';
import type { Logger } from '../shared/log/logger.ts';
import { once, waitUpTo } from '../shared/time/timeout.ts';
import { createAccessControl, createAccessRecords } from './commands/access/access-control.ts';
import type { WorkspaceRulesCache } from './commands/access/workspace-rules.ts';
import { createDispatch, type DispatchDeps } from './commands/framework/dispatch.ts';
import { createSubmit } from './commands/framework/submit.ts';
import { createHome, type HomeDeps } from './commands/home.ts';
import {
  createNameSearch,
  createZoneSearch,
  type NameSearchDeps,
  type ZoneSearchDeps,
} from './commands/lookup/menu-search.ts';
import * as registry from './commands/registry.ts';
import { composeDigests } from './compose-digests.ts';
import { slackAccess, slackTransport } from './compose-reach.ts';
import type { BotConfig } from './config.ts';
import { createConnections } from './connection/connections.ts';
import {
  type CredentialResolver,
  createCredentialResolver,
  type OperatorsKey,
} from './connection/credential-resolver.ts';
import { createWebLinks } from './domain/web-links.ts';
import { createMetrics } from './metrics.ts';
import type { ProxySettings } from './query/client/pool.ts';
import { readEndpoints } from './query/endpoints.ts';
import { createQueryService } from './query/query-client.ts';
import { createPictureRenderer } from './rendering/renderer.ts';
import { createSlackBot } from './slack/bot.ts';
import { createClockCheck } from './slack/inbound/receivers/clock-check.ts';
import { createOutboundSlack } from './slack/outbound/outbound-slack.ts';
import { loadKeys } from './store/secrets/load-keys.ts';
import { openStore, type Store } from './store/store.ts';

export type Running = {
  /** May be called twice. */
  readonly stop: () => Promise<void>;
};

const commands = Object.values(registry);
/** What has not been learnt of a key by then is learnt after the next start. */
const keysWithinMs = 2_000;
/** Short enough to read out, long enough to find one line in a log. */
const createReference = () => randomBytes(4).toString('hex');

/**
 * @param operatorsKey the one of the settings where left out
 * @throws AppError with a sentence for the operator when Slack refuses a token or stays out of reach
 */
export async function startBot(
  config: BotConfig,
  log: Logger,
  operatorsKey: OperatorsKey | undefined = operatorsKeyOf(config),
): Promise<Running> {
  const store = await openStore(config.databaseUrl, {
    keys: loadKeys(config.keyring, log),
    warn: (sentence) => log.warn({}, sentence),
  });
  const { bot, http, connections, worker, close } = createBot(config, { store, operatorsKey, log });
  const stop = once(async () => {
    // Each may take most of the time that there is; then what they work with.
    await Promise.all([worker.stop(), bot.finish()]);
    await waitUpTo(keysWithinMs, connections.stop());
    await bot.stop();
    await http?.stop();
    await close();
    await store.close();
  });
  try {
    await http?.start();
    await bot.start();
    connections.start();
    worker.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

type BotParts = {
  readonly store: Store;
  readonly operatorsKey: OperatorsKey | undefined;
  readonly log: Logger;
};

/**
 * In this order, so that every argument exists when it is passed: recorder and caches, outbound Slack, access control,
 * connections and digests, dispatcher, inbound Slack.
 */
function createBot(config: BotConfig, { store, operatorsKey, log }: BotParts) {
  const metrics = createMetrics();
  const shared = { clock: Date.now, log, measure: metrics.measure, createReference, slashCommand: config.slashCommand };
  const { clockProblem, onSlackDate } = createClockCheck(shared);
  const proxy = createProxy(config.proxy);
  const slack = { ...shared, onSlackDate, slackApiUrl: config.slackApiUrl, ...(proxy && { proxy }) };
  const records = createAccessRecords({ ...shared, store });
  const { record, rules } = records;
  const endpoints = readListedEndpoints(config, log);
  const keys = { credentials: store.credentials, operatorsKey, endpoints: endpoints.urls, record };
  const resolver = createCredentialResolver({ ...shared, ...keys });
  const onGone = forgetting(rules, resolver);
  const outbound = createOutboundSlack({ ...slack, access: slackAccess(config, { store, record, onGone }) });
  const { channels, digests: posting, members, notifyPerson } = outbound;
  const access = createAccessControl({ ...shared, ...records, ...members, store });
  const query = createQueryService({ ...shared, origins: endpoints.origins, proxy: config.proxy });
  const connections = createConnections({ ...shared, ...keys, query, resolver, notifyPerson });
  const digests = composeDigests({ ...shared, ...access, ...connections, store, posting, channels });
  const pictures = createPictureRenderer({ log });
  const answering = {
    ...{ ...shared, ...access, ...connections, ...members, commands },
    webLinks: createWebLinks(config.webLinks),
    digests: digests.digests,
    drawPng: pictures.render,
  };
  const operations = { ...checksOf(store, log), clockProblem, metrics };
  const bot = createSlackBot({
    ...{ ...slack, outbound, threads: store.threads, onChannelDeleted: digests.endChannel },
    ...{
      ...createAnswers({ ...answering, subscriptions: store.subscriptions }),
      ...slackTransport(config, { operations, store, log }),
    },
  });
  const http = createOperations(config, { ...operations, isConnected: bot.isConnected }, log);
  const close = () => closeInOrder([query, pictures, proxy]);
  return { bot, http, connections, worker: digests.worker, close };
}

/** Whatever the listeners of inbound Slack answer with. */
function createAnswers(deps: DispatchDeps & HomeDeps & NameSearchDeps & ZoneSearchDeps) {
  return {
    dispatch: createDispatch(deps),
    submit: createSubmit(deps),
    homeOf: createHome(deps),
    searchNames: createNameSearch(deps),
    searchZones: createZoneSearch(deps),
  };
}

async function closeInOrder(parts: readonly ({ readonly close: () => Promise<void> } | undefined)[]): Promise<void> {
  for (const part of parts) await part?.close();
}

/** The part of the store that health asks. */
function checksOf({ check, missingKeys }: Store, log: Logger): Pick<OperationsDeps, 'storeProblem' | 'missingKeys'> {
  return { storeProblem: createReadiness(check, log), missingKeys: onceASecond(missingKeys) };
}

/** Drops what the caches hold of a workspace that uninstalled the bot. */
function forgetting(rules: WorkspaceRulesCache, { stored }: CredentialResolver) {
  return (teamId: string) => {
    rules.forget(teamId);
    stored.forget(teamId);
  };
}

/** Serves health and metrics in Socket Mode, before the bot connects and until after it left; HTTP mode has its own server. */
function createOperations(config: BotConfig, deps: OperationsDeps, log: Logger): HttpServer | undefined {
  if (config.mode === 'http') return undefined;
  const onError = (error: unknown) => log.error({ err: error }, 'http request could not be answered');
  const onConnectionLimit = () => log.warn({}, 'too many connections: those that waited longest were closed');
  const routes = operationsRoutes(deps, config.http.hostNames);
  return createHttpServer({ ...config.http, routes, onError, onConnectionLimit });
}

function readListedEndpoints(config: BotConfig, log: Logger) {
  const endpoints = readEndpoints(config.queryServiceUrl, config.queryServiceOrigins);
  for (const origin of endpoints.unguarded) {
    log.warn({ origin }, 'keys go to a query service over http, or into a private network, as it is listed');
  }
  return endpoints;
}

/** One workspace may have one from the environment, which is never stored. */
function operatorsKeyOf(config: BotConfig): OperatorsKey | undefined {
  if (config.mode === 'http' || config.queryServiceApiKey === undefined) return undefined;
  return { endpoint: config.queryServiceUrl, apiKey: config.queryServiceApiKey };
}

function createProxy({ httpProxy, httpsProxy, noProxy }: ProxySettings): EnvHttpProxyAgent | undefined {
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return new EnvHttpProxyAgent({
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(noProxy !== undefined && { noProxy }),
  });
}
