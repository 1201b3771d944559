/** A failed start names the variable to check. */
import { expect, test } from 'vitest';
import type { AppError } from '../../../src/shared/errors.ts';
import { createTestBot } from '../../support/bot/bot.ts';
import {
  type FakeReply,
  type FakeSlack,
  fakeTeamId,
  fakeTokens,
  startFakeSlack,
} from '../../support/slack/fake-slack.ts';

async function failedStart(prepare: (slack: FakeSlack) => unknown): Promise<AppError> {
  const slack = await startFakeSlack();
  const { bot } = createTestBot(slack, { timing: { callTimeoutMs: 1_000, startWithinMs: 20 } });
  await prepare(slack);
  try {
    return await bot.start().then(
      () => expect.unreachable('it started'),
      (error: unknown) => error as AppError,
    );
  } finally {
    await slack.close();
  }
}

const refused = (error: string): FakeReply => ({ body: { ok: false, error } });
const always = (reply: FakeReply) => Array.from({ length: 50 }, () => reply);

test.each(['invalid_auth', 'token_revoked', 'account_inactive'])(
  'a bot token that is refused with %s is named',
  async (word) => {
    const error = await failedStart((slack) => slack.script('auth.test', refused(word)));
    expect(error).toMatchObject({ code: 'unauthorized', publicMessage: `Slack refused SLACK_BOT_TOKEN (${word}).` });
    expect(error.hint).toContain('xoxb-');
  },
);

test.each(['invalid_auth', 'not_allowed_token_type', 'missing_scope'])(
  'an app token that is refused with %s is named',
  async (word) => {
    const error = await failedStart((slack) => slack.script('apps.connections.open', refused(word)));
    expect(error).toMatchObject({ code: 'unauthorized', publicMessage: `Slack refused SLACK_APP_TOKEN (${word}).` });
    expect(error.hint).toContain('connections:write');
  },
);

test.each<[string, (slack: FakeSlack) => unknown]>([
  ['is down', (slack) => slack.goDown()],
  ['speaks HTML', (slack) => slack.script('auth.test', ...always({ body: '<html>xoxb-page</html>' }))],
  ['fails', (slack) => slack.script('apps.connections.open', ...always({ status: 500, body: 'oh' }))],
  ['limits us', (slack) => slack.script('apps.connections.open', ...always({ status: 429, body: '' }))],
])('a Slack that %s is named as out of reach, without what it said', async (_, prepare) => {
  const error = await failedStart(prepare);
  expect(error).toMatchObject({ code: 'unavailable', isRetryable: true });
  expect(error.publicMessage).toMatch(/^Slack could not be reached to check SLACK_(BOT|APP)_TOKEN \([\w]{1,30}\)\.$/);
});

test('a start against a Slack that never answers ends in time', async () => {
  const error = await failedStart((slack) => slack.script('auth.test', ...always('hang')));
  expect(error.publicMessage).toBe('Slack could not be reached to check SLACK_BOT_TOKEN (time_out).');
});

test('a start waits for a Slack that is slow to come up', async () => {
  const slack = await startFakeSlack();
  const { bot } = createTestBot(slack, { timing: { startWithinMs: 10_000 } });
  slack.script('auth.test', 'drop', 'drop');
  slack.script('apps.connections.open', { status: 500, body: '' });
  await bot.start();
  expect(bot.isConnected()).toBe(true);
  expect(slack.calls.map(({ method, token }) => `${method} ${token}`)).toEqual([
    ...Array.from({ length: 3 }, () => `auth.test ${fakeTokens.bot}`),
    `bots.info ${fakeTokens.bot}`,
    ...Array.from({ length: 2 }, () => `apps.connections.open ${fakeTokens.app}`),
  ]);
  await bot.stop();
  await slack.close();
});

test('a second stop does nothing', async () => {
  const slack = await startFakeSlack();
  const { bot } = createTestBot(slack);
  await bot.start();
  await Promise.all([bot.stop(), bot.stop()]);
  expect(bot.isConnected()).toBe(false);
  await slack.close();
});

test('a stop ends a start that still waits for Slack', async () => {
  const slack = await startFakeSlack();
  const { bot, log } = createTestBot(slack, {
    timing: { startWithinMs: 600_000, reconnecting: { firstDelayMs: 300_000, delayMaxMs: 300_000 } },
  });
  slack.script('auth.test', 'drop');
  const started = bot.start().then(
    () => 'started',
    () => 'given up',
  );
  await log.until('slack library warns');
  await bot.stop();
  expect(await started).toBe('given up');
  await slack.close();
});

test('a server that returns no workspace has another error than one that cannot be reached', async () => {
  const error = await failedStart((slack) => slack.script('auth.test', { body: { ok: true } }));
  expect(error.publicMessage).toBe('Slack did not return the workspace of SLACK_BOT_TOKEN.');
});

const tokenFacts = { ok: true, team_id: fakeTeamId, user_id: 'U0BOT', bot_id: 'B0BOT' };
const helloOf = (appId: unknown): FakeReply => ({ body: { connection_info: { app_id: appId } } });

test.each<[string, object, object]>([
  ['auth.test', { ...tokenFacts, app_id: 'A0OTHER' }, { ok: false, error: 'missing_scope' }],
  ['bots.info', tokenFacts, { ok: true, bot: { id: 'B0BOT', app_id: 'A0OTHER' } }],
])('a bot token of another app, as %s says, ends the start in a sentence that names both', async (_, owner, bot) => {
  const error = await failedStart((slack) => {
    slack.script('auth.test', { body: owner });
    slack.script('bots.info', { body: bot });
    slack.script('hello', helloOf('A0SOCKET'));
  });
  const sentence = 'SLACK_BOT_TOKEN belongs to the app A0OTHER and SLACK_APP_TOKEN to the app A0SOCKET.';
  expect(error).toMatchObject({ code: 'unauthorized', isRetryable: false, publicMessage: sentence });
  expect(error.hint).toMatch(/the same app at api\.slack\.com/);
  expect(JSON.stringify([error.publicMessage, error.hint])).not.toMatch(/xoxb-|xapp-/);
});

test.each<[string, object, FakeReply[], RegExp | undefined]>([
  ['both are the same', { ...tokenFacts, app_id: 'A0ONE' }, [helloOf('A0ONE')], undefined],
  ['the socket names none', { ...tokenFacts, app_id: 'A0ONE' }, [], /"botTokenApp":"A0ONE"/],
  ['the token names none', tokenFacts, [helloOf('A0ONE')], /"socketApp":"A0ONE"/],
  ['neither is valid', { ...tokenFacts, app_id: '<!channel>' }, [helloOf({ a: 1 })], /belong to the same app/],
])('the bot starts if %s, and the log names a missing value', async (_, owner, hello, said) => {
  const slack = await startFakeSlack();
  const { bot, log } = createTestBot(slack);
  slack.script('auth.test', { body: owner });
  slack.script('hello', ...hello);
  await bot.start();
  expect(bot.isConnected()).toBe(true);
  const lines = log
    .text()
    .split('\n')
    .filter((line) => line.includes('belong to the same app'));
  expect(lines.join()).toMatch(said ?? /^$/);
  await bot.stop();
  await slack.close();
});

test('a socket that later turns out to belong to another app is closed, and none of its events is answered', async () => {
  const slack = await startFakeSlack();
  const { bot, log, requests } = createTestBot(slack);
  slack.script('auth.test', { body: { ...tokenFacts, app_id: 'A0ONE' } });
  slack.script('hello', helloOf('A0ONE'), helloOf('A0OTHER'), helloOf('A0ONE'));
  await bot.start();
  slack.sendRaw(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
  await log.until('connected to slack again');
  expect(log.text()).toContain('SLACK_APP_TOKEN to the app A0OTHER');
  expect(requests).toEqual([]);
  await bot.stop();
  await slack.close();
});
