/** Setting up HTTP mode: Slack's check of the request URL is answered, and readiness says what has arrived. */
import { expect, onTestFinished, test } from 'vitest';
import { startBot } from '../../../../../src/bot/compose.ts';
import { keyLine } from '../../../../support/bot/store.ts';
import { newSqlite } from '../../../../support/databases/engines.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';
import { answer, startHostileHttp } from '../../../../support/service/hostile-http.ts';
import { exchange, signatureOf, signingSecret } from '../../../../support/slack/signed-http.ts';

/** The whole bot in HTTP mode, in which no person has installed it yet. */
async function start() {
  const slack = await startHostileHttp((...request) => answer(200, { ok: true })(...request));
  const log = createMemoryLog();
  const bot = await startBot(
    {
      ...{ mode: 'http', slackCommand: '/workflow', logLevel: 'info', proxy: {}, host: '127.0.0.1', port: 0 },
      ...{ slackSigningSecret: signingSecret, slackClientId: '1.2', slackClientSecret: 'c'.repeat(32) },
      ...{ slackApiUrl: slack.url.replace('graphql', 'api/'), publicUrl: 'https://bot.example.com' },
      ...{ queryServiceUrl: 'https://service.example/graphql' },
      ...{ databaseUrl: await newSqlite(), keyring: { kind: 'text', text: keyLine('test') } },
    },
    log.log,
  );
  onTestFinished(async () => {
    await bot.stop();
    await slack[Symbol.asyncDispose]();
  });
  const origin = bot.origin ?? '';
  const post = (fields: object, secret = signingSecret) => {
    const body = JSON.stringify(fields);
    const signature = signatureOf({ body, at: Math.floor(Date.now() / 1000), secret });
    return exchange(origin, { body, headers: { 'content-type': 'application/json', ...signature } });
  };
  const ready = async () => (await exchange(origin, { method: 'GET', path: '/readyz' })).text.split('\n')[1];
  return { log, post, ready };
}

/** https://docs.slack.dev/reference/events/url_verification */
const verification = { token: 'verification', challenge: 'c-1', type: 'url_verification' };

test('the check of the request URL is answered, and the log and readiness say that it happened', async () => {
  const { log, post, ready } = await start();
  expect(await ready()).toMatch(/no signed request yet.*Event Subscriptions/);
  const { status, text } = await post(verification);
  expect([status, JSON.parse(text)]).toEqual([200, { challenge: 'c-1' }]);
  expect(await ready()).toMatch(/^slack: request URL confirmed at \d{4}-.*Z$/);
  expect(log.messages()).toContain('slack confirmed the request URL');
  expect(log.text()).not.toContain('c-1');
});

test('with another signing secret the check fails, and readiness names the setting', async () => {
  const { log, post, ready } = await start();
  expect((await post(verification, 'another-signing-secret')).status).toBe(401);
  expect(await ready()).toMatch(/SLACK_SIGNING_SECRET/);
  expect(log.messages()).not.toContain('slack confirmed the request URL');
});

test('requests that Slack did not sign change nothing in readiness', async () => {
  const { post, ready } = await start();
  const before = await ready();
  await post(verification, 'another-signing-secret');
  expect(await ready()).toBe(before);
  await post(verification);
  const confirmed = await ready();
  await post(verification, 'another-signing-secret');
  expect(await ready()).toBe(confirmed);
});

test('Slack does not repeat the check of a known URL: any signed request proves that it arrives', async () => {
  const { post, ready } = await start();
  await post(verification, 'another-signing-secret');
  await post({ type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event: { type: 'app_home_opened' } });
  expect(await ready()).toMatch(/^slack: signed requests since \d{4}-.*Z$/);
});
