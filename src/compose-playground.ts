/** A whole Slack on one machine: the local one, the query service with its sample, and the bot between them. */
import * as registry from './commands/registry.ts';
import { type Running, startBot } from './compose.ts';
import type { PlaygroundConfig } from './config.ts';
import type { Logger } from './core/log.ts';
import { startLocalSlack } from './playground/server.ts';
import { startServiceProcess } from './playground/service-process.ts';
import { ownKeyring } from './store/secrets/load-keys.ts';

export type Playground = Running & {
  /** Of the local Slack's page. */
  readonly pageUrl: string;
  /** Of the query service's endpoint. */
  readonly serviceUrl: string;
  /** Settles when the query service's process is gone, whoever ended it. */
  readonly serviceEnded: Promise<void>;
};

/** Local Slack, query service with the sample organization, and the bot as it would be anywhere. @throws AppError for a taken port */
export async function startPlayground(config: PlaygroundConfig, log: Logger): Promise<Playground> {
  const { slashCommand } = config;
  const started: Running[] = [];
  const stop = async () => {
    for (const part of started.reverse()) await part.stop();
  };
  try {
    const slack = await startLocalSlack({
      host: '127.0.0.1',
      port: config.playgroundPort,
      slashCommand,
      hasHome: true,
      commands: Object.values(registry),
      clock: Date.now,
      log,
    });
    started.push({ stop: slack.close });
    const service = await startServiceProcess({
      port: config.servicePort,
      databaseUrl: config.serviceDatabaseUrl,
      log,
    });
    started.push(service);
    const bot = await startBot(
      {
        ...config,
        mode: 'socket',
        http: undefined,
        keyring: config.keyring ?? ownKeyring('data/encryption.keys', Date.now()),
        // Everything is on this machine, which no proxy reaches.
        proxy: {},
        slackBotToken: slack.botToken,
        slackAppToken: slack.appToken,
        slackApiUrl: slack.apiUrl,
        queryServiceUrl: service.url,
        queryServiceApiKey: service.apiKey,
      },
      log,
    );
    started.push(bot);
    return { pageUrl: slack.url, serviceUrl: service.url, serviceEnded: service.exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
