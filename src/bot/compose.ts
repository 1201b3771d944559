/** Wires the parts of a bot. No other file does. */

import { randomBytes } from 'node:crypto';
import { EnvHttpProxyAgent } from 'undici';
import { onlyUnder } from '../shared/http/host-names.ts';
import { createReadiness, type OperationsDeps, onceASecond, operationsRoutes } from '../shared/http/operations.ts';
import type { Route } from '../shared/http/routes.ts';
import { createHttpServer, type HttpServer } from '../shared/http/server.ts';
import type { Logger } from '../shared/log/logger.ts';
import { hourMs, repeat } from '../shared/time/repeat.ts';
import { once, waitUpTo } from '../shared/time/timeout.ts';
import { AccessControl } from './commands/access/access-control.ts';
import { createWorkspaceRulesCache, type WorkspaceRulesCache } from './commands/access/workspace-rules.ts';
import type { Services } from './commands/framework/command.ts';
import { createDispatch, createSubmit, opensModal } from './commands/framework/dispatch.ts';
import { RunningOperations } from './commands/framework/running-operations.ts';
import { createHome } from './commands/home.ts';
import { createLinkPreviews } from './commands/link-preview.ts';
import { createNameSearch, createNamesIn, createZoneSearch } from './commands/lookup/menu-search.ts';
import * as registry from './commands/registry.ts';
import type { BotConfig, HttpConfig } from './config.ts';
import { createConnections } from './connection/connections.ts';
import { CredentialResolver, type DefaultKey } from './connection/credential-resolver.ts';
import { createContent } from './digests/build.ts';
import { endDigestsIn } from './digests/deleted-channel.ts';
import type { Runtime } from './domain/runtime.ts';
import { createWebLinks } from './domain/web-links.ts';
import { createMetrics } from './metrics.ts';
import { OutboxWorker } from './outbox/worker.ts';
import type { ProxySettings } from './query/client/pool.ts';
import { readEndpoints } from './query/endpoints.ts';
import { createQueryService } from './query/query-client.ts';
import { PictureRenderer } from './rendering/renderer.ts';
import { createSlackBot, type SlackBot } from './slack/bot.ts';
import { ClockCheck } from './slack/inbound/receivers/clock-check.ts';
import { HttpReceiver } from './slack/inbound/receivers/http-receiver.ts';
import { SocketReceiver } from './slack/inbound/receivers/socket-receiver.ts';
import type { InstallSettings } from './slack/installation/services.ts';
import { createOutboundSlack, type OutboundSlack, type OutboundSlackDeps } from './slack/outbound/outbound-slack.ts';
import { createAuditLog } from './store/audit-recorder.ts';
import { loadKeys } from './store/secrets/keyring-file.ts';
import { openStore, type Store } from './store/store.ts';

export type Running = {
  /** May be called twice. */
  readonly stop: () => Promise<void>;
};

type RunningBot = Running & {
  /** Address without a path of health, metrics and, in HTTP mode, Slack's requests; undefined if the bot does not listen. */
  readonly origin: string | undefined;
};

/** Limit for running key checks when the bot stops; the next start repeats them. */
const keysWithinMs = 2_000;
/** Short enough to read out, long enough to find one line in a log. */
const createReference = () => randomBytes(4).toString('hex');

/**
 * @param defaultKey the one from the settings if left out
 * @throws AppError with a sentence for the administrator if Slack refuses a token or stays out of reach
 */
export async function startBot(
  config: BotConfig,
  log: Logger,
  defaultKey: DefaultKey | undefined = defaultKeyOf(config),
): Promise<RunningBot> {
  const store = await openStore(config.databaseUrl, {
    keys: loadKeys(config.keyring, log),
    warn: (sentence) => log.warn({}, sentence),
  });
  const { bot, http, connections, worker, close } = createBot(config, store, defaultKey, log);
  const deleteExpired = () =>
    store
      .deleteExpired()
      .catch((err: unknown) => log.error({ err }, 'expired data could not be deleted, retrying in an hour'));
  const expiry = repeat(deleteExpired, hourMs);
  const stop = once(async () => {
    // These take longest. The resources that they use close after them.
    await Promise.all([worker.stop(), bot.finish(), expiry.stop()]);
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
    expiry.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const origin = bot.origin() ?? http?.origin();
  if (origin !== undefined) log.info({ origin }, 'the bot is listening');
  return { stop, origin };
}

/**
 * Creates the parts in an order in which every argument exists: audit and caches, outbound Slack, access control,
 * connections and digests, answers, inbound Slack.
 */
function createBot(config: BotConfig, store: Store, defaultKey: DefaultKey | undefined, log: Logger) {
  const metrics = createMetrics();
  const runtime: Runtime = { clock: Date.now, log, measure: metrics.measure, createReference };
  const { slackCommand: slashCommand, slackApiUrl, supportUrl } = config;
  const { onSlackDate, problem: clockProblem } = new ClockCheck(runtime);
  const proxy = createProxy(config.proxy);
  const audit = createAuditLog(store, runtime);
  const rules = createWorkspaceRulesCache(store, runtime);
  const endpoints = readListedEndpoints(config, log);
  const keys = { runtime, store, audit, defaultKey, endpoints: endpoints.urls };
  const resolver = new CredentialResolver(keys);
  const onGone = createCacheInvalidator(rules, resolver);
  const web = { runtime, slashCommand, slackApiUrl, onSlackDate, ...(proxy && { proxy }) };
  const slack = createOutboundSlack({ ...web, access: slackAccessOf(config, { store, audit, onGone }) });
  const { channels, outboxPosting: posting, members, notifyPerson } = slack;
  const access = new AccessControl({ runtime, store, audit, rules, members });
  const query = createQueryService({ ...runtime, origins: endpoints.origins, proxy: config.proxy });
  const connections = createConnections({ ...keys, query, resolver, notifyPerson });
  const content = createContent(connections.queryClientFor, access);
  const worker = new OutboxWorker({ ...runtime, ...store, content, posting });
  const pictures = new PictureRenderer(log);
  const named = { runtime, store, audit, access, members, connections, channels, slashCommand, supportUrl };
  const services: Services = {
    ...named,
    operations: new RunningOperations(createReference),
    wakeOutbox: worker.wake,
    drawPng: (svg) => pictures.render(svg),
    webLinks: createWebLinks({ workflow: config.webWorkflowLink, execution: config.webExecutionLink }),
    commands: Object.values(registry),
  };
  const routes = createOperationsRoutes(config, store, log, { clockProblem, metrics }, () => bot);
  const bot: SlackBot = createInbound(config, services, slack, routes);
  const http = createOperations(config, routes, log);
  const close = async () => {
    await query.close();
    await pictures.close();
    await proxy?.close();
  };
  return { bot, http, connections, worker, close };
}

/** @param operations routes for the administrator, which the receiver of HTTP mode serves too */
function createInbound(config: BotConfig, services: Services, slack: OutboundSlack, operations: Routes) {
  const { runtime, store, audit, slashCommand } = services;
  const { notifyUser } = slack.outboxPosting;
  const inbound = {
    ...{ runtime, slashCommand, slack, store },
    hasWorkObjects: config.slackWorkObjects === 'on',
    onChannelDeleted: (channel: Parameters<typeof endDigestsIn>[0]) =>
      endDigestsIn(channel, { store, audit, log: runtime.log, notifyUser }),
    dispatch: createDispatch(services),
    opensModal: (line: string) => opensModal(services.commands, line),
    submit: createSubmit(services),
    homeOf: createHome(services),
    previews: createLinkPreviews(services),
    searchNames: createNameSearch(services),
    namesIn: createNamesIn(services),
    searchZones: createZoneSearch(services),
  };
  if (config.mode === 'socket') {
    const { dispatcher, web, access } = slack;
    const receiver = new SocketReceiver({ dispatcher, web, access, runtime, appToken: config.slackAppToken });
    return createSlackBot(inbound, { receiver });
  }
  const receiver = createReceiver(config, operations, slack.access.routes, runtime);
  // In HTTP mode several processes may share the store.
  return createSlackBot({ ...inbound, shared: store }, { receiver, pollsSlackDate: true });
}

type Routes = Readonly<Record<string, Route>>;

/** @param bot is asked at each request, since the receiver of HTTP mode serves these routes */
function createOperationsRoutes(
  config: BotConfig,
  { check, missingKeys }: Store,
  log: Logger,
  others: { readonly clockProblem: ClockCheck['problem']; readonly metrics: OperationsDeps['metrics'] },
  bot: () => SlackBot,
): Routes {
  const store = { storeProblem: createReadiness(check, log), missingKeys: onceASecond(missingKeys) };
  const slack = { isConnected: () => bot().isConnected(), notes: () => bot().notes() };
  return operationsRoutes({ ...store, ...slack, ...others }, operatorNames(config));
}

/** Returns a function that clears the caches for a workspace that uninstalled the bot. */
function createCacheInvalidator(rules: WorkspaceRulesCache, { stored }: CredentialResolver) {
  return (teamId: string) => {
    rules.forget(teamId);
    stored.forget(teamId);
  };
}

/**
 * Serves health and metrics in Socket Mode, from before the bot connects until after it disconnects. In HTTP mode the
 * receiver's server does.
 */
function createOperations(config: BotConfig, routes: Routes, log: Logger): HttpServer | undefined {
  if (config.mode === 'http') return undefined;
  const onError = (error: unknown) => log.error({ err: error }, 'http request could not be answered');
  const onConnectionLimit = () => log.warn({}, 'too many connections: those that waited longest were closed');
  const { host, port } = config;
  return createHttpServer({ host, port, routes, onError, onConnectionLimit });
}

/** Host names under which readiness and metrics answer. The host may be a name itself. */
function operatorNames({ host, metricsHosts = [] }: BotConfig): readonly string[] {
  return [host, ...metricsHosts];
}

function readListedEndpoints(config: BotConfig, log: Logger) {
  const endpoints = readEndpoints(config.queryServiceUrl, config.queryServiceOrigins ?? []);
  for (const origin of endpoints.unguarded) {
    log.warn({ origin }, 'a listed query service uses http, or its address is not public');
  }
  return endpoints;
}

/** In Socket Mode the workspace may have a key from the environment, which is never stored. */
function defaultKeyOf(config: BotConfig): DefaultKey | undefined {
  if (config.mode === 'http' || config.queryServiceApiKey === undefined) return undefined;
  return { endpoint: config.queryServiceUrl, apiKey: config.queryServiceApiKey };
}

function createProxy(settings: ProxySettings): EnvHttpProxyAgent | undefined {
  const { httpProxy, httpsProxy } = settings;
  return httpProxy === undefined && httpsProxy === undefined ? undefined : new EnvHttpProxyAgent(settings);
}

/** The fixed token in Socket Mode, or the settings of an app that every workspace installs itself in HTTP mode. */
function slackAccessOf(
  config: BotConfig,
  parts: Pick<InstallSettings, 'store' | 'audit' | 'onGone'>,
): OutboundSlackDeps['access'] {
  if (config.mode === 'socket') return { kind: 'token', botToken: config.slackBotToken };
  const { slackClientId: clientId, slackClientSecret: clientSecret, publicUrl, privacyUrl, supportUrl } = config;
  const hasLinks = config.webWorkflowLink !== undefined || config.webExecutionLink !== undefined;
  return { kind: 'installed', clientId, clientSecret, publicUrl, hasLinks, privacyUrl, supportUrl, ...parts };
}

/** One server for Slack, browsers and the administrator. Each route answers only under its own host names. */
function createReceiver(config: HttpConfig, operations: Routes, routes: Routes, runtime: Runtime) {
  const { host, port, listener, publicUrl, slackSigningSecret: signingSecret } = config;
  const hostNames = [new URL(publicUrl).hostname, ...operatorNames(config)];
  return new HttpReceiver({
    ...{ host, port: listener ?? port, signingSecret, runtime },
    routes: { ...operations, ...onlyUnder(hostNames, routes) },
  });
}
