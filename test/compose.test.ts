/** The bot as it is wired. */
import { expect, test } from 'vitest';
import { startBot } from '../src/compose.ts';
import { localSlack } from './support/local-slack.ts';
import { createMemoryLog } from './support/memory-log.ts';

test('a bot behind a proxy may be stopped twice', async () => {
  const { botToken: slackBotToken, appToken: slackAppToken, apiUrl: slackApiUrl } = await localSlack();
  const bot = await startBot(
    {
      ...{ mode: 'socket', slackBotToken, slackAppToken, slackApiUrl, slashCommand: '/workflow' },
      ...{ logLevel: 'trace', databaseUrl: 'sqlite::memory:', keyring: undefined },
      ...{
        queryServiceUrl: 'https://query.example.com/graphql',
        queryServiceOrigins: [],
        queryServiceApiKey: undefined,
      },
      ...{ http: { host: '127.0.0.1', port: 0 }, proxy: { httpProxy: 'http://127.0.0.1:9', noProxy: '127.0.0.1' } },
    },
    createMemoryLog().log,
  );
  await expect(Promise.all([bot.stop(), bot.stop()])).resolves.toEqual([undefined, undefined]);
  await expect(bot.stop()).resolves.toBeUndefined();
});
