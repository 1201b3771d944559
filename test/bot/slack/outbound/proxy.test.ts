/** With a proxy all connections use it: the Web API, the socket and the answers. */
import { EnvHttpProxyAgent } from 'undici';
import { expect, test } from 'vitest';
import { createTestBot, echo, lateAnswer } from '../../../support/bot/bot.ts';
import { startProxy } from '../../../support/programs/proxy.ts';
import { startFakeSlack } from '../../../support/slack/fake-slack.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

test('the bot reaches Slack through a proxy', async () => {
  const slack = await startFakeSlack();
  const port = Number(new URL(slack.apiUrl).port);
  const origin = `http://slack.invalid:${port}`;
  const proxy = await startProxy(port);
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: proxy.url, noProxy: '' });
  slack.script('apps.connections.open', { body: { ok: true, url: `ws://slack.invalid:${port}/link` } });
  const { bot } = createTestBot(slack, {
    slackApiUrl: `${origin}/api/`,
    proxy: dispatcher,
    answer: lateAnswer(({ line }) => echo(line)),
  });
  await bot.start();
  const fields = { response_url: `${origin}/response/1` };
  await slack.send('slash_commands', commandPayload(slack, 'list', fields));
  await bot.stop();
  expect(slack.responses).toMatchObject([{ payload: { text: 'You typed list' } }]);
  expect(new Set(proxy.asked)).toEqual(new Set([`slack.invalid:${port}`]));
  await dispatcher.destroy();
  await proxy.close();
  await slack.close();
});
