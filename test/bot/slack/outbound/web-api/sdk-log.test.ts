/** No secret reaches the log at any level through Slack's libraries. */
import { expect, test } from 'vitest';
import { createSdkLog } from '../../../../../src/bot/slack/outbound/web-api/errors.ts';
import { echo, lateAnswer, startTestBot } from '../../../../support/bot/bot.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';
import { commandPayload, pressPayload } from '../../../../support/slack/slack-payloads.ts';

const canaries = {
  botToken: 'xoxb-canary1-canary1-canary1',
  appToken: 'xapp-canary2-canary2-canary2',
  text: 'status canary3',
  path: '/response/canary4',
  page: '<html>canary5 xoxb-canary1-canary1-canary1</html>',
} as const;

test('no token, text, address or page is logged at trace level, for successful and failed calls (secret/slack-retry-log)', async () => {
  await using run = await startTestBot({
    botToken: canaries.botToken,
    appToken: canaries.appToken,
    answer: lateAnswer(({ line }) => echo(line)),
  });
  const { slack } = run;
  const fields = { response_url: `${slack.origin}${canaries.path}` };
  slack.script(
    'response_url',
    { body: canaries.page },
    'drop',
    { status: 404, body: 'expired_url' },
    { body: 'invalid_blocks' },
  );
  slack.script('chat.postEphemeral', { body: canaries.page }, { status: 500, body: canaries.page });
  slack.script('users.info', { body: canaries.page });
  for (let times = 0; times < 3; times += 1)
    await slack.send('slash_commands', commandPayload(slack, canaries.text, fields));
  await slack.send('interactive', pressPayload(slack, { mode: 'share', line: canaries.text }, fields));
  await slack.send('interactive', { type: 'block_actions', actions: [canaries.text], ...fields });
  await run.bot.zoneOf({ teamId: 'T0FAKE', userId: 'U0ANNA' });
  slack.script('apps.connections.open', { body: canaries.page }, { status: 500, body: canaries.page }, 'drop');
  slack.sockets[0]?.terminate();
  await run.log.until('connected to slack again');
  await run.bot.stop();
  expect(run.log.messages().length).toBeGreaterThan(20);
  expect(run.log.text()).not.toMatch(/canary/);
});

test('a sentence of the SDK keeps its host, loses its address and its length, and has its level', () => {
  const memory = createMemoryLog();
  createSdkLog(memory.log).warn(`request to https://hooks.slack.com/actions/T1/2/secret failed ${'x'.repeat(5_000)}`, {
    token: 'secret',
  });
  const line = JSON.parse(memory.text());
  expect(line).toMatchObject({ level: 'warn', msg: 'slack library warns' });
  expect(line.detail).toMatch(/^request to https:\/\/hooks\.slack\.com\/… failed x+/);
  expect(line.detail).not.toContain('secret');
  expect(line.detail.length).toBeLessThan(400);
});

test('of the SDK’s details only sentences without a payload are logged', () => {
  const memory = createMemoryLog();
  const log = createSdkLog(memory.log);
  log.debug("apiCall('users.info') start");
  log.debug('http request body: {"user":"U0ANNA"}');
  log.debug({ anything: true });
  expect(memory.messages()).toEqual(['slack library detail']);
});
