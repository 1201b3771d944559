/** Composes the playground: the local Slack, the query service with its sample, and the bot. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import * as registry from '../../bot/commands/registry.ts';
import { type Running, startBot } from '../../bot/compose.ts';
import type { HttpConfig, PlaygroundConfig } from '../../bot/config.ts';
import { loadKeys } from '../../bot/store/secrets/keyring-file.ts';
import { ownKeyring } from '../../bot/store/secrets/make-key.ts';
import { openStore } from '../../bot/store/store.ts';
import { type RunningSlack, startLocalSlack } from '../../local-slack/server/server.ts';
import type { Workspace } from '../../local-slack/state/workspace.ts';
import { originOf } from '../../shared/http/listen.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { announce, planSampleDigest, type SampleDigest } from './sample-digest.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

type Playground = Running & {
  /** Address of the local Slack's page. */
  readonly pageUrl: string;
  /** Address of the query service's endpoint. */
  readonly serviceUrl: string;
  /** Keys of the sample's organizations. The first workspace uses the first key. */
  readonly keys: ServiceProcess['keys'];
  /** Keys that `connect` refuses, by reason, and an endpoint without a server. */
  readonly refusedKeys: ServiceProcess['refusedKeys'];
  readonly deadEndpoint: string;
  /** Channel and first time of the sample digest; undefined if it was paused. */
  readonly digest: SampleDigest | undefined;
  /** A sentence if the messages of earlier runs could not be read; null otherwise. */
  readonly storageProblem: string | null;
  /** Resolves when the query service's process has ended. */
  readonly serviceEnded: Promise<void>;
};

const host = '127.0.0.1';
/** Port 9 (discard) normally has no listener. */
const deadEndpoint = `http://${host}:9/nobody-answers-here`;

/**
 * Starts the local Slack, the query service with the sample organizations, and the bot. The bot uses HTTP, so that it
 * can be installed into further workspaces. It is installed in the first workspace, which is connected.
 * @throws AppError for a taken port
 */
export async function startPlayground(config: PlaygroundConfig, log: Logger): Promise<Playground> {
  const started: Running[] = [];
  const stop = async () => {
    for (const part of started.reverse()) await part.stop();
  };
  try {
    const slack = await startSlack(config, log);
    started.push({ stop: slack.close });
    const { servicePort: port, serviceDatabaseUrl: databaseUrl } = config;
    const service = await startServiceProcess({ port, databaseUrl, log });
    started.push(service);
    const botConfig = await botConfigOf(config, slack, service);
    const digest = await installBot(botConfig, slack.workspaces.first, log);
    const { teamId } = slack.workspaces.first;
    started.push(await startBot(botConfig, log, { endpoint: service.url, apiKey: service.apiKey, teamId }));
    await configureApp(botConfig, slack);
    if (digest) announce(digest, slack, botConfig.slackCommand);
    const { keys, refusedKeys, exited: serviceEnded } = service;
    return {
      ...{ pageUrl: slack.baseUrl, serviceUrl: service.url, keys, refusedKeys, deadEndpoint },
      ...{ digest, storageProblem: slack.storageProblem, serviceEnded, stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startSlack(
  { playgroundPort: port, slackCommand: slashCommand, webWorkflowLink, webExecutionLink }: PlaygroundConfig,
  log: Logger,
): Promise<RunningSlack> {
  const commands = Object.values(registry);
  const links = [webWorkflowLink, webExecutionLink].filter((link) => link !== undefined);
  const unfurlDomains = links.map((link) => new URL(link).hostname);
  return startLocalSlack({
    ...{ host, port, slashCommand, hasHome: true, unfurlDomains, commands },
    ...{ clock: Date.now, log, storageFile: 'data/local-slack.db' },
  });
}

async function botConfigOf(
  config: PlaygroundConfig,
  slack: RunningSlack,
  service: ServiceProcess,
): Promise<HttpConfig> {
  const listener = createServer().listen(0, host);
  await once(listener, 'listening');
  return {
    ...config,
    mode: 'http',
    ...{ host, listener, publicUrl: originOf(listener) },
    keyring: config.keyring ?? ownKeyring('data/encryption.keys', Date.now()),
    // All requests stay on this machine, so they bypass the proxy.
    proxy: {},
    slackApiUrl: slack.apiUrl,
    slackClientId: slack.oauth.clientId,
    slackClientSecret: slack.oauth.clientSecret,
    slackSigningSecret: randomBytes(16).toString('hex'),
    queryServiceUrl: service.url,
    queryServiceOrigins: [...(config.queryServiceOrigins ?? []), deadEndpoint],
  };
}

/** Installs the bot in the first workspace and sets up the sample digest. */
async function installBot(
  { databaseUrl, keyring }: HttpConfig,
  workspace: Workspace,
  log: Logger,
): Promise<SampleDigest | undefined> {
  const store = await openStore(databaseUrl, {
    keys: loadKeys(keyring, log),
    warn: (sentence) => log.warn({}, sentence),
  });
  await store.installations.save(workspace.teamId, {
    enterpriseId: null,
    isEnterpriseInstall: false,
    botUserId: workspace.botUserId,
    botId: null,
    appId: null,
    scopes: workspace.scopes,
    installedBy: workspace.people.find(({ isAdmin }) => isAdmin)?.id ?? workspace.botUserId,
    installedAt: Date.now(),
    botToken: workspace.botToken,
    refreshToken: null,
    tokenExpiresAt: null,
  });
  const digest = await planSampleDigest(store, workspace);
  await store.close();
  return digest;
}

/** Sets the app's OAuth and request URLs. */
async function configureApp({ publicUrl, slackSigningSecret }: HttpConfig, slack: RunningSlack): Promise<void> {
  slack.oauth.settings = {
    redirectUrls: [`${publicUrl}/slack/oauth_redirect`],
    installUrl: `${publicUrl}/slack/install`,
    isRotating: true,
  };
  await slack.delivery.register({ requestUrl: `${publicUrl}/slack/events`, signingSecret: slackSigningSecret });
}
