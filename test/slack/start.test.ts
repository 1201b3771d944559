/** A start that fails says which variable to look at. */
import { expect, test } from 'vitest';
import type { AppError } from '../../src/core/errors.ts';
import { createTestBot } from '../support/bot.ts';
import { type FakeReply, type FakeSlack, fakeTokens, startFakeSlack } from '../support/fake-slack.ts';

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
  'a bot token refused with %s is named',
  async (word) => {
    const error = await failedStart((slack) => slack.script('auth.test', refused(word)));
    expect(error).toMatchObject({ code: 'unauthorized', publicMessage: `Slack refused SLACK_BOT_TOKEN (${word}).` });
    expect(error.hint).toContain('xoxb-');
  },
);

test.each(['invalid_auth', 'not_allowed_token_type', 'missing_scope'])(
  'an app token refused with %s is named',
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

test('a Slack that accepts calls and never answers is given up in time', async () => {
  const error = await failedStart((slack) => slack.script('auth.test', ...always('hang')));
  expect(error.publicMessage).toBe('Slack could not be reached to check SLACK_BOT_TOKEN (time_out).');
});

test('a Slack that is slow to come up is waited for', async () => {
  const slack = await startFakeSlack();
  const { bot } = createTestBot(slack, { timing: { startWithinMs: 10_000 } });
  slack.script('auth.test', 'drop', 'drop');
  slack.script('apps.connections.open', { status: 500, body: '' });
  await bot.start();
  expect(bot.isConnected()).toBe(true);
  expect(slack.calls.map(({ method, token }) => `${method} ${token}`)).toEqual([
    ...Array.from({ length: 3 }, () => `auth.test ${fakeTokens.bot}`),
    ...Array.from({ length: 2 }, () => `apps.connections.open ${fakeTokens.app}`),
  ]);
  await bot.stop();
  await slack.close();
});

test('a second stop is no trouble', async () => {
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

test('a server that names no workspace is told from one that cannot be reached', async () => {
  const error = await failedStart((slack) => slack.script('auth.test', { body: { ok: true } }));
  expect(error.publicMessage).toBe('Slack did not say which workspace SLACK_BOT_TOKEN belongs to.');
});
