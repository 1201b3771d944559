/** The whole wiring diagram of a bot: with src/compose-*.ts the only place that constructs things. */
import { randomBytes } from 'node:crypto';
import { EnvHttpProxyAgent } from 'undici';
import { type OperationsDeps, operationsRoutes } from '../shared/http/operations.ts';
import { createReadiness, onceASecond } from '../shared/http/readiness.ts';
import { createHttpServer, type HttpServer } from '../shared/http/server.ts';
import type { Logger } from '../shared/log/logger.ts';
import { once, waitUpTo } from '../shared/time/timeout.ts';
import { type AccessControl, createAccessControl } from './commands/access/access-control.ts';
import { createDispatch, type DispatchDeps } from './commands/framework/dispatch.ts';
import { createSubmit } from './commands/framework/submit.ts';
import { createHome } from './commands/home.ts';
import { createNameSearch, type NameSearchDeps } from './commands/lookup/search-names.ts';
import { createZoneSearch, type ZoneSearchDeps } from './commands/lookup/search-zones.ts';
import * as registry from './commands/registry.ts';
import { composeDigests } from './compose-digests.ts';
import { reachOverHttp, reachOverSocket } from './compose-reach.ts';
import type { BotConfig, HttpAddress } from './config.ts';
import { type Connections, type ConnectionsDeps, createConnections } from './connection/connections.ts';
import type { OperatorsKey } from './connection/credential-resolver.ts';
import { createWebLinks } from './domain/web-links.ts';
import { createMetrics } from './metrics.ts';
import type { ProxySettings } from './query/client/pool.ts';
import { readEndpoints } from './query/endpoints.ts';
import { createQueryService } from './query/service.ts';
import { createPictureRenderer } from './rendering/renderer.ts';
import { createSlackBot } from './slack/bot.ts';
import { createClockCheck } from './slack/inbound/receivers/clock-check.ts';
import type { Members } from './slack/outbound/web-api/members.ts';
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

function createBot(config: BotConfig, { store, operatorsKey, log }: BotParts) {
  const metrics = createMetrics();
  const shared = { clock: Date.now, log, measure: metrics.measure, createReference, slashCommand: config.slashCommand };
  const proxy = createProxy(config.proxy);
  const pictures = createPictureRenderer({ log });
  const people = peopleOf(() => bot);
  const access = createAccessControl({ ...shared, ...people, store });
  const connections = connectionsOf(config, {
    ...shared,
    operatorsKey,
    credentials: store.credentials,
    record: access.record,
    tell: (person, message) => bot.tell(person, message),
  });
  const { worker, ...digests } = composeDigests({ ...shared, ...access, ...connections, store, bot: () => bot });
  const answering: DispatchDeps = {
    ...{ ...shared, ...access, ...connections },
    commands,
    ...people,
    webLinks: createWebLinks(config.webLinks),
    digests: digests.digests,
    drawPng: pictures.render,
  };
  const slackTime = createClockCheck(shared);
  const operations = { isConnected: () => bot.isConnected(), ...checksOf(store, log), ...slackTime, metrics };
  const bot = createSlackBot({
    ...{ ...shared, ...slackTime },
    dispatch: createDispatch(answering),
    submit: createSubmit(answering),
    homeOf: createHome({ ...answering, ...access, ...people }),
    ...searchesOf({ ...answering, ...store }),
    ...(config.mode === 'http'
      ? reachOverHttp(config, { ...access, store, operations, log, onGone: forgetting(access, connections) })
      : reachOverSocket(config)),
    ...{ slackApiUrl: config.slackApiUrl, threads: store.threads, onChannelDeleted: digests.endChannel },
    ...(proxy && { proxy }),
  });
  const http = config.mode === 'http' ? undefined : createOperations(config.http, operations, log);
  const close = async () => {
    await connections.close();
    await pictures.close();
    await proxy?.close();
  };
  return { bot, http, connections, worker, close };
}

/** The part of the store that health asks. */
function checksOf({ check, missingKeys }: Store, log: Logger): Pick<OperationsDeps, 'storeProblem' | 'missingKeys'> {
  return { storeProblem: createReadiness(check, log), missingKeys: onceASecond(missingKeys) };
}

/** What Slack says of people, through the bot that needs it itself. */
function peopleOf(bot: () => Members): Members {
  return {
    zoneOf: (person, onWait) => bot().zoneOf(person, onWait),
    membershipOf: (person, onWait) => bot().membershipOf(person, onWait),
    knownMembershipOf: (person) => bot().knownMembershipOf(person),
  };
}

/** What menus are filled with. */
function searchesOf(deps: NameSearchDeps & ZoneSearchDeps) {
  return { searchNames: createNameSearch(deps), searchZones: createZoneSearch(deps) };
}

/** What a workspace that is gone had laid down counts no more. */
function forgetting({ forgetRules }: AccessControl, { forgetKey }: Connections) {
  return (teamId: string) => {
    forgetRules(teamId);
    forgetKey(teamId);
  };
}

/** Answers from before the bot is connected until after it has left: whoever asks is told which of both it is. */
function createOperations(address: HttpAddress, deps: OperationsDeps, log: Logger): HttpServer {
  const onError = (error: unknown) => log.error({ err: error }, 'http request could not be answered');
  const onCrowd = () => log.warn({}, 'too many connections: those that waited longest were closed');
  return createHttpServer({ ...address, routes: operationsRoutes(deps, address.hostNames), onError, onCrowd });
}

type ConnectingDeps = Omit<ConnectionsDeps, 'query' | 'endpoints'>;

function connectionsOf(config: BotConfig, deps: ConnectingDeps) {
  const endpoints = readEndpoints(config.queryServiceUrl, config.queryServiceOrigins);
  for (const origin of endpoints.unguarded) {
    deps.log.warn({ origin }, 'keys go to a query service over http, or into a private network, as it is listed');
  }
  const query = createQueryService({ ...deps, origins: endpoints.origins, proxy: config.proxy });
  const connections = createConnections({ ...deps, query, endpoints: endpoints.urls });
  return { ...connections, close: query.close };
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
